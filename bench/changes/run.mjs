// What a change of a skill costs as a cold process, in processor time, and how that grows with the library.
// node bench/changes/run.mjs [--skills 2500] [--versions 100]

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { processorTime } from "../timing.mjs";
import { writeHome } from "./home.mjs";

const { values } = parseArgs({
  options: { skills: { type: "string", default: "250" }, versions: { type: "string", default: "20" } },
});
const versions = Number(values.versions);
const sizes = [Number(values.skills), 4 * Number(values.skills)];
const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;
const TEXT = "Greets people.\n\n1. Say hello.\n";

/** In this order: each finds what the ones before have made. */
const COMMANDS = {
  start: ["--version"],
  "first, from the log": ["history", "skill-7"],
  index: ["index"],
  history: ["history", "skill-7", "--limit", "3"],
  save: ["save", "greet-people"],
  undo: ["undo"],
  redo: ["redo"],
  restore: ["restore", "skill-7", `${(versions - 2).toString(16)}-7`],
};

const costs = sizes.map((skills) => {
  const home = mkdtempSync(join(tmpdir(), "repertoire-changes-"));
  const project = join(home, "project");
  mkdirSync(project);
  writeHome(home, { skills, versions });
  process.env.REPERTOIRE_HOME = home;
  const cost = ([...args]) => processorTime([process.execPath, bin, "--dir", project, ...args], TEXT);
  const found = Object.entries(COMMANDS).map(([name, args]) => [name, cost(args)]);
  rmSync(home, { recursive: true, force: true });
  return new Map(found);
});

console.log(
  `| processor time in ms, ${versions} versions a skill | ${sizes.join(" | ")} | growth |\n|---|---|---|---|`,
);
for (const name of Object.keys(COMMANDS)) {
  const [small, large] = costs.map((cost) => cost.get(name));
  console.log(`| ${name} | ${small.toFixed(0)} | ${large.toFixed(0)} | ${(large / small).toFixed(1)}x |`);
}
