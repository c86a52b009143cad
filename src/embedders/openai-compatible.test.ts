import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Embedder } from "../recall/embedder.ts";
import { createRemoteEmbedder, type RemoteOptions } from "./openai-compatible.ts";

type Reply = (input: string[]) => { status?: number; body?: unknown; hang?: boolean };

const vectorFor = (text: string): number[] => [text.length, 1, 0];
const honest: Reply = (input) => ({
  body: { data: input.map((text, index) => ({ index, embedding: vectorFor(text) })).reverse() },
});
const fallback: Embedder = {
  id: "fallback",
  dimensions: 2,
  embed: (texts) => texts.map(() => Float32Array.of(0, 1)),
};

let server: Server;
let folder: string;
let reply: Reply;
let requests: { input: string[]; model: string; key: string | undefined; url: string | undefined }[];
let warnings: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "remote-embedder-"));
  reply = honest;
  requests = [];
  warnings = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { input, model } = JSON.parse(text);
      requests.push({ input, model, key: request.headers.authorization, url: request.url });
      const { status = 200, body, hang } = reply(input);
      if (hang) return;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const open = (options: Partial<RemoteOptions> = {}): Embedder =>
  createRemoteEmbedder({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    model: "test-model",
    dimensions: 3,
    apiKey: "key",
    cacheFolder: folder,
    fallback,
    warning: (message) => warnings.push(message),
    ...options,
  });

describe("the remote embedder", () => {
  test("returns unit vectors in the order of the texts, for any order of the reply", async () => {
    const [one, other] = await open().embed(["abc", "a"]);
    expect(one![0]! / one![1]!).toBeCloseTo(3);
    expect(other![0]! / other![1]!).toBeCloseTo(1);
    expect(Math.hypot(...one!)).toBeCloseTo(1);
    expect(requests[0]).toMatchObject({ model: "test-model", key: "Bearer key", url: "/v1/embeddings" });
  });

  test("requests distinct texts in batches, without blank texts", async () => {
    const texts = [...Array.from({ length: 100 }, (_, i) => `text ${i}`), "text 0", "  "];
    const vectors = await open().embed(texts);
    expect(requests.map((request) => request.input.length)).toEqual([64, 36]);
    expect(vectors).toHaveLength(102);
    expect(vectors[101]).toEqual(new Float32Array(3));
  });

  test("does not request texts that are in the cache file", async () => {
    const first = await open().embed(["abc"]);
    const second = await open().embed(["abc", "new"]);
    expect(second[0]).toEqual(first[0]);
    expect(requests.map((request) => request.input)).toEqual([["abc"], ["new"]]);
  });

  test("keeps one cache file per model", async () => {
    await open().embed(["abc"]);
    await open({ model: "another" }).embed(["abc"]);
    expect(requests).toHaveLength(2);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("replaces a damaged cache file", async () => {
    await open().embed(["abc"]);
    writeFileSync(join(folder, readdirSync(folder)[0]!), "garbage that is longer than a header");
    await open().embed(["abc"]);
    await open().embed(["abc"]);
    expect(requests).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  test("sends well-formed text", async () => {
    await open().embed(["half \ud800 pair"]);
    expect(requests[0]!.input).toEqual(["half \ufffd pair"]);
  });
});

describe("an endpoint failure", () => {
  /** The time limit of the first request, controlled by the test instead of the clock. */
  let limit: AbortController;

  beforeEach(() => {
    limit = new AbortController();
    const spy = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(limit.signal);
    onTestFinished(() => spy.mockRestore());
  });

  test.each<[string, Reply]>([
    ["an error status", () => ({ status: 500 })],
    ["too few embeddings", () => ({ body: { data: [] } })],
    ["embeddings of another size", () => ({ body: { data: [{ index: 0, embedding: [1] }] } })],
    ["something that is not a number", () => ({ body: { data: [{ index: 0, embedding: [1, "x", 0] }] } })],
    [
      "no answer in time",
      () => {
        limit.abort(new DOMException("too late", "TimeoutError"));
        return { hang: true };
      },
    ],
  ])("with %s switches to the fallback permanently, with one warning", async (_, failing) => {
    reply = failing;
    const embedder = open({ timeoutMs: 1_234 });
    expect(embedder.id).toBe("openai-compatible-test-model-3");
    expect(await embedder.embed(["abc"])).toEqual([Float32Array.of(0, 1)]);
    reply = honest;
    expect(await embedder.embed(["abc"])).toEqual([Float32Array.of(0, 1)]);
    expect(embedder).toMatchObject({ id: "fallback", dimensions: 2 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"fallback"');
    expect(requests).toHaveLength(1);
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(1_234);
  });
});
