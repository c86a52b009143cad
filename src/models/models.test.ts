import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { withCode } from "../../test/errors.ts";
import { memoryStore } from "../stores/memory/store.ts";
import { openModel } from "./models.ts";

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** A local server; `answer` gets the request and the number of requests before it. */
async function server(answer: (response: ServerResponse, seen: Seen, before: number) => void) {
  const requests: Seen[] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const seen = { url: request.url ?? "", headers: request.headers, body };
      requests.push(seen);
      answer(response, seen, requests.length - 1);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, requests };
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const completion = (content: string) => ({
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "small",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
});

const message = (text: string) => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "big",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 200, output_tokens: 10 },
});

const settings = { kind: "openai-compatible", name: "small", retries: 0 } as const;
const request = { purpose: "summary", system: "Be brief.", prompt: "Hello", maxTokens: 50 };

describe("a model on an OpenAI-compatible server", () => {
  it("uses the server's protocol and records each call in the journal", async () => {
    const { endpoint, requests } = await server((response) => json(response, completion("Hi.")));
    const { journal } = memoryStore();
    const model = openModel(
      { ...settings, endpoint, apiKeyEnv: "KEY", priceIn: 1, priceOut: 10 },
      { env: { KEY: "secret" }, journal, now: () => 7 },
    )!;
    const answer = await model.generate(request);
    expect(answer).toMatchObject({ text: "Hi.", usage: { inputTokens: 120, outputTokens: 30 } });
    expect(answer.cost).toBeCloseTo(0.00042, 10);
    expect(requests[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer secret" },
      body: {
        model: "small",
        max_tokens: 50,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" },
        ],
      },
    });
    expect(await journal.query({ kinds: ["model_call"] })).toMatchObject([
      {
        at: 7,
        details: { model: "openai-compatible/small", purpose: "summary", inputTokens: 120, outputTokens: 30 },
      },
    ]);
  });

  it("retries if the server is busy", async () => {
    const { endpoint, requests } = await server((response, _, before) => {
      if (before === 0) {
        response.setHeader("retry-after-ms", "1");
        json(response, { error: { message: "busy" } }, 503);
      } else json(response, completion("At last."));
    });
    const model = openModel({ ...settings, endpoint, retries: 1 }, { env: {} })!;
    expect((await model.generate(request)).text).toBe("At last.");
    expect(requests).toHaveLength(2);
  });

  it("reports the reason of a refusal without the key", async () => {
    const { endpoint } = await server((response) =>
      json(response, { error: { message: "bad key secret" } }, 401),
    );
    const model = openModel({ ...settings, endpoint, apiKeyEnv: "KEY" }, { env: { KEY: "secret" } })!;
    const failure = await model.generate(request).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: "model-failed", message: expect.stringContaining("401") });
    expect((failure as Error).message).not.toContain("secret");
  });

  it("fails after the time limit, and at once if the request is cancelled", async () => {
    const { endpoint } = await server(() => {});
    const model = openModel({ ...settings, endpoint, timeoutMs: 50 }, { env: {} })!;
    await expect(model.generate(request)).rejects.toThrow(
      withCode("model-failed", { message: expect.stringContaining("model.timeoutMs") }),
    );
    const stop = new AbortController();
    const patient = openModel({ ...settings, endpoint }, { env: {} })!;
    const answer = patient.generate({ ...request, signal: stop.signal });
    stop.abort(new Error("called off"));
    await expect(answer).rejects.toThrow("called off");
  });
});

it("a model on an Anthropic server uses the server's protocol", async () => {
  const { endpoint, requests } = await server((response) => json(response, message("Hi.")));
  const model = openModel(
    { kind: "anthropic", name: "big", endpoint },
    { env: { ANTHROPIC_API_KEY: "secret" } },
  )!;
  expect(await model.generate(request)).toEqual({
    text: "Hi.",
    usage: { inputTokens: 200, outputTokens: 10 },
  });
  expect(requests[0]).toMatchObject({
    url: "/v1/messages",
    headers: { "x-api-key": "secret" },
    body: { model: "big", max_tokens: 50 },
  });
});

describe("openModel", () => {
  it("returns undefined for the kind none", () => {
    expect(openModel({ kind: "none" }, { env: {} })).toBeUndefined();
  });

  it.each([
    [{ kind: "openai-compatible", name: "x" }, "model-incomplete"],
    [{ kind: "anthropic" }, "model-incomplete"],
    [{ kind: "openai", name: "x" }, "model-key-missing"],
  ] as const)("refuses %j with %s", (incomplete, code) => {
    expect(() => openModel(incomplete, { env: {} })).toThrow(expect.objectContaining({ code }));
  });
});
