import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FILES, person } from "../../../test/activation-workspace.ts";
import {
  type Answer,
  endStream,
  piece,
  refuse,
  scriptedModel,
  startStream,
} from "../../../test/scripted-model.ts";
import { temporaryTree } from "../../../test/skill-tree.ts";
import type { ConsentAsker } from "../../activate/consent.ts";
import { openRepertoire } from "../../engine.ts";
import { STYLES } from "../../model/turn.ts";
import { Agent } from "./agent.ts";
import { openChatModel } from "./chat-model.ts";
import type { ChatEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

const MESSAGE = "Do the demo for me";

interface Options {
  readonly ask?: ConsentAsker;
  readonly values?: Record<string, unknown>;
  readonly endpoint?: string;
}

async function agentWith(script: readonly Answer[], options: Options = {}) {
  const root = temporaryTree(FILES);
  const model = await scriptedModel(script);
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: { PATH: process.env.PATH, KEY: "secret", DEMO_TOKEN: "t" },
    values: {
      "sources.bundled": false,
      cache: false,
      "model.kind": "openai-compatible",
      "model.endpoint": options.endpoint ?? model.endpoint,
      "model.name": "small",
      "model.apiKeyEnv": "KEY",
      "model.retries": 0,
      ...options.values,
    },
  });
  onTestFinished(() => engine.close());
  const workshop = await engine.workshop();
  const agent = new Agent({
    engine,
    workshop,
    session: "s",
    task: "t",
    model: openChatModel(engine, workshop),
    ask: options.ask,
  });
  const say = async (
    message: string,
    stop = new AbortController(),
    on: (event: ChatEvent) => void = () => {},
  ) => {
    const events: ChatEvent[] = [];
    for await (const event of agent.answer({ message }, stop.signal)) {
      events.push(event);
      on(event);
    }
    return { events, text: events.map((event) => (event.type === "text" ? event.text : "")).join("") };
  };
  return { agent, asked: model.asked, say, store: workshop.store };
}

const types = (events: readonly ChatEvent[]) => events.map(({ type }) => type);
const only = <T extends ChatEvent["type"]>(events: readonly ChatEvent[], type: T) =>
  events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);

