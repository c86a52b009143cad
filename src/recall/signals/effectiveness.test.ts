import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import type { EffectivenessProvider } from "../../journal/journal.ts";
import { effectivenessSignal, NOTHING_KNOWN } from "./effectiveness.ts";
import type { Query } from "./signal.ts";

type KnownSkill = Parameters<EffectivenessProvider["of"]>[0];

const query: Query = { message: "", frame: { name: "task", confidence: 1 }, files: [] };

describe("the effectiveness signal", () => {
  test("subtracts 0.1 from a skill that keeps failing, and notes how often it failed", () => {
    const provider = {
      of: (skill: KnownSkill) => ({
        ...NOTHING_KNOWN.of(skill),
        ...{ deprioritised: skill.name === "flaky", tries: 8, worked: 2, failed: 6 },
      }),
    };
    expect(effectivenessSignal(provider).judge(skillOf("flaky"), query)).toEqual({
      kind: "boost",
      value: -0.1,
      note: "failed 6 of 8",
    });
    expect(effectivenessSignal(provider).judge(skillOf("solid"), query)).toBeUndefined();
  });

  test("does not apply without a journal", () => {
    expect(effectivenessSignal(NOTHING_KNOWN).judge(skillOf("flaky"), query)).toBeUndefined();
  });
});
