// Checks the AI SDK adapter with version 7 of the SDK: the types compile, and the calls behave as with version 6.

import { generateText, isStepCount, streamText, ToolLoopAgent, tool, wrapLanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { repertoireMiddleware, withRepertoire } from "../../src/adapters/ai-sdk/ai-sdk.ts";
import { person } from "../activation-workspace.ts";
import { agentWorkspace, lastToolAnswer, scripted, systemOf, toolsOf } from "../ai-sdk-workspace.ts";

const activate = [{ tool: "activate_skill", input: { name: "demo" } }];
const greet = [{ tool: "demo__greet", input: { who: "Ada" } }];
const stopWhen = isStepCount(5);

describe("version 7 of the SDK", () => {
  it("generates with section, tools of an activated skill, and usage", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted(activate, greet, "Done.");
    const own = { clock: tool({ inputSchema: z.object({}), execute: async () => "noon" }) };
    const session = await withRepertoire(engine, {
      session: "s",
      askConsent: person(true).ask,
      hostTools: own,
    });
    const { tools, prepareStep, onStepFinish, onFinish } = session;
    const run = { model, tools, prepareStep, onStepFinish, onFinish, stopWhen };
    const { text } = await generateText({ ...run, instructions: "Be kind.", prompt: "Do a demo" });
    expect(text).toBe("Done.");
    expect(requests.map((request) => systemOf(request).split("## Skills").length)).toEqual([2, 2, 2]);
    expect(systemOf(requests[0])).toMatch(/^Be kind\.\n\n## Skills/);
    expect(toolsOf(requests[1])).toContain("demo__greet");
    expect(lastToolAnswer(requests[2])).toBe("Hello Ada");
    const used = await engine.journal.query({ session: "s", kinds: ["model_call"] });
    expect(used.map(({ details }) => details)).toMatchObject(Array(3).fill({ inputTokens: 100 }));
  });

  it("streams, as a function, as an agent and over a wrapped model", async () => {
    const { engine } = agentWorkspace();
    const { model, requests } = await scripted("Done.");
    const { tools, prepareStep, onStepFinish, onFinish, onAbort } = await withRepertoire(engine, {
      session: "s",
    });
    const parts = { model, tools, prepareStep, onStepFinish, onFinish };
    await streamText({ ...parts, onAbort, prompt: "Do a demo" }).consumeStream();
    const agent = new ToolLoopAgent(parts);
    await (await agent.stream({ prompt: "Plan a meeting" })).consumeStream();
    const middleware = repertoireMiddleware(engine, { session: "w" });
    await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: "Plan a meeting" });
    expect(requests.map((request) => systemOf(request).split("## Skills").length)).toEqual([2, 2, 2]);
  });
});