describe("a turn", () => {
  it("recalls, gives the section to the model, and streams its answer", async () => {
    const { say, asked, store } = await agentWith([{ say: "Here is the demo." }]);
    const { events, text } = await say(MESSAGE);
    expect(text).toBe("Here is the demo.");
    expect(only(events, "text").length).toBeGreaterThan(1);
    expect(types(events).slice(0, 2)).toEqual(["recalled", "prompt"]);
    const [recalled] = only(events, "recalled");
    expect(recalled?.matches[0]).toMatchObject({ name: "demo", reasons: expect.anything() });
    const [prompt] = only(events, "prompt");
    const [system, user] = asked[0]!.body.messages;
    const [catalog, hint] = prompt!.section.text.split(/\n\n(?=### For this message)/);
    expect(system?.content).toContain(catalog);
    expect(user).toEqual({ role: "user", content: `${hint}\n\n${MESSAGE}` });
    expect(events.at(-1)).toEqual({
      type: "done",
      end: "stop",
      steps: 1,
      usage: { inputTokens: 100, outputTokens: 20 },
    });
    expect(await store.journal.query({ kinds: ["model_call"] })).toMatchObject([
      { details: { model: "openai-compatible/small", purpose: "chat", inputTokens: 100 } },
    ]);
    expect(await store.conversation.query({ session: "s" })).toMatchObject([
      { turn: 1, role: "user", text: MESSAGE },
      { turn: 1, role: "assistant", text: "Here is the demo." },
    ]);
  });

  it("activates with the person's consent, and the skill's own tools are there from the next step on", async () => {
    const { ask, shown } = person(true);
    const script: Answer[] = [
      { say: "Let me look.", call: [["activate_skill", { name: "demo" }]] },
      { call: [["demo__greet", { who: "Ada" }]] },
      { call: [["report_outcome", { outcome: "success" }]] },
      { say: "Done." },
    ];
    const { say, asked, store } = await agentWith(script, { ask });
    const { events, text } = await say(MESSAGE);
    expect(text).toBe("Let me look.Done.");
    expect(shown.map(({ name }) => name)).toEqual(["demo"]);
    const offered = asked.map(({ body }) => body.tools?.map((tool) => tool.function.name) ?? []);
    expect(offered[0]).toEqual([
      "recall_skills",
      "activate_skill",
      "read_skill_file",
      "run_skill_script",
      "list_skills",
      "save_skill",
      "report_outcome",
    ]);
    expect(offered[1]).toContain("demo__greet");
    expect(only(events, "result").map(({ name, ok }) => [name, ok])).toEqual([
      ["activate_skill", true],
      ["demo__greet", true],
      ["report_outcome", true],
    ]);
    expect(JSON.stringify(asked[1]!.body.messages)).toContain("Do the demo with");
    expect(JSON.stringify(asked[2]!.body.messages)).toContain("Hello Ada");
    expect(await store.journal.tallies("demo")).toMatchObject([{ activated: 1, successes: 1 }]);
  });

  it.each([
    ["that the person refuses", person(false).ask, "the answer was no"],
    ["where nobody can be asked", undefined, "repertoire activate demo --task t"],
  ])("goes on without a skill %s", async (_, ask, words) => {
    const script: Answer[] = [{ call: [["activate_skill", { name: "demo" }]] }, { say: "Then without." }];
    const { say, asked } = await agentWith(script, ask ? { ask } : {});
    const { events, text } = await say(MESSAGE);
    expect(only(events, "result")).toMatchObject([{ ok: false, text: expect.stringContaining(words) }]);
    expect(JSON.stringify(asked[1]!.body.messages)).toContain(words);
    expect(text).toBe("Then without.");
  });

  it("tells the model of a tool that does not exist or arguments that are wrong, and goes on", async () => {
    const { say } = await agentWith([
      { call: [["no_such_tool", {}]] },
      { call: [["activate_skill", { nam: "demo" }]] },
      { say: "Sorry." },
    ]);
    const { events, text } = await say(MESSAGE);
    expect(only(events, "result").map(({ ok }) => ok)).toEqual([false, false]);
    expect(text).toBe("Sorry.");
  });

  it("that goes round in circles ends after a number of steps", async () => {
    const { say, asked } = await agentWith(
      Array.from({ length: LIMITS.steps + 1 }, () => ({ call: [["list_skills", {}]] as const })),
    );
    const { events } = await say(MESSAGE);
    expect(asked).toHaveLength(LIMITS.steps);
    expect(events.at(-1)).toMatchObject({ type: "done", end: "tool-calls", steps: LIMITS.steps });
  });

  it("remembers the turns before, tools included, and forgets the oldest when they grow too long", async () => {
    const long = "word".repeat(LIMITS.historyTokens / 2);
    const { say, asked, agent } = await agentWith([
      { call: [["list_skills", {}]] },
      { say: "First." },
      { say: long },
      { say: long },
      { say: "Last." },
    ]);
    for (const message of ["one", "two", "three", "four"]) await say(message);
    const said = asked.map(({ body }) =>
      body.messages.map(({ role, content }) => (role === "user" ? content : role)),
    );
    expect(said[2]).toEqual(["system", "one", "assistant", "tool", "assistant", "two"]);
    expect(said[4]).toEqual(["system", "three", "assistant", "four"]);
    expect(agent.history.tokens).toBeLessThan(LIMITS.historyTokens);
  });
});

it.each(STYLES)("in the style %s nothing that was shown is lost or said twice later", async (style) => {
  const { say, asked } = await agentWith([{ say: "One." }, { say: "Two." }], { values: { style } });
  const [prompt] = only((await say(MESSAGE)).events, "prompt");
  await say("thank you");
  const [first, second] = asked.map(({ body }) => body.messages);
  const given = first!.map(({ content }) => content).join("\n");
  for (const line of prompt!.section.text.split("\n")) expect(given).toContain(line);
  expect(second!.slice(0, 2)).toEqual(first);
  expect(prompt!.section.text).toContain("demo");
});

describe("a stop", () => {
  it("ends the answer at once and keeps what was said", async () => {
    const script: Answer[] = [
      (response) => {
        startStream(response);
        response.write(piece({ content: "It begins" }));
      },
      { say: "Again." },
    ];
    const { say, asked } = await agentWith(script);
    const stop = new AbortController();
    const { events } = await say(MESSAGE, stop, ({ type }) => type === "text" && stop.abort());
    expect(types(events).slice(-2)).toEqual(["text", "done"]);
    expect(events.at(-1)).toMatchObject({ end: "stopped" });
    await say("go on");
    expect(asked[1]!.body.messages.slice(1)).toMatchObject([
      { role: "user", content: expect.stringContaining(MESSAGE) },
      { role: "assistant", content: "It begins" },
      { role: "user", content: "go on" },
    ]);
  });
});

describe("a failure of the model is one line with the next step, and the conversation goes on", () => {
  it.each<[string, Answer, string[]]>([
    ["401", (response) => refuse(response, 401, "bad key secret"), ["HTTP 401", "environment variable KEY"]],
    ["404", (response) => refuse(response, 404, "no such model"), ["HTTP 404", '"model.name"']],
    ["429", (response) => refuse(response, 429, "slow down"), ["HTTP 429", "Wait and ask again"]],
    ["503", (response) => refuse(response, 503, "over\n\u001b[31mloaded"), ["HTTP 503", "ask again later"]],
    [
      "no event stream",
      (response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {oops\n\n"),
      ["The answer broke off"],
    ],
    [
      "a stream that breaks off",
      (response) => {
        startStream(response);
        response.write(piece({ content: "Half a" }));
        response.end();
      },
      ["The answer broke off"],
    ],
    [
      "an error in the middle of the stream",
      (response) => {
        startStream(response);
        response.end(`data: ${JSON.stringify({ error: { message: "out of memory" } })}\n\n`);
      },
      ["out of memory"],
    ],
  ])("%s", async (_, answer, words) => {
    const { say } = await agentWith([answer, { say: "Here I am." }]);
    const { events } = await say(MESSAGE);
    const [error] = only(events, "error");
    expect(error).toMatchObject({ code: "model-failed" });
    for (const word of words) expect(error?.message).toContain(word);
    expect(error?.message).not.toMatch(/secret|\n|\u001b/);
    expect(events.at(-1)).toMatchObject({ type: "done", end: "error" });
    expect((await say("and now?")).text).toBe("Here I am.");
  });

  it("no connection", async () => {
    const { say } = await agentWith([], { endpoint: "http://127.0.0.1:9/v1" });
    const [error] = only((await say(MESSAGE)).events, "error");
    expect(error?.message).toContain("Check that the server runs");
  });

  it("silence: a model that says nothing for too long, while a person may take their time", async () => {
    const slow: ConsentAsker = () => new Promise((resolve) => setTimeout(() => resolve(true), 1_500));
    const script: Answer[] = [
      { call: [["activate_skill", { name: "demo" }]] },
      (response) => {
        startStream(response);
        response.write(piece({ content: "Well" }));
        setTimeout(() => endStream(response, "stop"), 20_000).unref();
      },
    ];
    const { say } = await agentWith(script, { ask: slow, values: { "model.timeoutMs": 1_000 } });
    const { events, text } = await say(MESSAGE);
    expect(only(events, "result")).toMatchObject([{ ok: true }]);
    expect(text).toBe("Well");
    expect(only(events, "error")[0]?.message).toMatch(/did not answer in time.*model\.timeoutMs/);
  });
});

it("without a model the turn shows what an agent would be given, byte for byte, and asks nobody", async () => {
  const { say, agent, asked } = await agentWith([], { values: { "model.kind": "none" } });
  const { events } = await say(MESSAGE);
  expect(types(events)).toEqual(["recalled", "prompt", "done"]);
  const [prompt] = only(events, "prompt");
  const same = await agent.parts.engine.prompt({ message: MESSAGE });
  expect(prompt?.section.text).toBe(same.text);
  expect(asked).toHaveLength(0);
});
