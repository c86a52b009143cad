import { ReadableStream } from "node:stream/web";
import { describe, expect, it } from "vitest";
import { agentWorkspace } from "../../../test/ai-sdk-workspace.ts";
import { PromptSections, withSections } from "./middleware.ts";
import type { ModelCall } from "./shapes.ts";

/** A wrapped model that says two things, a call that can be called off, and how often that was noticed. */
async function streaming() {
  const { engine } = agentWorkspace();
  const model = {
    doGenerate: async (_: ModelCall) => ({}),
    doStream: async (_: ModelCall) => ({ stream: ReadableStream.from(["a", "b"]), warnings: 1 }),
  };
  const noticed: string[] = [];
  const run = { calling: () => {}, aborted: async () => void noticed.push("aborted") };
  const stop = new AbortController();
  const wrapped = withSections(model, new PromptSections(engine, "s"), run);
  const prompt = [{ role: "user", content: "Plan a meeting" }];
  const { stream, warnings } = await wrapped.doStream({ prompt, abortSignal: stop.signal });
  return { stream, warnings, stop, noticed };
}

describe("an aborted stream", () => {
  it("is noticed while it is read, and the rest of the answer is unchanged", async () => {
    const { stream, warnings, stop, noticed } = await streaming();
    expect(warnings).toBe(1);
    const read: string[] = [];
    for await (const part of stream) {
      read.push(part);
      if (part === "a") stop.abort();
    }
    expect(read).toEqual(["a", "b"]);
    expect(noticed).toEqual(["aborted"]);
  });

  it("is not noticed once it was read to its end", async () => {
    const { stream, stop, noticed } = await streaming();
    for await (const _ of stream);
    stop.abort();
    expect(noticed).toEqual([]);
  });

  it("is not noticed once it was given up", async () => {
    const { stream, stop, noticed } = await streaming();
    await stream.cancel();
    stop.abort();
    expect(noticed).toEqual([]);
  });
});
