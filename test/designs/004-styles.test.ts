// Walks the configured style through every way in which a prompt reaches a model: hooks, the instructions of the MCP server,
// the HTTP API, the AI SDK, the chat and the command line.

import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { repertoireMiddleware } from "../../src/adapters/ai-sdk/ai-sdk.ts";
import { openAgent } from "../../src/adapters/chat/agent.ts";
import { openRepertoire, type Style } from "../../src/index.ts";
import { hostsProgram } from "../e2e/hosts-program.ts";
import { served } from "../http-served.ts";
import { scriptedModel } from "../scripted-model.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { mcpClient } from "./support-b/mcp.ts";

const program = hostsProgram();

const BODY = "# Chimney\n\n## When to use\n\nBefore the winter.\n";
const FILES = {
  "p/skills/chimney/SKILL.md": skillText("Sweeps chimneys.", "triggers: [sweep the chimney]\n", BODY),
  "p/skills/gutter/SKILL.md": skillText("Clears gutters.", "triggers: [clear the gutter]\n"),
};
const MESSAGE = "sweep the chimney";

/** What a section of each style looks like for the message, and whether there is one before any message. */
const STYLES: readonly (readonly [Style, RegExp, RegExp | undefined])[] = [
  ["cards", /\[Skill: chimney\]\n[\s\S]*Before the winter/, undefined],
  ["index", /Relevant skills for this message: chimney/, /^Available skills .*\n- chimney: Sweeps chimneys/m],
  ["tiers", /<skill_content name="chimney"[\s\S]*Before the winter/, /\[2 skills available\]/],
  [
    "on-demand",
    /## Available Skills[\s\S]*- chimney \(location: /,
    /## Available Skills[\s\S]*- gutter \(location: /,
  ],
  [
    "catalog",
    /<available_skills>[\s\S]*<command>chimney<\/command>/,
    /<available_skills>[\s\S]*<command>gutter<\/command>/,
  ],
];

function house(style: Style, more: Readonly<Record<string, unknown>> = {}) {
  const settings = {
    sources: { only: ["./skills"] },
    consent: { allow: ["*"] },
    style,
    ...more,
  };
  const root = temporaryTree({
    ...FILES,
    "home/.repertoire/repertoire.config.json": JSON.stringify(settings),
  });
  const [dir, home] = [join(root, "p"), join(root, "home")];
  const hook = async (event: Record<string, unknown>) => {
    const input = JSON.stringify({ cwd: dir, session_id: "s", ...event });
    const { out } = await program.run(["hook", "claude-code"], { home, input });
    return out === "" ? "" : (JSON.parse(out).hookSpecificOutput.additionalContext as string);
  };
  const open = (values: Record<string, unknown> = {}) => {
    const engine = openRepertoire({ dir, home, env: { PATH: process.env.PATH }, values });
    onTestFinished(() => engine.close());
    return engine;
  };
  return { root, dir, home, hook, open };
}

describe.each(STYLES)("the style %s", (style, forMessage, standing) => {
  it("is used by a hook, whether its index is new or was made before", async () => {
    const { hook } = house(style);
    const start = await hook({ hook_event_name: "SessionStart", source: "startup" });
    if (standing) expect(start).toMatch(standing);
    else expect(start).toBe("");
    const say = (session_id: string) =>
      hook({ hook_event_name: "UserPromptSubmit", session_id, prompt: MESSAGE });
    expect(await say("s")).toMatch(forMessage);
    // From here on the light engine knows every skill, and hands over to the whole one where instructions are shown.
    expect(await say("other")).toMatch(forMessage);
    expect(await say("third")).toMatch(forMessage);
    expect(await say("third")).toBe("");
  });

  it("is in the instructions of the MCP server", async () => {
    const { client } = await mcpClient(house(style), { agree: true });
    const instructions = client.getInstructions() ?? "";
    if (standing) expect(instructions).toMatch(standing);
    else expect(instructions).not.toContain("chimney");
  });

  it("is used by the HTTP API", async () => {
    const { root } = house(style);
    const { call } = await served({ root });
    const answer = await call("prompt", { body: { message: MESSAGE, session: "s" } });
    expect(answer.style).toBe(style);
    expect(answer.section).toMatch(forMessage);
  });

  it("is used on the AI SDK", async () => {
    const middleware = repertoireMiddleware(house(style).open(), { session: "s" });
    const system = async (...said: readonly string[]) => {
      const prompt = said.map((text) => ({ role: "user", content: [{ type: "text", text }] }));
      const params = { prompt } as unknown as Parameters<typeof middleware.transformParams>[0]["params"];
      const made = (await middleware.transformParams({ params } as never)) as unknown as {
        readonly prompt: readonly { readonly role: string; readonly content: string }[];
      };
      return made.prompt.find(({ role }) => role === "system")?.content ?? "";
    };
    expect(await system(MESSAGE)).toMatch(forMessage);
    // The system prompt is made anew for each message, so what is the same in every turn is in it again.
    if (standing && style !== "tiers") expect(await system(MESSAGE, "go on")).toMatch(standing);
  });

  it("is used by the command line, in each turn of a session once", async () => {
    const { dir, home } = house(style);
    const say = async (session: string, ...flags: string[]) =>
      (
        await program.run(["--dir", dir, "prompt", MESSAGE, "--session", session, ...flags], {
          home,
        })
      ).out;
    expect(await say("a")).toMatch(forMessage);
    expect(await say("b", "--context", "append")).toMatch(forMessage);
    expect(await say("b", "--context", "append")).not.toContain("Before the winter");
    const sessions = await program.run(["--dir", dir, "--json", "sessions"], { home });
    const turns = JSON.parse(sessions.out).sessions.map(
      ({ session, turns: count }: { session: string; turns: number }) => [session, count],
    );
    expect(Object.fromEntries(turns)).toEqual({ a: 1, b: 2 });
  });

  it.each(["append", "rebuild"] as const)("is used by the chat, which can %s", async (context) => {
    const model = await scriptedModel([{ say: "One." }, { say: "Two." }]);
    const engine = house(style, { context }).open({
      "model.kind": "openai-compatible",
      "model.endpoint": model.endpoint,
      "model.name": "m",
      "model.retries": 0,
    });
    const agent = await openAgent(engine, { session: "s", task: "t" });
    const say = async (message: string) => {
      for await (const _ of agent.answer({ message }, new AbortController().signal));
      return model.asked.at(-1)!.body.messages.map(({ role, content }) => [role, String(content)] as const);
    };
    const [[, system], ...first] = (await say(MESSAGE)) as [
      readonly [string, string],
      ...(readonly [string, string])[],
    ];
    const all = await say("go on");
    const times = (words: string) => all.flatMap(([, text]) => text.split(words)).length - all.length;
    if (context === "append") {
      // With the message, and from then on in the history.
      expect(first.at(-1)?.[1]).toMatch(forMessage);
      expect(first.at(-1)?.[1]).toContain(MESSAGE);
      if (standing) expect(system).toMatch(standing);
    } else {
      // In the system prompt of the turn, and nowhere else.
      expect(system).toMatch(forMessage);
      expect(first).toEqual([["user", MESSAGE]]);
      expect(all.slice(1).map(([role]) => role)).toEqual(["user", "assistant", "user"]);
    }
    if (style === "cards" || style === "tiers") expect(times("Before the winter")).toBe(1);
  });
});
