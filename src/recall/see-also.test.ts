import { describe, expect, test } from "vitest";
import { TRADES, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";

const bread = (seeAlso: string) =>
  skillText("Bakes sourdough bread with a dark crust in the wood oven.", `see-also: ${seeAlso}\n`);
const message = "bake sourdough bread with a dark crust in the wood oven";
/** A skill that fits the message a little itself. */
const baking = (about: string) => skillText(`${about}, dark as the crust in the wood oven.`);
const FITTING = {
  "garden-calendar": baking("Garden calendar"),
  "train-trips": baking("Train trips"),
  "pdf-forms": baking("PDF forms"),
};

async function recalled(skills: Record<string, string>, more: { session?: string; limit?: number } = {}) {
  const { limit, ...turn } = more;
  const engine = workspace({ ...TRADES, ...FITTING, ...skills }).open({ "embedder.kind": "none" });
  const { matches } = await engine.turns.recall({ message, ...turn }, limit === undefined ? {} : { limit });
  return matches;
}

describe("see-also", () => {
  test("comes after the matches, names its origin, and never scores above it", async () => {
    const matches = await recalled({ "sourdough-bread": bread("[garden-calendar]") });
    expect(matches.map(({ name, via }) => [name, via])).toEqual([
      ["sourdough-bread", undefined],
      ["garden-calendar", "sourdough-bread"],
    ]);
    expect(matches[1]!.score).toBeLessThan(matches[0]!.score);
    expect(matches[1]!.reasons).toMatchObject([
      { signal: "see-also", note: expect.stringContaining("sourdough-bread") },
    ]);
  });

  test("is found by any spelling of a name, alias included", async () => {
    const matches = await recalled({
      "sourdough-bread": bread('["Garden_Calendar", "/Train Trips", "Water Plants"]'),
      "home/watering": skillText("Waters plants dark as the crust in the wood oven.", "name: Water Plants\n"),
    });
    expect(matches.slice(1).map(({ name }) => name)).toEqual([
      "garden-calendar",
      "train-trips",
      "home/watering",
    ]);
  });

  test("does not add a skill that has nothing to do with the message", async () => {
    const matches = await recalled({ "sourdough-bread": bread("[incident-reports]") });
    expect(matches.map(({ name }) => name)).toEqual(["sourdough-bread"]);
  });

  test("never adds a skill that is hidden, disabled, unknown or the origin itself", async () => {
    const matches = await recalled({
      "sourdough-bread": bread("[secret, dormant, keyed, nowhere, sourdough-bread, '', '../x']"),
      secret: skillText("Zzyzx.", "disable-model-invocation: true\n"),
      dormant: skillText("Zzyzx.", "default_enabled: false\n"),
      keyed: skillText("Zzyzx.", "requires: [A_KEY_THAT_IS_NOT_SET]\n"),
    });
    expect(matches.map(({ name }) => name)).toEqual(["sourdough-bread"]);
  });

  test("adds each skill once, and at most as many as the limit of matches", async () => {
    const matches = await recalled({
      "sourdough-bread": bread(
        "[garden-calendar, garden-calendar, train-trips, pdf-forms, incident-reports]",
      ),
    });
    expect(matches.slice(1).map(({ name }) => name)).toEqual(["garden-calendar", "train-trips", "pdf-forms"]);
    const one = await recalled({ "sourdough-bread": bread("[garden-calendar, train-trips]") }, { limit: 1 });
    expect(one.map(({ name }) => name)).toEqual(["sourdough-bread", "garden-calendar"]);
  });

  test("does not add a skill that the session has seen", async () => {
    const space = workspace({ ...TRADES, "sourdough-bread": bread("[garden-calendar]") });
    const engine = space.open();
    await engine.turns.prompt({ message: "when do I sow tomatoes in the garden?", session: "s" });
    const { matches } = await engine.turns.recall({ message, session: "s" });
    expect(matches.map(({ name }) => name)).toEqual(["sourdough-bread"]);
  });

  test("does not follow the see-also of added skills", async () => {
    const matches = await recalled({
      "sourdough-bread": bread("[middle]"),
      middle: skillText("The middle, dark as the crust in the wood oven.", "see-also: [far]\n"),
      far: skillText("Far away , dark as the crust in the wood oven."),
    });
    expect(matches.map(({ name }) => name)).toEqual(["sourdough-bread", "middle"]);
  });
});
