import { describe, expect, it } from "vitest";
import { withCode } from "../../test/errors.ts";
import { skillOf } from "../../test/skills.fixture.ts";
import { completions, expandBody, findCommand, slashCommands, typedCommand, words } from "./slash.ts";

const expand = (body: string, rest: string, more: { directory?: string; declaresArguments?: boolean } = {}) =>
  expandBody(body, { rest, directory: "/skills/x", declaresArguments: false, ...more });

describe("a typed command", () => {
  it("is a name and the rest", () => {
    expect(typedCommand("/sven/plan analyse the auth module")).toEqual({
      command: "sven/plan",
      rest: "analyse the auth module",
    });
    expect(typedCommand("  /plan\n two\nlines  ")).toEqual({ command: "plan", rest: "two\nlines" });
    expect(typedCommand("plan it")).toBeUndefined();
    expect(typedCommand("// a comment")).toBeUndefined();
  });

  it.each([
    ['one "two three" four', ["one", "two three", "four"]],
    ["'a b' c", ["a b", "c"]],
    ["don't split", ["don't", "split"]],
    ['a="b c"d e', ["a=b cd", "e"]],
    ['"open to the end', ["open to the end"]],
    ['"" x', ["", "x"]],
    ["a\\ b", ["a b"]],
    ["   ", []],
  ])("groups %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });
});

describe("an expansion", () => {
  it("is the body, a blank line and the task", () => {
    expect(expand("# Plan\n\nDo it.\n", "analyse the auth module")).toBe(
      "# Plan\n\nDo it.\n\nTask: analyse the auth module",
    );
  });

  it("is only the body without arguments", () => {
    expect(expand("# Plan\n\nPay $5, run $1.\n", "")).toBe("# Plan\n\nPay $5, run $1.");
  });

  it("puts the arguments into the body's placeholders, without a task line", () => {
    expect(expand("Fix issue $ARGUMENTS now.", 'a "b c"')).toBe('Fix issue a "b c" now.');
    expect(expand("From $0 to $1, not $2.", 'here "over there"')).toBe("From here to over there, not .");
    expect(expand("Second: $ARGUMENTS[1].", "a b")).toBe("Second: b.");
    expect(expand("Take $ARGUMENTS.", "")).toBe("Take .");
  });

  it("never reads typed text as a placeholder", () => {
    expect(expand("Say $0 and $1", `'$1' $ARGUMENTS \${SKILL_DIR}`)).toBe("Say $1 and $ARGUMENTS");
    expect(expand("Do.", `$0 \${SKILL_DIR}`)).toBe(`Do.\n\nTask: $0 \${SKILL_DIR}`);
  });

  it("puts the folder into the body's placeholder, and keeps the task line", () => {
    expect(expand(`Run \${CLAUDE_SKILL_DIR}/a.sh and \${SKILL_DIR}/b.sh`, "now")).toBe(
      "Run /skills/x/a.sh and /skills/x/b.sh\n\nTask: now",
    );
  });

  it("does not change prices, escapes and variables in code", () => {
    const body = "Costs $5.00 or $10 or \\$1.\n\n```sh\necho $1\n```\n\nUse `awk '{print $1}' file`.";
    expect(expand(body, "x")).toBe(`${body}\n\nTask: x`);
  });

  it("fills code too if the skill declares arguments", () => {
    const body = "```sh\ngh pr view $0 | awk '{print $1}'\n```";
    expect(expand(body, "12", { declaresArguments: true })).toBe(
      "```sh\ngh pr view 12 | awk '{print $1}'\n```",
    );
  });
});

describe("slash commands", () => {
  const skills = [
    skillOf("git-workflow"),
    skillOf("git.workflow"),
    skillOf("sven/plan", { declaredName: "Big Plan", argumentHint: "[what]" }),
    skillOf("deploy", { userOnly: true }),
    skillOf("background", { userInvocable: false }),
  ];
  const commands = slashCommands(skills);

  it("have unique names, the second of two equal ones with _2", () => {
    expect(commands.map(({ command, name }) => [command, name])).toEqual([
      ["deploy", "deploy"],
      ["git_workflow", "git-workflow"],
      ["git_workflow_2", "git.workflow"],
      ["sven/plan", "sven/plan"],
    ]);
  });

  it.each([
    ["git_workflow", "git-workflow"],
    ["git-workflow", "git-workflow"],
    ["/GIT-Workflow", "git-workflow"],
    ["git.workflow", "git.workflow"],
    ["git_workflow_2", "git.workflow"],
    ["sven/plan", "sven/plan"],
    ["big-plan", "sven/plan"],
  ])("%s finds %s", (typed, name) => {
    expect(findCommand(typed, commands, typed === "big-plan" ? "sven/plan" : undefined).name).toBe(name);
  });

  it("that do not exist or may not be typed fail with suggestions", () => {
    expect(() => findCommand("git-flow", commands, undefined)).toThrow(
      withCode("slash-unknown", {
        value: "git-flow",
        message: expect.stringContaining("/git_workflow, /git_workflow_2"),
      }),
    );
    expect(() => findCommand("background", commands, "background")).toThrow(withCode("slash-unknown"));
  });

  it("are completed in either form", () => {
    expect(completions("/git-w", commands).map(({ command }) => command)).toEqual([
      "git_workflow",
      "git_workflow_2",
    ]);
    expect(completions("sven/", commands)).toMatchObject([{ command: "sven/plan", argumentHint: "[what]" }]);
    expect(completions("", commands)).toHaveLength(4);
  });
});
