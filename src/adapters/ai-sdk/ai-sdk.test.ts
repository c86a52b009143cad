import { generateText, stepCountIs, streamText, ToolLoopAgent, tool, wrapLanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { person, sandbox } from "../../../test/activation-workspace.ts";
import {
  agentWorkspace,
  lastToolAnswer,
  modelAt,
  scripted,
  scriptedServer,
  systemOf,
  toolsOf,
} from "../../../test/ai-sdk-workspace.ts";
import { withCode } from "../../../test/errors.ts";
import type { EventKind, Repertoire } from "../../engine/engine.ts";
import { repertoireMiddleware, repertoireTools, withRepertoire } from "./ai-sdk.ts";

const MEETING = "Plan a meeting with the team";
const stopWhen = stepCountIs(6);
const call = (name: string, input: unknown) => [{ tool: name, input }];
const times = (text: string, part: string) => text.split(part).length - 1;

async function journal(engine: Repertoire, session: string, ...kinds: EventKind[]) {
  const events = await engine.journal.query({ session, kinds });
  return events.map(({ kind, skill, turn, details }) => ({ kind, skill, turn, details }));
}

describe("the section", () => {
  it("is added to the host's own system prompt, once in each step of the turn", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(call("list_skills", {}), "Done.");
    const { tools, prepareStep } = await withRepertoire(engine, { session: "s" });
    await generateText({ model, system: "Be kind.", prompt: MEETING, tools, prepareStep, stopWhen });
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request.messages.filter(({ role }) => role === "system")).toHaveLength(1);
      expect(systemOf(request)).toMatch(/^Be kind\.\n\n## Skills/);
      expect(times(systemOf(request), "## Skills")).toBe(1);
    }
    expect(systemOf(requests[0])).toBe(systemOf(requests[1]));
    expect(await journal(engine, "s", "recalled", "shown")).toMatchObject([
      { kind: "recalled", skill: "plan-meeting", turn: 1 },
      { kind: "shown", skill: "plan-meeting", turn: 1 },
    ]);
  });

  it("is for the latest message, and shows again what fits it, because a system prompt is rebuilt", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted("Done.");
    const { prepareStep } = await withRepertoire(engine, { session: "s", prompt: { style: "on-demand" } });
    const first = { role: "user", content: MEETING } as const;
    await generateText({ model, messages: [first], prepareStep });
    const second = { role: "user", content: "and plan one more meeting, please" } as const;
    await generateText({
      model,
      messages: [first, { role: "assistant", content: "Done." }, second],
      prepareStep,
    });
    const [one, two] = (await journal(engine, "s", "recalled")).map(({ turn, skill }) => ({ turn, skill }));
    expect(one).toEqual({ turn: 1, skill: "plan-meeting" });
    expect(two).toEqual({ turn: 2, skill: "plan-meeting" });
    expect(await journal(engine, "s", "shown")).toHaveLength(2);
    expect(requests).toHaveLength(2);
  });

  it("begins with what is the same at every turn, and ends with what is for the message", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(call("list_skills", {}), "Done.", "You are welcome.");
    const { tools, prepareStep } = await withRepertoire(engine, { session: "s" });
    const first = { role: "user", content: MEETING } as const;
    const common = { model, system: "Be kind.", tools, prepareStep, stopWhen };
    await generateText({ ...common, messages: [first] });
    const history = [first, { role: "assistant", content: "Done." } as const];
    await generateText({
      ...common,
      messages: [...history, { role: "user", content: "thanks, that is all" }],
    });
    const [asked, step, thanked] = requests.map((request) => systemOf(request));
    expect([step, thanked]).toEqual([asked, asked]);
    const said = requests.map(({ messages }) =>
      JSON.stringify(messages.findLast(({ role }) => role === "user")),
    );
    expect(said[0]).toContain("For this message");
    expect(said[1]).toBe(said[0]);
    expect(said[2]).not.toContain("For this message");
    expect(asked).not.toContain("For this message");
  });

  it("is the same when a busy server is asked again", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(503, "Done.");
    const { prepareStep } = await withRepertoire(engine, { session: "s" });
    await generateText({ model, prompt: MEETING, prepareStep });
    expect(systemOf(requests[1])).toBe(systemOf(requests[0]));
    expect(await journal(engine, "s", "recalled")).toHaveLength(1);
  });

  it("begins a new turn when a host without history sends the same words again", async () => {
    const { engine } = agentWorkspace();
    const { model } = await scripted("Done.");
    const { prepareStep } = await withRepertoire(engine, { session: "s" });
    await generateText({ model, prompt: MEETING, prepareStep });
    await generateText({ model, prompt: MEETING, prepareStep });
    expect((await engine.journal.session("s")).turn).toBe(2);
  });

  it("is added after a system message that is marked for a cache", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted("Done.");
    const { prepareStep } = await withRepertoire(engine, { session: "s" });
    const marked = {
      role: "system",
      content: "Be kind.",
      providerOptions: { scripted: { cache: 1 } },
    } as const;
    await generateText({ model, system: marked, prompt: MEETING, prepareStep });
    const system = requests[0]!.messages.filter(({ role }) => role === "system");
    expect(system.map(({ content }) => content.slice(0, 9))).toEqual(["Be kind.", "## Skills"]);
  });

  it("is added by a wrapped model too, and only once if both are used", async () => {
    const { engine } = agentWorkspace();
    const { model: plain, requests } = await scripted("Done.");
    const middleware = repertoireMiddleware(engine, { session: "w" });
    await generateText({ model: wrapLanguageModel({ model: plain, middleware }), prompt: MEETING });
    expect(systemOf(requests[0])).toContain("plan-meeting");
    const both = await withRepertoire(engine, { session: "b" });
    const model = wrapLanguageModel({ model: plain, middleware: both.middleware });
    const { textStream } = streamText({ model, prompt: MEETING, prepareStep: both.prepareStep });
    for await (const _ of textStream);
    expect(times(systemOf(requests[1]), "## Skills")).toBe(1);
    expect(times(JSON.stringify(requests[1]), "For this message")).toBe(1);
    expect(await journal(engine, "b", "recalled")).toHaveLength(1);
  });
});

