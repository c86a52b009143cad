// The explanation of a recall: its reasons add up to the score to the last digit, evidence and boosts apart, and the list is
// in the order of the scores. The same in the library, in `why`, on the command line and in JSON.

import { describe, expect, it } from "vitest";
import type { Scored } from "../../src/index.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED, useOften } from "./support/outcomes.ts";

const FILES = {
  "p/skills/prune-trees/SKILL.md": skillText("Prunes apple trees in winter.", "domain: debug\n"),
  "p/skills/graft-trees/SKILL.md": skillText(
    "Grafts apple trees.",
    "triggers: [rootstock]\nsee-also: [water-trees]\n",
  ),
  "p/skills/water-trees/SKILL.md": skillText("Waters apple trees in a dry summer."),
  "p/skills/rake-leaves/SKILL.md": skillText("Rakes leaves below apple trees."),
};
const MESSAGES = [
  "prune the apple trees, they look broken",
  "graft apple trees on a new rootstock in winter",
  "water apple trees in summer",
  "rake the leaves, and /graft-trees later",
  "use the water-trees skill and prune the apple trees",
];

/** In thousandths, in which sums are exact. */
const thousandths = (value: number) => {
  expect(Number(value.toFixed(3))).toBe(value);
  return Math.round(value * 1000);
};
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + thousandths(value), 0);

function expectToAddUp({ score, evidence, boosts, reasons }: Scored): void {
  const valuesOf = (isBoost: boolean) =>
    reasons.filter(({ boost = false }) => boost === isBoost).map(({ value }) => value);
  expect(sumOf(valuesOf(false))).toBe(thousandths(evidence));
  expect(sumOf(valuesOf(true))).toBe(thousandths(boosts));
  expect(thousandths(evidence) + thousandths(boosts)).toBe(thousandths(score));
  expect(evidence).toBeGreaterThanOrEqual(0);
  expect(evidence).toBeLessThanOrEqual(1);
}

describe.each(MESSAGES)("for %j", (message) => {
  it("the reasons add up, and the list is in the order of the scores", async () => {
    const { matches } = await designWorkspace(FILES).open().turn({ message }).recall();
    expect(matches.length).toBeGreaterThan(0);
    for (const match of matches) expectToAddUp(match);
    const scores = matches.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it("why gives the same numbers as recall, and those ahead have at least its score", async () => {
    const engine = designWorkspace(FILES).open();
    const { matches } = await engine.turn({ message }).recall();
    for (const { name, score, evidence, boosts, reasons, via } of matches) {
      const why = await engine.library.why(name, { message });
      expectToAddUp(why);
      for (const one of why.ahead) expect(one.score).toBeGreaterThanOrEqual(why.score);
      if (via === undefined) expect(why).toMatchObject({ score, evidence, boosts, reasons });
    }
  });

  it("the printed numbers add up too", async () => {
    const { out } = await designWorkspace(FILES).cli("recall", "--explain", message);
    const blocks = out.split(/^(?=\d\.\d{3} )/m).slice(1);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      const score = Number(/^\d\.\d{3}/.exec(block)![0]);
      const values = [...block.matchAll(/^ +([+−])(\d\.\d{3}) /gm)].map(
        ([, sign, value]) => Number(value) * (sign === "+" ? 1 : -1),
      );
      expect(sumOf(values)).toBe(thousandths(score));
      expect(block).toMatch(/^ +evidence [01]\.\d{3}$/m);
    }
  });
});

it("a skill that the message names comes first and has the highest score", async () => {
  const { matches } = await designWorkspace(FILES).open().turn({ message: MESSAGES[3]! }).recall();
  expect(matches.slice(0, 2)).toMatchObject([{ name: "graft-trees", named: true }, { name: "rake-leaves" }]);
  expect(matches[0]!.score).toBeGreaterThan(matches[1]!.score);
  expect(matches[0]!.boosts).toBeGreaterThan(1);
});

it("the frame and failures are boosts, and a failure is counted, not estimated", async () => {
  const space = designWorkspace(FILES);
  const engine = space.open({ values: AGREED });
  await useOften(engine, "prune-trees", Array(6).fill("failure"));
  const { matches } = await engine.turn({ message: MESSAGES[0]!, frame: "debug" }).recall();
  const match = matches.find(({ name }) => name === "prune-trees");
  expect(match?.reasons.filter(({ boost }) => boost)).toEqual([
    { signal: "frame", value: 0.2, note: "debug, domain debug", boost: true },
    { signal: "effectiveness", value: -0.1, note: "failed 6 of 6", boost: true },
  ]);
  expect(match?.boosts).toBe(0.1);
});

it("JSON has evidence and boosts beside the score", async () => {
  const { out } = await designWorkspace(FILES).cli("recall", "--json", MESSAGES[1]!);
  for (const match of JSON.parse(out).matches) expectToAddUp(match);
});
