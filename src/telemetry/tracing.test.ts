import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it, onTestFinished } from "vitest";
import { person, policy } from "../../test/activation-workspace.ts";
import { agentWorkspace, scripted } from "../../test/ai-sdk-workspace.ts";
import { withCode } from "../../test/errors.ts";
import { openTelemetry } from "./opentelemetry.ts";

const MEETING = { message: "Plan a meeting with the team", session: "s" };
const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/);

/** Registers a provider as a host does. */
function register(...processors: readonly SpanProcessor[]): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [...processors, new SimpleSpanProcessor(exporter)];
  const provider = new BasicTracerProvider({ spanProcessors });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return exporter;
}

/** The contents of spans, with their parents by name. */
function contentsOf(spans: readonly ReadableSpan[]) {
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext, attributes, events, status }) => ({
    name,
    parent: names.get(parentSpanContext?.spanId ?? ""),
    attributes,
    events: events.map((event) => [event.name, event.attributes]),
    status: status.code,
  }));
}

describe("a turn", () => {
  it("records recall within prompt, and the recalled and shown skills", async () => {
    const exporter = register();
    const { engine } = agentWorkspace();
    const { tokens, shown, omitted } = await engine.turns.prompt(MEETING);
    expect(contentsOf(exporter.getFinishedSpans())).toEqual([
      {
        name: "repertoire.recall",
        parent: "repertoire.prompt",
        attributes: { "session.id": "s", "repertoire.matches": 1, "repertoire.frame": "task" },
        events: [
          [
            "skill.recalled",
            { "skill.name": "plan-meeting", "skill.score": expect.any(Number), "skill.rank": 1 },
          ],
        ],
        status: 0,
      },
      {
        name: "repertoire.prompt",
        parent: undefined,
        attributes: {
          "session.id": "s",
          "repertoire.style": "adaptive",
          "repertoire.tokens": tokens,
          "repertoire.shown": shown.length,
          "repertoire.omitted": omitted,
        },
        events: [["skill.shown", { "skill.name": "plan-meeting", "skill.level": "full" }]],
        status: 0,
      },
    ]);
  });

  it("records an activation if the style injects a body", async () => {
    const exporter = register();
    const { engine } = agentWorkspace({ values: { "consent.allow": ["*"] } });
    await engine.turns.prompt({ message: "/plan-meeting" }, { style: "tiers" });
    const [, prompt] = contentsOf(exporter.getFinishedSpans());
    expect(prompt?.events).toEqual([
      ["skill.shown", { "skill.name": "plan-meeting", "skill.level": "body" }],
      [
        "skill.activated",
        {
          "skill.name": "plan-meeting",
          "skill.digest": DIGEST,
          "skill.source": "./.agents/skills",
          "skill.scope": "project",
          "skill.by": "style",
        },
      ],
    ]);
  });

  it("is a child of the host's span", async () => {
    const exporter = register();
    const { engine } = agentWorkspace();
    await trace.getTracer("host").startActiveSpan("request", async (span) => {
      await engine.turns.recall(MEETING);
      span.end();
    });
    expect(contentsOf(exporter.getFinishedSpans()).map(({ name, parent }) => [name, parent])).toEqual([
      ["repertoire.recall", "request"],
      ["request", undefined],
    ]);
  });
});

describe("a task", () => {
  it("records the activation, the script run and the outcome", async () => {
    const exporter = register();
    const { engine } = agentWorkspace();
    await engine.turns.recall(MEETING);
    const { tasks } = engine;
    exporter.reset();
    const context = { task: "t", session: "s", ask: person(true).ask };
    await tasks.activate("demo", context);
    await tasks.run("demo", "say.sh", { ...context, policy });
    const tools = (await engine.toolbox()).served(context);
    const report = tools.find(({ name }) => name === "report_outcome")!;
    await report.run({ outcome: "success", note: "a private note" });
    const [activate, script, outcome] = contentsOf(exporter.getFinishedSpans());
    const common = { "session.id": "s", "repertoire.task": "t" };
    expect(activate).toEqual({
      name: "repertoire.activate",
      parent: undefined,
      attributes: { ...common, "skill.name": "demo" },
      events: [
        [
          "skill.activated",
          {
            "skill.name": "demo",
            "skill.digest": (await engine.library.find("demo")).digest,
            "skill.package": DIGEST,
            "skill.source": "./.agents/skills",
            "skill.scope": "project",
            "skill.by": "model",
          },
        ],
      ],
      status: 0,
    });
    expect(script).toMatchObject({
      name: "repertoire.script",
      attributes: { ...common, "skill.name": "demo", "repertoire.ok": true },
    });
    expect(outcome).toEqual({
      name: "repertoire.outcome",
      parent: undefined,
      attributes: { "session.id": "s" },
      events: [
        ["skill.outcome", { "skill.name": "demo", "skill.digest": DIGEST, "skill.outcome": "success" }],
      ],
      status: 0,
    });
  });

  it("records the code of a refusal without its message", async () => {
    const exporter = register();
    const { engine } = agentWorkspace();
    const { tasks } = engine;
    await expect(tasks.activate("demo", { task: "t", ask: person(false).ask })).rejects.toThrow(
      withCode("consent-refused"),
    );
    await expect(tasks.activate("my secret wish", { task: "t" })).rejects.toThrow(
      withCode("skill-not-found"),
    );
    const [declined, unknown] = contentsOf(exporter.getFinishedSpans());
    expect(declined).toMatchObject({ status: 2, attributes: { "error.type": expect.any(String) } });
    expect(JSON.stringify(unknown)).not.toContain("secret");
  });
});

