import { describe, expect, test } from "vitest";
import { skillOf } from "../../../test/skills.fixture.ts";
import { mentionSignal, mentionsIn } from "./mention.ts";
import { type Query, WORTH } from "./signal.ts";

const query = (message: string): Query => ({ message, frame: { name: "task", confidence: 1 }, files: [] });

function worth(message: string, name: string, declaredName?: string): number | undefined {
  const skill = skillOf(name, declaredName === undefined ? {} : { declaredName });
  return mentionSignal(mentionsIn(message)).judge(skill, query(message))?.value;
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
    ["start git-workflow please", "git-workflow"],
    ["Git-Workflow, please", "git-workflow"],
    ["/git_workflow", "git-workflow"],
    ["use mcp/email to send it", "mcp/email"],
    ["run `git-workflow` on it", "git-workflow"],
    ["a skill called review", "review"],
    ["git-workflow: tidy the branches", "git-workflow"],
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
    ["why does the /review route return 404?", "review"],
    ["POST /review fails", "review"],
    ["the form at /review is broken", "review"],
    ["we need real-time updates", "real-time"],
    ["set ease-in-out on it", "ease-in-out"],
    ["npm install code-review@2", "code-review"],
    ["the `code-review` branch is stale", "code-review"],
    ["echo $REVIEW", "review"],
    ["is git-workflow's output right?", "git-workflow"],
  ])("%s does not name %s", (message, name) => {
    expect(worth(message, name) ?? 0).toBeLessThan(WORTH.mention);
  });

  test("works by the display name too", () => {
    expect(worth("/weather", "acme/forecast", "Weather")).toBe(WORTH.mention);
    expect(worth("the email skill", "mcp/email")).toBe(WORTH.mention);
  });
});

describe("a name in running text", () => {
  const beside = (message: string, name: string) =>
    mentionSignal(mentionsIn(message)).judge(skillOf(name), query(message));

  test("counts only as far as the text fits, if it may be an adjective", () => {
    expect(beside("we need real-time updates", "real-time")).toMatchObject({ value: 0, needsFit: true });
  });

  test("counts by itself if it has three words or an unusual one", () => {
    expect(beside("see fix-failing-test again", "fix-failing-test")?.value).toBe(WORTH.spelledName);
    const unusual = mentionSignal(mentionsIn("see gh-kubectl again"), (word) =>
      word === "kubectl" ? 10 : 3,
    );
    expect(unusual.judge(skillOf("gh-kubectl"), query(""))?.value).toBe(WORTH.spelledName);
  });
});

describe("a name in words", () => {
  test("counts if it has several words, not if it has one", () => {
    const beside = (message: string, name: string) =>
      mentionSignal(mentionsIn(message)).judge(skillOf(name), query(message))?.beside;
    expect(beside("we need a code review today", "code-review")).toBe(WORTH.nameInWords);
    expect(beside("Code – Review?", "code-review")).toBe(WORTH.nameInWords);
    expect(beside("a decode reviewer", "code-review")).toBeUndefined();
    expect(beside("we need a review today", "review")).toBeUndefined();
  });

  test("is quoted in the reason", () => {
    const signal = mentionSignal(mentionsIn("code review please"));
    expect(signal.judge(skillOf("code-review"), query(""))?.note).toContain('"code review"');
  });
});

describe("spellings that may be names", () => {
  test("are at most 32, each once", () => {
    const message = Array.from({ length: 100 }, (_, i) => `/skill-${i} /skill-${i}`).join(" ");
    expect(mentionsIn(message).names.size).toBe(32);
  });

  test.each(["", "   ", "///", "$$$", "/", "-", "\ud800/\udfff", "/\u0000"])(
    "are not found in %j",
    (message) => {
      expect(mentionsIn(message).names.size).toBe(0);
    },
  );
});