describe("the tools", () => {
  it("recall a skill, ask for consent, and return its instructions and files", async () => {
    const { engine } = agentWorkspace();
    const { ask, shown } = person(true);
    const { model, requests } = await scripted(
      call("recall_skills", { message: "a demo" }),
      call("activate_skill", { name: "demo" }),
      call("read_skill_file", { name: "demo", path: "references/notes.md" }),
      "Done.",
    );
    const tools = await repertoireTools(engine, { session: "s", askConsent: ask });
    const { text } = await generateText({ model, prompt: "Do a demo", tools, stopWhen });
    expect(text).toBe("Done.");
    expect(shown.map(({ name }) => name)).toEqual(["demo"]);
    expect(lastToolAnswer(requests[1])).toContain("- demo (");
    expect(lastToolAnswer(requests[2])).toContain("Do the demo with");
    expect(lastToolAnswer(requests[3])).toBe("# Notes\n");
    expect(await journal(engine, "s", "activated", "file_read")).toMatchObject([
      { kind: "activated", skill: "demo", details: { task: "s", by: "model" } },
      { kind: "file_read", skill: "demo" },
    ]);
  });

  it("tell the model that the person declined, and activate nothing", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(call("activate_skill", { name: "demo" }), "A pity.");
    const { tools, prepareStep, onStepFinish, onFinish } = await withRepertoire(engine, {
      session: "s",
      askConsent: person(false).ask,
    });
    const { steps } = await generateText({
      model,
      prompt: "Do a demo",
      tools,
      prepareStep,
      onStepFinish,
      onFinish,
      stopWhen,
    });
    expect(steps[0]!.content).toContainEqual(
      expect.objectContaining({
        type: "tool-error",
        error: withCode("tool-failed", {
          value: { error: expect.objectContaining({ code: "consent-refused", value: "demo" }) },
        }),
      }),
    );
    expect(lastToolAnswer(requests[1])).toContain('"demo"');
    expect(await journal(engine, "s", "activated", "outcome")).toEqual([]);
  });

  it.skipIf(!sandbox.ok)("include those of an activated skill from the next step on", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(
      call("activate_skill", { name: "demo" }),
      call("demo__greet", { who: "Ada" }),
      "Done.",
    );
    const { ask } = person(true);
    const own = { demo__greet_host: tool({ inputSchema: z.object({}), execute: async () => "own" }) };
    const tools = await repertoireTools(engine, { session: "s", askConsent: ask, hostTools: own });
    await generateText({ model, prompt: "Do a demo", tools, stopWhen });
    expect(toolsOf(requests[0])).toEqual([
      "recall_skills",
      "activate_skill",
      "read_skill_file",
      ...(sandbox.ok ? ["run_skill_script"] : []),
      "list_skills",
      "save_skill",
      "report_outcome",
      "demo__greet_host",
    ]);
    expect(toolsOf(requests[1])).toEqual([...toolsOf(requests[0]), "demo__greet"]);
    expect(lastToolAnswer(requests[2])).toBe("Hello Ada");
  });

  it("never include a skill's tool that has the name of a host's tool", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(
      call("activate_skill", { name: "demo" }),
      call("demo__greet", { who: "Ada" }),
      "Done.",
    );
    const own = { demo__greet: tool({ inputSchema: z.object({}), execute: async () => "the host's own" }) };
    const options = { session: "s", askConsent: person(true).ask, hostTools: own };
    const tools = await repertoireTools(engine, options);
    await generateText({ model, prompt: "Do a demo", tools, stopWhen });
    expect(lastToolAnswer(requests[2])).toBe("the host's own");
  });

  it.skipIf(!sandbox.ok)(
    "are all served on request, and a skill's tools are removed with the task",
    async () => {
      const { engine } = agentWorkspace();
      const { model } = await scripted(call("activate_skill", { name: "demo" }), "Done.");
      const session = await withRepertoire(engine, {
        session: "s",
        tools: "all",
        askConsent: person(true).ask,
      });
      await generateText({ model, prompt: "Do a demo", tools: session.tools, stopWhen });
      expect(Object.keys(session.tools)).toEqual(
        expect.arrayContaining(["run_skill_script", "delete_skill", "demo__greet"]),
      );
      await session.end();
      expect(Object.keys(session.tools)).not.toContain("demo__greet");
    },
  );
});

