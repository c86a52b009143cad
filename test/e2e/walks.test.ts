// Holds what the main flows cost, in files, folders, parses and index updates, to the table in `scripts/walk/flows.mjs`.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { countCalls } from "../../scripts/walk/counted.mjs";
import { type Counts, differences, FACTS, FLOWS, missedGoals, walkAll } from "../../scripts/walk/flows.mjs";
import { temporaryTree } from "../skill-tree.ts";

const SKILLS = 300;
/** The library of `npm run walk`. */
const DOCUMENTED = 2000;

describe("a walk", () => {
  let walked: ReadonlyMap<string, Counts>;
  beforeAll(async () => {
    walked = await walkAll({ skills: SKILLS });
  });

  it.each(FLOWS)("$name costs what the table says", (flow) => {
    expect(differences(flow, walked.get(flow.name)!, SKILLS)).toEqual([]);
  });

  it.each(FLOWS.filter(({ reached }) => reached))("$name costs no more than is wanted", (flow) => {
    expect(missedGoals(flow, walked.get(flow.name)!)).toEqual([]);
  });

  it("has no flow that is said to miss what it reaches", () => {
    const missing = FLOWS.filter(({ reached }) => !reached);
    const wrong = missing.filter((flow) => missedGoals(flow, walked.get(flow.name)!).length === 0);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

it("fails when a function that it counts is gone", () => {
  expect(() => countCalls(temporaryTree())).toThrow(/scripts\/walk\/counted\.mjs/);
});

describe("docs/walks.md", () => {
  const rows = readFileSync("docs/walks.md", "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

  it.each(FLOWS)("has the counts of $name", (flow) => {
    const [, cells = []] = rows.filter(([, name]) => name === flow.name);
    const counts = Object.keys(FACTS).map((fact, at) => [fact, Number(cells[at + 2]?.replaceAll(",", ""))]);
    expect(differences(flow, Object.fromEntries(counts), DOCUMENTED)).toEqual([]);
  });
});