it("a dream and its model calls are recorded, the calls as children of the dream", async () => {
  const exporter = register();
  const { endpoint } = await scripted("{}");
  const values = { "model.kind": "openai-compatible", "model.endpoint": endpoint, "model.name": "small" };
  const { engine } = agentWorkspace({ values });
  for (const at of [1, 2, 3, 4])
    await engine.turns.recall({ message: "brew a pot of oolong tea", session: `tea-${at}` });
  const { dreams } = engine;
  exporter.reset();
  await dreams.run();
  const spans = contentsOf(exporter.getFinishedSpans());
  expect(spans.find(({ name }) => name === "repertoire.dream")).toMatchObject({
    parent: undefined,
    attributes: { "repertoire.apply": false, "repertoire.thinking": "model", "repertoire.skipped": false },
  });
  const calls = spans.filter(({ name }) => name === "repertoire.model");
  expect(calls.length).toBeGreaterThan(0);
  expect(calls[0]).toMatchObject({
    parent: "repertoire.dream",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "openai-compatible/small",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 10,
    },
  });
});

describe("content", () => {
  const walk = async (content: boolean) => {
    const exporter = register();
    const { engine } = agentWorkspace({ values: { "telemetry.content": content } });
    await engine.turns.prompt(MEETING);
    const { tasks } = engine;
    await tasks.activate("demo", { task: "t", ask: person(true).ask });
    // The name of a script is the skill's text too. There is none of this name, so that nothing needs a sandbox.
    await tasks.run("demo", "scripts/unsaid.sh", { task: "t" });
    return JSON.stringify(contentsOf(exporter.getFinishedSpans()));
  };

  it("is not recorded by default: no message, no section, no instructions", async () => {
    const spans = await walk(false);
    expect(spans).not.toContain("with the team");
    expect(spans).not.toContain("## Skills");
    expect(spans).not.toContain("Plans meetings");
    expect(spans).not.toContain("Do the demo");
    expect(spans).not.toContain("unsaid");
  });

  it("is recorded with `telemetry.content`", async () => {
    const spans = await walk(true);
    expect(spans).toContain('"repertoire.message":"Plan a meeting with the team"');
    expect(spans).toContain("## Skills");
    expect(spans).toContain("unsaid");
  });
});

describe("the receiver of spans", () => {
  it("may be registered after the first turn", async () => {
    const { engine } = agentWorkspace();
    await engine.turns.prompt(MEETING);
    const exporter = register();
    await engine.turns.prompt({ message: "Plan a meeting again", session: "late" });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      "repertoire.recall",
      "repertoire.prompt",
    ]);
  });

  it("gets nothing with `telemetry: false`", async () => {
    const exporter = register();
    const { engine } = agentWorkspace({ telemetry: false });
    await engine.turns.prompt(MEETING);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it("is the host's own telemetry instead of the registered provider", async () => {
    const registered = register();
    const own = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(own)] });
    const { engine } = agentWorkspace({ telemetry: openTelemetry(provider) });
    await engine.turns.recall(MEETING);
    expect(registered.getFinishedSpans()).toEqual([]);
    expect(own.getFinishedSpans().map(({ name }) => name)).toEqual(["repertoire.recall"]);
  });
});

describe("a failing telemetry", () => {
  const broken = () => {
    throw new Error("the collector is down");
  };
  const quiet = async () => {};

  it.each([
    ["when a span starts", { onStart: broken, onEnd: () => {} }],
    ["when a span ends", { onStart: () => {}, onEnd: broken }],
  ])("%s does not break a turn", async (_, hooks) => {
    register({ ...hooks, forceFlush: quiet, shutdown: quiet });
    const { engine } = agentWorkspace();
    const { matches, text } = await engine.turns.prompt(MEETING);
    expect(matches.map(({ name }) => name)).toEqual(["plan-meeting"]);
    expect(text).toContain("plan-meeting");
    expect((await engine.turns.sessions.session("s")).turn).toBe(1);
  });

  it("in its exporter does not break a turn", async () => {
    register(new SimpleSpanProcessor({ export: broken, shutdown: quiet }));
    const { engine } = agentWorkspace();
    expect((await engine.turns.recall(MEETING)).matches).toHaveLength(1);
  });

  it("in its context does not break a turn and runs it once", async () => {
    register();
    context.disable();
    const manager = new AsyncLocalStorageContextManager().enable();
    manager.with = broken;
    context.setGlobalContextManager(manager);
    const { engine } = agentWorkspace();
    expect((await engine.turns.recall(MEETING)).matches).toHaveLength(1);
    expect((await engine.turns.sessions.session("s")).turn).toBe(1);
  });
});
