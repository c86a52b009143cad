import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildIndex, openIndex } from "./lexical-index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "temporary-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a save removes what a dead writer left, and nothing that may still be written", () => {
  const path = join(folder, "recall.index");
  const long = new Date(Date.now() - 3_600_000);
  for (const name of ["recall.index.1-0.tmp", "other.index.1-0.tmp"]) {
    writeFileSync(join(folder, name), "half");
    utimesSync(join(folder, name), long, long);
  }
  writeFileSync(join(folder, "recall.index.2-0.tmp"), "half");
  const index = buildIndex([{ key: "a", digest: "a", fields: [["word"]] }]);
  expect(index.save(path)).toBeUndefined();
  expect(readdirSync(folder).sort()).toEqual(["other.index.1-0.tmp", "recall.index", "recall.index.2-0.tmp"]);
  expect("index" in openIndex(path)).toBe(true);
});