describe("an agent of the SDK", () => {
  it("streams with skills, counts its tokens, and leaves the outcome to the host", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(call("activate_skill", { name: "plan-meeting" }), "Done.");
    const session = await withRepertoire(engine, { session: "s", askConsent: person(true).ask });
    const { tools, prepareStep, onStepFinish, onFinish, report } = session;
    const agent = new ToolLoopAgent({
      model,
      instructions: "Be kind.",
      tools,
      prepareStep,
      onStepFinish,
      onFinish,
    });
    const { textStream } = await agent.stream({ prompt: MEETING });
    let text = "";
    for await (const part of textStream) text += part;
    expect(text).toBe("Done.");
    expect(requests.map((request) => times(systemOf(request), "## Skills"))).toEqual([1, 1]);
    expect(await journal(engine, "s", "model_call")).toMatchObject([
      { turn: 1, details: { purpose: "agent", inputTokens: 100, outputTokens: 10 } },
      { turn: 1, details: { purpose: "agent", inputTokens: 100, outputTokens: 10 } },
    ]);
    expect(await journal(engine, "s", "outcome")).toEqual([]);
    expect(await report("success", { note: "they met" })).toEqual(["plan-meeting"]);
    const events = await journal(engine, "s", "recalled", "shown", "activated", "outcome");
    expect(events.map(({ kind, skill, turn }) => [kind, skill, turn]).sort()).toEqual([
      ["activated", "plan-meeting", 1],
      ["outcome", "plan-meeting", 1],
      ["recalled", "plan-meeting", 1],
      ["shown", "plan-meeting", 1],
    ]);
  });

  it.skipIf(!sandbox.ok)(
    "runs at the same time as another one without mixing sections, tools or outcomes",
    async () => {
      const { engine } = agentWorkspace();
      const server = await scriptedServer(({ messages }) => {
        const message = messages.find(({ role }) => role === "user")!.content;
        const name = message.includes("telegram") ? "telegraph" : "plan-meeting";
        return messages.some(({ role }) => role === "tool") ? "Done." : call("activate_skill", { name });
      });
      const model = modelAt(server.endpoint);
      const run = async (session: string, prompt: string) => {
        const { tools, prepareStep, report } = await withRepertoire(engine, {
          session,
          askConsent: person(true).ask,
          prompt: { style: "on-demand" },
        });
        await generateText({ model, prompt, tools, prepareStep, stopWhen });
        return { tools: Object.keys(tools), reported: await report("success") };
      };
      const [meeting, telegram] = await Promise.all([
        run("a", MEETING),
        run("b", "Send a telegram by telegraph"),
      ]);
      expect(meeting).toMatchObject({ reported: ["plan-meeting"] });
      expect(meeting.tools).not.toContain("telegraph__send");
      expect(telegram).toMatchObject({ reported: ["telegraph"] });
      expect(telegram.tools).toContain("telegraph__send");
      expect((await journal(engine, "a", "shown")).map(({ skill }) => skill)).toEqual(["plan-meeting"]);
      expect((await journal(engine, "b", "shown")).map(({ skill }) => skill)).toEqual(["telegraph"]);
    },
  );
});

