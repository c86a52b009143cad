import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import { FRAMES, type Frame } from "../../model/frame.ts";
import type { SkillManifest } from "../../model/skill.ts";
import { frameSignal } from "./frame.ts";

function boost(frame: Frame, manifest: Partial<SkillManifest>, message = "do something"): number | undefined {
  const query = { message, frame: { name: frame, confidence: 1 }, files: [] };
  return frameSignal.judge(skillOf("some-skill", manifest), query)?.value;
}

describe("the frame signal", () => {
  test.each(FRAMES)(
    "adds 0.2 to a skill that declares the frame %s, and nothing to one that does not",
    (frame) => {
      expect(boost(frame, { frames: [frame] })).toBe(0.2);
      const others = FRAMES.filter((other) => other !== frame);
      expect(boost(frame, { frames: others })).toBeUndefined();
    },
  );

  test.each([
    ["debug", "debugging"],
    ["debug", "code-review"],
    ["debug", "Code Review"],
    ["decision", "architecture"],
    ["decision", "process"],
    ["creative", "writing"],
    ["creative", "design"],
  ] as const)("adds 0.2 in the frame %s to the domain %s", (frame, domain) => {
    expect(boost(frame, { domain })).toBe(0.2);
  });

  test.each([
    ["debug", "writing"],
    ["creative", "debugging"],
    ["conversation", "writing"],
    ["question", "research"],
    ["decision", ""],
  ] as const)("adds nothing in the frame %s to the domain %s", (frame, domain) => {
    expect(boost(frame, { domain })).toBeUndefined();
  });

  test("fits any domain in a task if the message names it", () => {
    expect(boost("task", { domain: "research" }, "Do some research, please")).toBe(0.2);
    expect(boost("task", { domain: "data-science" }, "a data science notebook")).toBe(0.2);
    expect(boost("task", { domain: "research" }, "ask the researcher")).toBeUndefined();
    expect(boost("conversation", { domain: "research" }, "research")).toBeUndefined();
  });

  test("counts once, with a note", () => {
    const query = { message: "x", frame: { name: "debug" as const, confidence: 1 }, files: [] };
    const both = skillOf("a", { frames: ["debug"], domain: "debugging" });
    expect(frameSignal.judge(both, query)).toEqual({ kind: "boost", value: 0.2, note: "debug" });
    const domain = skillOf("b", { domain: "debugging" });
    expect(frameSignal.judge(domain, query)?.note).toMatch(/\bdebug\b.*\bdebugging\b/);
  });
});
