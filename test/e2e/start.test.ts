// What a hook loads: libraries that only other verbs need must not slow its start.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

/** The packages that a module and its static imports load. */
function packagesOf(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const found = readFileSync(path, "utf8").matchAll(
    /(?:^|;)\s*(?:(?:import|export)\b[^;"]*?from|import)\s*"([^"]+)"/gm,
  );
  return [...found].flatMap(([, target]) => {
    if (target!.startsWith("node:")) return [];
    return target!.startsWith(".") ? packagesOf(join(dirname(path), target!), seen) : [target!];
  });
}

it("loads none of the libraries of the other verbs for a hook, whether it opens the engine or not", () => {
  const folder = dirname(program.bin);
  const [quick] = readdirSync(folder).filter((name) => name.startsWith("quick-"));
  expect(readFileSync(join(folder, quick!), "utf8")).not.toMatch(/\("(?:zod|diff|jsonc-parser)"\)/);
  expect(packagesOf(join(folder, "engine.js"))).toEqual([]);
  expect(packagesOf(join(folder, "index.js"))).toContain("zod");
});

it("keeps other scripts in the patterns of a hook, whose file is read byte by byte", () => {
  const folder = dirname(program.bin);
  const [quick] = readdirSync(folder).filter((name) => /^quick-[0-9a-f]+\.cjs$/.test(name));
  const bytes = readFileSync(join(folder, quick!));
  expect(bytes.every((byte) => byte < 128)).toBe(true);
  expect(bytes.toString("latin1")).toContain("\\u6280\\u80fd");
});
