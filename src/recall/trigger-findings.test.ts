import { describe, expect, test, vi } from "vitest";
import { skillOf } from "../../test/skills.fixture.ts";
import { NO_TRIGGERS, type Triggers } from "../model/skill.ts";
import { triggerFindings } from "./trigger-findings.ts";

function skillWith(triggers: Partial<Triggers>, name: string) {
  const skill = skillOf(name);
  return { ...skill, manifest: { ...skill.manifest, triggers: { ...NO_TRIGGERS, ...triggers } } };
}

const DEPLOYERS = [
  skillWith({ keywords: ["Deploy", "deploy"] }, "a"),
  skillWith({ verbs: ["deploy"] }, "b"),
  skillWith({ keywords: ["release"] }, "c"),
];

describe("findings about triggers", () => {
  test("name the skills that declare the same phrase, ignoring case", async () => {
    expect(await triggerFindings(DEPLOYERS)).toMatchObject([
      { code: "trigger-conflict", severity: "info", message: '"deploy" is a trigger of a and of b.' },
    ]);
  });

  test.each([
    [[], "recalls none"],
    [[{ name: "b", score: 0.5 }], "b wins: the others"],
    [
      [
        { name: "x", score: 0.9 },
        { name: "b", score: 0.5 },
        { name: "a", score: 0.4 },
      ],
      "b wins: its score is 0.500",
    ],
    [
      [
        { name: "a", score: 0.5 },
        { name: "b", score: 0.5 },
      ],
      "a wins: the scores are equal",
    ],
  ])("say which skill wins and why: %j", async (matches, decided) => {
    const [finding] = await triggerFindings(DEPLOYERS, async () => matches);
    expect(finding?.message).toContain(decided);
  });

  test("are empty for skills without a problem", async () => {
    const skills = [skillWith({ keywords: ["a"], patterns: ["b+"] }, "a"), skillWith({}, "b")];
    expect(await triggerFindings(skills)).toEqual([]);
  });
});

test("thousands of patterns are checked while other work goes on", async () => {
  const patterns = Array.from({ length: 3_000 }, (_, at) => `(alpha|beta|gamma)*x${at}[a-z]{2,9}`);
  // Loads the engine of patterns: while a module loads, other work goes on in any case.
  await triggerFindings([]);
  let pauses = 0;
  const count = () => {
    pauses++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  let [seconds] = process.hrtime();
  // Each look at the clock is a second after the last one: every pause is taken that is offered.
  const clock = vi.spyOn(process, "hrtime").mockImplementation(() => [seconds++, 0]);
  try {
    await triggerFindings([skillWith({ patterns }, "many")]);
  } finally {
    clock.mockRestore();
    clearImmediate(next);
  }
  expect(pauses).toBeGreaterThan(1_000);
});
