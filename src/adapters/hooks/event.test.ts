import { describe, expect, it } from "vitest";
import { readEvent } from "./event.ts";

const message = (more: Readonly<Record<string, string>>) =>
  readEvent(JSON.stringify({ session_id: "s", hook_event_name: "UserPromptSubmit", ...more }));

describe("a message", () => {
  it("is what the person typed, if the host has put a skill's instructions in the place of its name", () => {
    const prompt =
      '<skill name="water-orchids" location="/h/water-orchids/SKILL.md">\nReferences are relative to /h.\n\nSlowly.\n</skill>\n\nnow';
    expect(message({ prompt })).toMatchObject({ kind: "message", text: "/water-orchids now" });
  });

  it("is what the person typed, if the host sends that besides", () => {
    const prompt = "Base directory for this skill: /h/water-orchids\n\nSlowly.\n\n/water-orchids now";
    expect(message({ prompt, submitted_prompt: "/water-orchids now" })).toMatchObject({
      text: "/water-orchids now",
    });
  });

  it("keeps a tag that the person typed further down", () => {
    const prompt = 'why does <skill name="a" location="b">\n</skill> not work?';
    expect(message({ prompt })).toMatchObject({ text: prompt });
  });
});

describe("a tool of the host's own that loads a skill", () => {
  it.each([
    ["Skill", { skill: "water-orchids" }],
    ["skill", { name: "water-orchids" }],
    ["activate_skill", { name: "water-orchids" }],
  ])("is heard as %s", (tool_name, tool_input) => {
    const event = { session_id: "s", hook_event_name: "PostToolUse", tool_name, tool_input };
    expect(readEvent(JSON.stringify(event))).toMatchObject({ kind: "loaded", skill: "water-orchids" });
  });
});
