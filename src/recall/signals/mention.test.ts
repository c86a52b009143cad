import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import { mentionedNames, mentionSignal } from "./mention.ts";
import { type Query, WORTH } from "./signal.ts";

const query = (message: string): Query => ({ message, frame: { name: "task", confidence: 1 }, files: [] });

function worth(message: string, name: string, declaredName?: string): number | undefined {
  const skill = skillOf(name, declaredName === undefined ? {} : { declaredName });
  return mentionSignal(message).judge(skill, query(message))?.value;
}

describe("an explicit mention", () => {
  test.each([
    ["/review this", "review"],
    ["please run /review", "review"],
    ["(/review)", "review"],
    ["`/review`", "review"],
    ['"/review"', "review"],
    ["/review, then deploy", "review"],
    ["/review.", "review"],
    ["/Review", "review"],
    ["$review the diff", "review"],
    ["use $mcp/email now", "mcp/email"],
    ["/mcp/email", "mcp/email"],
    ["run git-workflow on it", "git-workflow"],
    ["Git-Workflow, please", "git-workflow"],
    ["is git-workflow's output right?", "git-workflow"],
    ["/git_workflow", "git-workflow"],
    ["send it with mcp/email", "mcp/email"],
    ["use the review skill", "review"],
    ["the 'review' skill", "review"],
    ["the `review` skill", "review"],
    ["with the “review” skill", "review"],
    ["the code review skill", "code-review"],
    ["use the Code Review Helper skill.", "code-review-helper"],
    ["请使用/pdf-forms", "pdf-forms"],
    ["请使用pdf-forms技能", "pdf-forms"],
  ])("%s names %s", (message, name) => {
    expect(worth(message, name)).toBe(WORTH.mention);
  });

  test.each([
    ["look at /etc/hosts", "hosts"],
    ["look at /etc/hosts", "etc"],
    ["cat /usr/bin/review", "review"],
    ["see https://example.org/review", "review"],
    ["see https://example.org/code-review", "code-review"],
    ["<b>bold</review>", "review"],
    ["it lies in ~/review", "review"],
    ["it lies in ./review", "review"],
    ["C:/review", "review"],
    ["{base}/review", "review"],
    ["read/review cycles", "review"],
    ["1/review", "review"],
    ["my-git-workflow-file", "git-workflow"],
    ["src/git-workflow/index.ts", "git-workflow"],
    ["a review", "review"],
    ["$reviewer", "review"],
    ["skills for review", "review"],
  ])("%s does not name %s", (message, name) => {
    expect(worth(message, name) ?? 0).toBeLessThan(WORTH.mention);
  });

  test("works by the display name too", () => {
    expect(worth("/weather", "acme/forecast", "Weather")).toBe(WORTH.mention);
    expect(worth("the email skill", "mcp/email")).toBe(WORTH.mention);
  });
});

describe("a name in words", () => {
  test("counts if it has several words, not if it has one", () => {
    expect(worth("we need a code review today", "code-review")).toBe(WORTH.nameInWords);
    expect(worth("Code – Review?", "code-review")).toBe(WORTH.nameInWords);
    expect(worth("a decode reviewer", "code-review")).toBeUndefined();
    expect(worth("we need a review today", "review")).toBeUndefined();
  });

  test("is quoted in the reason", () => {
    const signal = mentionSignal("code review please");
    expect(signal.judge(skillOf("code-review"), query(""))?.note).toContain('"code review"');
  });
});

describe("spellings that may be names", () => {
  test("are at most 32, each once", () => {
    const message = Array.from({ length: 100 }, (_, i) => `/skill-${i} /skill-${i}`).join(" ");
    const names = mentionedNames(message);
    expect(names).toHaveLength(32);
    expect(new Set(names).size).toBe(32);
  });

  test.each(["", "   ", "///", "$$$", "/", "-", "\ud800/\udfff", "/\u0000"])(
    "are not found in %j",
    (message) => {
      expect(mentionedNames(message)).toEqual([]);
    },
  );
});