describe("the outcome", () => {
  const open = (engine: Repertoire) => withRepertoire(engine, { session: "s", askConsent: person(true).ask });
  const send = (fail: boolean) => call("telegraph__send", { fail });
  const activate = call("activate_skill", { name: "telegraph" });

  it.skipIf(!sandbox.ok)(
    "is a failure if the skill's own tool ended in an error, unless the host reports another one",
    async () => {
      const { engine } = agentWorkspace();
      const { model } = await scripted(activate, send(true), "It does not work.");
      const { report, end: _, onAbort: __, middleware: ___, ...run } = await open(engine);
      await generateText({ model, prompt: "Send a telegram", ...run, stopWhen });
      expect(await journal(engine, "s", "outcome")).toMatchObject([
        { skill: "telegraph", details: { result: "failure", note: "telegraph__send ended in an error" } },
      ]);
      expect(await engine.journal.statsOf("telegraph")).toMatchObject({ failed: 1 });
      await report("neutral", { skill: "telegraph" });
      expect(await engine.journal.statsOf("telegraph")).toMatchObject({ failed: 0 });
    },
  );

  it("is left to the host when a later call made up for the error", async () => {
    const { engine } = agentWorkspace();
    const { model } = await scripted(activate, send(true), send(false), "Sent.");
    const { tools, prepareStep, onStepFinish, onFinish } = await open(engine);
    const run = { tools, prepareStep, onStepFinish, onFinish, stopWhen };
    await generateText({ model, prompt: "Send a telegram", ...run });
    expect(await journal(engine, "s", "outcome")).toEqual([]);
  });

  it("is not changed if the model reported one", async () => {
    const { engine } = agentWorkspace();
    const { model } = await scripted(
      activate,
      send(true),
      call("report_outcome", { outcome: "neutral", note: "no line here" }),
      "Reported.",
    );
    const { tools, prepareStep, onStepFinish, onFinish } = await open(engine);
    const run = { tools, prepareStep, onStepFinish, onFinish, stopWhen };
    await generateText({ model, prompt: "Send a telegram", ...run });
    expect(await journal(engine, "s", "outcome")).toMatchObject([{ details: { result: "neutral" } }]);
  });

  it.each(["generateText", "streamText"])("is a failure if a run of %s is aborted", async (how) => {
    const { engine } = agentWorkspace();
    const stop = new AbortController();
    const server = await scriptedServer((_, before) => {
      if (before === 0) return activate;
      setImmediate(() => stop.abort());
      return undefined;
    });
    const { tools, prepareStep, onStepFinish, onFinish, onAbort } = await open(engine);
    const model = modelAt(server.endpoint);
    const run = { model, tools, prepareStep, onStepFinish, onFinish, stopWhen, prompt: "Send a telegram" };
    if (how === "generateText")
      await expect(generateText({ ...run, abortSignal: stop.signal })).rejects.toThrow(/abort/i);
    else await streamText({ ...run, onAbort, abortSignal: stop.signal }).consumeStream();
    expect(await journal(engine, "s", "outcome")).toMatchObject([
      { skill: "telegraph", details: { result: "failure", note: "the run was called off" } },
    ]);
  });

  it("is a failure if an agent's stream is aborted", async () => {
    const { engine } = agentWorkspace();
    const { endpoint } = await scripted(activate, { unfinished: "Well," });
    const { tools, prepareStep } = await open(engine);
    const agent = new ToolLoopAgent({ model: modelAt(endpoint), tools, prepareStep });
    const stop = new AbortController();
    const stream = await agent.stream({ prompt: "Send a telegram", abortSignal: stop.signal });
    for await (const { type } of stream.fullStream) if (type === "text-start") stop.abort();
    await expect.poll(() => journal(engine, "s", "outcome")).toHaveLength(1);
  });

  it("is a failure if the run is aborted while a tool runs", async () => {
    const { engine } = agentWorkspace();
    const stop = new AbortController();
    const { model } = await scripted(activate, call("halt", {}), "Done.");
    const execute = async () => stop.abort();
    const { tools, prepareStep, onStepFinish, onFinish } = await withRepertoire(engine, {
      session: "s",
      askConsent: person(true).ask,
      hostTools: { halt: tool({ inputSchema: z.object({}), execute }) },
    });
    const run = { tools, prepareStep, onStepFinish, onFinish, stopWhen, abortSignal: stop.signal };
    await expect(generateText({ model, prompt: "Send a telegram", ...run })).rejects.toThrow(/abort/i);
    expect(await journal(engine, "s", "outcome")).toMatchObject([{ skill: "telegraph" }]);
  });

  it("is not reported if the model's server fails", async () => {
    const { engine } = agentWorkspace();
    const { model } = await scripted(activate, 500);
    const { tools, prepareStep, onStepFinish, onFinish } = await open(engine);
    const run = { tools, prepareStep, onStepFinish, onFinish, stopWhen, maxRetries: 0 };
    await expect(generateText({ model, prompt: "Send a telegram", ...run })).rejects.toThrow("not now");
    expect(await journal(engine, "s", "outcome")).toEqual([]);
  });
});
