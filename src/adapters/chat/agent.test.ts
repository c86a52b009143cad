import { describe, expect, it } from "vitest";
import { person, sandbox } from "../../../test/activation-workspace.ts";
import { agentWith, MESSAGE, only, types } from "../../../test/chat-agent.ts";
import { type Answer, anthropicAnswer, piece, startStream } from "../../../test/scripted-model.ts";
import { STYLES } from "../../model/turn.ts";
import { CHAT_LIMITS } from "./limits.ts";

describe("a turn", () => {
  it("recalls, gives the section to the model, and streams its answer", async () => {
    const { say, asked, journal } = await agentWith([{ say: "Here is the demo." }]);
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
    expect(await journal.query({ kinds: ["model_call"] })).toMatchObject([
      { details: { model: "openai-compatible/small", purpose: "chat", inputTokens: 100 } },
    ]);
    expect(await journal.conversation({ session: "s" })).toMatchObject([
      { turn: 1, role: "user", text: MESSAGE },
      { turn: 1, role: "assistant", text: "Here is the demo." },
    ]);
  });

  it.skipIf(!sandbox.ok)(
    "activates a skill with the person's consent, and offers its tools from the next step on",
    async () => {
      const { ask, shown } = person(true);
      const script: Answer[] = [
        { say: "Let me look.", call: [["activate_skill", { name: "demo" }]] },
        { call: [["demo__greet", { who: "Ada" }]] },
        { call: [["report_outcome", { outcome: "success" }]] },
        { say: "Done." },
      ];
      const { say, asked, journal } = await agentWith(script, { ask });
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
      expect(await journal.statsOf("demo")).toMatchObject({ activated: 1, succeeded: 1 });
    },
  );

  it.each([
    ["that the person refuses", person(false).ask, "the answer was no"],
    ["where nobody can be asked", undefined, "nobody could be asked here"],
  ])("goes on without a skill %s", async (_, ask, words) => {
    const script: Answer[] = [{ call: [["activate_skill", { name: "demo" }]] }, { say: "Then without." }];
    const { say, asked } = await agentWith(script, ask ? { ask } : {});
    const { events, text } = await say(MESSAGE);
    expect(only(events, "result")).toMatchObject([{ ok: false, text: expect.stringContaining(words) }]);
    expect(JSON.stringify(asked[1]!.body.messages)).toContain(words);
    expect(text).toBe("Then without.");
  });

  it("reports an unknown tool or wrong arguments to the model, and continues", async () => {
    const { say } = await agentWith([
      { call: [["no_such_tool", {}]] },
      { call: [["activate_skill", { nam: "demo" }]] },
      { say: "Sorry." },
    ]);
    const { events, text } = await say(MESSAGE);
    expect(only(events, "result").map(({ ok }) => ok)).toEqual([false, false]);
    expect(text).toBe("Sorry.");
  });

  it("ends after a number of steps if the model keeps calling tools", async () => {
    const { say, asked } = await agentWith(
      Array.from({ length: CHAT_LIMITS.steps + 1 }, () => ({ call: [["list_skills", {}]] as const })),
    );
    const { events } = await say(MESSAGE);
    expect(asked).toHaveLength(CHAT_LIMITS.steps);
    expect(events.at(-1)).toMatchObject({ type: "done", end: "tool-calls", steps: CHAT_LIMITS.steps });
  });

  it("remembers the turns before, tools included, and forgets the oldest when they grow too long", async () => {
    const long = "word".repeat(CHAT_LIMITS.historyTokens / 2);
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
    expect(agent.history.tokens).toBeLessThan(CHAT_LIMITS.historyTokens);
  });
});

it("an Anthropic model streams and calls tools in its own protocol", async () => {
  const script = [anthropicAnswer({ call: ["list_skills", {}] }), anthropicAnswer({ say: "Five skills." })];
  const { say, asked } = await agentWith(script, { values: { "model.kind": "anthropic" } });
  const { events, text } = await say(MESSAGE);
  expect(text).toBe("Five skills.");
  expect(only(events, "result")).toMatchObject([{ name: "list_skills", ok: true }]);
  expect(JSON.stringify(asked[1]!.body.messages)).toContain("- demo: A demo.");
  expect(events.at(-1)).toMatchObject({ end: "stop", steps: 2, usage: { inputTokens: 14, outputTokens: 6 } });
});

it.each(STYLES)(
  "the style %s gives the model the whole section once, and keeps it in the history",
  async (style) => {
    const { say, asked } = await agentWith([{ say: "One." }, { say: "Two." }], { values: { style } });
    const [prompt] = only((await say(MESSAGE)).events, "prompt");
    await say("thank you");
    const [first, second] = asked.map(({ body }) => body.messages);
    const given = first!.map(({ content }) => content).join("\n");
    for (const line of prompt!.section.text.split("\n")) expect(given).toContain(line);
    expect(second!.slice(0, 2)).toEqual(first);
    expect(prompt!.section.text).toContain("demo");
  },
);

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

it("without a model the turn shows what an agent would be given, byte for byte, and asks nobody", async () => {
  const { say, agent, asked } = await agentWith([], { values: { "model.kind": "none" } });
  const { events } = await say(MESSAGE);
  expect(types(events)).toEqual(["recalled", "prompt", "done"]);
  const [prompt] = only(events, "prompt");
  const same = await agent.parts.engine.turn({ message: MESSAGE }).prompt();
  expect(prompt?.section.text).toBe(same.text);
  expect(only((await say("thank you")).events, "prompt")[0]).not.toHaveProperty("expanded");
  expect(asked).toHaveLength(0);
});
