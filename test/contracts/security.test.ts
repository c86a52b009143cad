// The table of SECURITY.md names a test for every defence; each of them exists.

import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A threat, its defence, and a test file with the name of a test or a part of it. */
const ROW = /^\| (?<threat>.+?) \| .+ \| `(?<file>[^`]+\.test\.ts)`(?:: (?<name>.+))? \|$/;

const [, table = ""] = readFileSync("SECURITY.md", "utf8").split("## Threats and defences");
const rows = table.split("\n").filter((line) => /^\| [A-Z]/.test(line));

it("has a row for each threat, in the form that this test reads", () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !ROW.test(row))).toEqual([]);
});

it.each(
  rows
    .map((row) => ROW.exec(row)?.groups ?? {})
    .map(({ threat, file, name }) => [threat, file, name] as const),
)("%s", (_, file = "", name = "") => {
  expect(existsSync(file)).toBe(true);
  // In quotes, as the name of a test is: a comment does not count.
  const inQuotes = readFileSync(file, "utf8").match(/"[^"\n]*"|`[^`]*`|'[^'\n]*'/g) ?? [];
  expect(inQuotes.some((text) => text.includes(name))).toBe(true);
});
