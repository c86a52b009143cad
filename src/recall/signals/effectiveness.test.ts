import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import { effectivenessSignal, NOTHING_KNOWN } from "./effectiveness.ts";
import type { Query } from "./signal.ts";

const query: Query = { message: "", frame: { name: "task", confidence: 1 }, files: [] };

describe("the effectiveness signal", () => {
  test("subtracts 0.1 from a skill that keeps failing, and notes how often it failed", () => {
    const provider = {
      of: (name: string) => ({
        ...NOTHING_KNOWN.of("", ""),
        deprioritised: name === "flaky",
        rate: 0.25,
        activations: 8,
      }),
    };
    expect(effectivenessSignal(provider).judge(skillOf("flaky"), query)).toEqual({
      kind: "boost",
      value: -0.1,
      note: expect.stringMatching(/\b75%.*\b8\b/),
    });
    expect(effectivenessSignal(provider).judge(skillOf("solid"), query)).toBeUndefined();
  });

  test("uses the record of this version of the skill", () => {
    const asked: string[][] = [];
    const provider = {
      of: (name: string, digest: string) => {
        asked.push([name, digest]);
        return NOTHING_KNOWN.of(name, digest);
      },
    };
    effectivenessSignal(provider).judge(skillOf("flaky"), query);
    expect(asked).toEqual([["flaky", "0".repeat(64)]]);
  });

  test("does not apply without a journal", () => {
    expect(effectivenessSignal(NOTHING_KNOWN).judge(skillOf("flaky"), query)).toBeUndefined();
  });
});
