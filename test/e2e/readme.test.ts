// Types what README.md shows, as a new user would, and compares what is printed.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const home = mkdtempSync(join(tmpdir(), "repertoire-readme-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const blocks = [...readFileSync("README.md", "utf8").matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text!,
);
const examples = blocks.flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...lines] = part.trimEnd().split("\n");
      return [command, lines.join("\n")] as const;
    }),
);

/** Figures depend on the machine and on what was measured last; words, names and order do not. */
const withoutNumbers = (text: string) => text.replace(/\d+(?:\.\d+)?/g, "0");

describe("README.md", () => {
  it("has examples", () => {
    expect(examples.length).toBeGreaterThan(2);
  });

  it.each(examples)("$ %s", (command, printed) => {
    const shim = join(home, "repertoire");
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${program.bin}" "$@"\n`);
    chmodSync(shim, 0o755);
    const { stdout } = spawnSync("bash", ["-c", command], {
      encoding: "utf8",
      cwd: home,
      env: { HOME: home, PATH: `${home}:${process.env.PATH}` },
    });
    expect(withoutNumbers(stdout.trimEnd())).toBe(withoutNumbers(printed));
  });
});
