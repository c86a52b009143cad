import { afterEach, describe, expect, it, vi } from "vitest";
import { agentWith, MESSAGE, only } from "../../../test/chat-agent.ts";
import { type Answer, piece, refuse, startStream } from "../../../test/scripted-model.ts";
import type { ConsentAsker } from "../../activate/consents.ts";

// Before the engine is closed, which waits for processes.
afterEach(() => void vi.useRealTimers());

describe("a failure of the model is one line with the next step, and the conversation continues", () => {
  it.each<[string, Answer, string[]]>([
    ["401", (response) => refuse(response, 401, "bad key secret"), ["401", "KEY"]],
    ["404", (response) => refuse(response, 404, "no such model"), ["404", '"model.name"']],
    ["429", (response) => refuse(response, 429, "slow down"), ["429"]],
    ["503", (response) => refuse(response, 503, "over\n\u001b[31mloaded"), ["503"]],
    [
      "no event stream",
      (response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {oops\n\n"),
      ['"model.kind"'],
    ],
    [
      "a stream that breaks off",
      (response) => {
        startStream(response);
        response.write(piece({ content: "Half a" }));
        response.end();
      },
      ['"model.kind"'],
    ],
    [
      "a connection that breaks in the middle",
      (response) => {
        startStream(response);
        response.write(piece({ content: "Half a" }), () => response.destroy());
      },
      ['"model.kind"'],
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
    const { say, asked } = await agentWith([answer, { say: "Here I am." }]);
    const { events } = await say(MESSAGE);
    const [error] = only(events, "error");
    expect(error).toMatchObject({ code: "model-failed" });
    for (const word of words) expect(error?.message).toContain(word);
    expect(error?.message).not.toMatch(/secret|\n|\u001b/);
    expect(events.at(-1)).toMatchObject({ type: "done", end: "error" });
    expect((await say("and now?")).text).toBe("Here I am.");
    // What was shown for the message that failed is not shown again, so it must not be lost with it.
    expect(JSON.stringify(asked[1]!.body.messages)).toContain("### For this message");
  });

  it("no connection", async () => {
    const { say } = await agentWith([], { endpoint: "http://127.0.0.1:9/v1" });
    const [error] = only((await say(MESSAGE)).events, "error");
    expect(error).toMatchObject({
      code: "model-failed",
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:9\/v1.*"model\.endpoint"/),
    });
  });

  it("silence: the time limit applies to the model, not to a person's answer", async () => {
    // Time goes on by hand, so that a busy machine does not make the model late.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const slow: ConsentAsker = async () => {
      vi.advanceTimersByTime(1_500);
      return true;
    };
    const script: Answer[] = [
      { call: [["activate_skill", { name: "demo" }]] },
      (response) => {
        startStream(response);
        response.write(piece({ content: "Well" }));
      },
    ];
    const { say } = await agentWith(script, { ask: slow, values: { "model.timeoutMs": 1_000 } });
    const { events, text } = await say(MESSAGE, undefined, ({ type }) => {
      if (type === "text") vi.advanceTimersByTime(1_000);
    });
    expect(only(events, "result")).toMatchObject([{ ok: true }]);
    expect(text).toBe("Well");
    expect(only(events, "error")).toMatchObject([
      { code: "model-failed", message: expect.stringContaining("model.timeoutMs") },
    ]);
  });
});
