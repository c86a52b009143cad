// The chat in a pipe, as its own process: answers once, for people and for machines.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, anthropicAnswer, refuse, scriptedModel } from "../scripted-model.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const MESSAGE = "please plan the meeting with the team";
const HOSTILE = "Plans meetings.\u001b]0;owned\u0007\u001b[2J Use when people are to meet.";

async function chatWith(script?: readonly Answer[], more: Readonly<Record<string, string>> = {}) {
  const model = script && (await scriptedModel(script));
  const kind = "openai-compatible";
  const settings = model && { kind, endpoint: model.endpoint, name: "small", retries: 0, ...more };
  const home = temporaryTree({
    ".repertoire/repertoire.config.json": JSON.stringify({
      sources: { bundled: false },
      ...(settings && { model: settings }),
    }),
    "p/.agents/skills/plan-meeting/SKILL.md": skillText(HOSTILE, "name: plan-meeting\n", "Ask who comes.\n"),
  });
  const run = (input: string, args: readonly string[] = [], verb = "chat") =>
    program.run(["--dir", join(home, "p"), "--home", home, verb, ...args], { home, input });
  return { run, asked: model?.asked ?? [] };
}

const events = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; [key: string]: unknown });

describe("a message in a pipe", () => {
  it("gets the answer alone on standard output, and what was recalled on standard error", async () => {
    const { run } = await chatWith([{ say: "On \u001b[31mMonday.\u0007" }]);
    const { code, out, err } = await run(`${MESSAGE}\n`);
    expect({ code, out }).toEqual({ code: 0, out: "On \\u{1b}[31mMonday.\\u{7}\n" });
    expect(err).toMatch(/^\d\.\d\d plan-meeting {2}\S+: /);
    expect(err).not.toContain("## Skills");
  });

  it("shows what went into the prompt when asked to", async () => {
    const { run } = await chatWith([{ say: "Hi." }]);
    const { out, err } = await run("", ["--show-prompt", MESSAGE]);
    expect(out).toBe("Hi.\n");
    expect(err).toContain("## Skills");
    expect(err).toContain("### For this message");
  });

  it("gets without a model what an agent would be given for the message, and how to set a model", async () => {
    const { run } = await chatWith();
    const { code, out, err } = await run(MESSAGE);
    const prompt = await run("", [MESSAGE], "prompt");
    expect(code).toBe(0);
    expect(prompt.out.endsWith(out)).toBe(true);
    expect(out).toMatch(/^### For this message/);
    expect((await run(MESSAGE, ["--show-prompt"])).out).toBe(prompt.out);
    expect(err.trim().split("\n").at(-1)).toMatch(/"model\.kind", "model\.endpoint"/);
    expect(out + err).not.toMatch(/\u001b|\u0007/);
  });

  it("cannot be asked for consent without a terminal; an answer elsewhere helps", async () => {
    const script: Answer[] = [
      { call: [["activate_skill", { name: "plan-meeting" }]] },
      { say: "Without." },
      { call: [["activate_skill", { name: "plan-meeting" }]] },
      { say: "With." },
    ];
    const { run, asked } = await chatWith(script);
    const refused = await run(MESSAGE);
    expect(refused.err).toContain("plan-meeting");
    expect(refused.err).not.toMatch(/repertoire (?:activate|trust)|--yes/);
    expect(refused.out).toBe("Without.\n");
    const { digest } = JSON.parse((await run("", ["plan-meeting", "--json"], "show")).out).skill;
    const agreed = ["plan-meeting", "--task", "chat", "--yes", "--digest", digest];
    expect((await run("", agreed, "activate")).code).toBe(0);
    expect((await run(MESSAGE)).out).toBe("With.\n");
    expect(JSON.stringify(asked[3]?.body.messages)).toContain("Ask who comes.");
  });

  it("exits 1 when the model fails, 2 when there is none to answer", async () => {
    const { run } = await chatWith([(response) => refuse(response, 429, "slow down")]);
    const failed = await run(MESSAGE);
    expect(failed).toMatchObject({ code: 1, out: "", err: expect.stringContaining("429") });
    expect(failed.err.match(/error/g)).toHaveLength(1);
    const nothing = await run("  \n", ["--json"]);
    expect(nothing.code).toBe(2);
    expect(JSON.parse(nothing.out).error.code).toBe("usage");
  });

  it("is a command when it begins with a slash", async () => {
    const { run } = await chatWith();
    expect((await run("/skills meet")).out).toMatch(/^plan-meeting {2}Plans meetings\./);
    expect(await run("/nonsense")).toMatchObject({ code: 1, err: expect.stringContaining("/help") });
    expect(events((await run("/nonsense", ["--json"])).out)).toMatchObject([
      { type: "error", code: "slash-unknown" },
    ]);
  });
});

describe("--json", () => {
  it("is not disturbed by warnings of the library that talks to the model", async () => {
    // Any variable that is set will do as a key.
    const anthropic = { kind: "anthropic", apiKeyEnv: "HOME" };
    const { run } = await chatWith([anthropicAnswer({ say: "Hi." })], anthropic);
    const { out, err } = await run(MESSAGE, ["--json"]);
    expect(events(out).map(({ type }) => type)).toEqual(["recalled", "text", "done"]);
    expect(err).toBe("");
  });

  it("prints one line per event", async () => {
    const { run } = await chatWith([{ say: "Hi there.", call: [["list_skills", {}]] }, { say: "Done." }]);
    const { out, err } = await run(MESSAGE, ["--json"]);
    expect(err).toBe("");
    const seen = events(out);
    expect([...new Set(seen.map(({ type }) => type))]).toEqual([
      "recalled",
      "text",
      "tool",
      "result",
      "done",
    ]);
    expect(seen[0]).toMatchObject({ matches: [{ name: "plan-meeting" }] });
    expect(seen.at(-1)).toMatchObject({
      end: "stop",
      steps: 2,
      usage: { inputTokens: 200, outputTokens: 40 },
    });
  });

  it("tells failures and commands in the same way", async () => {
    const { run } = await chatWith([(response) => refuse(response, 401, "no")]);
    expect(events((await run(MESSAGE, ["--json"])).out).at(-2)).toMatchObject({
      type: "error",
      code: "model-failed",
    });
    expect(events((await run("/model", ["--json"])).out)).toMatchObject([
      { type: "told", data: { model: "openai-compatible/small" } },
    ]);
  });
});

it("a session that is named goes on where it ended", async () => {
  const { run, asked } = await chatWith([{ say: "Hello Ada." }, { say: "Ada." }]);
  await run("I am Ada.", ["--session", "one"]);
  await run("Who am I?", ["--session", "one"]);
  expect(asked[1]?.body.messages.slice(1)).toEqual([
    { role: "user", content: "I am Ada." },
    { role: "assistant", content: "Hello Ada." },
    { role: "user", content: "Who am I?" },
  ]);
});
