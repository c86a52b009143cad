// The embedder for a `/v1/embeddings` endpoint, with batches, a time limit, a cache and a fallback.

import { messageOf } from "../model/errors.ts";
import type { Embedder } from "../recall/recall.ts";
import { openVectorCache } from "./vector-cache.ts";

export interface RemoteOptions {
  /** The address up to and including `/v1`. */
  endpoint: string;
  model: string;
  dimensions: number;
  apiKey?: string | undefined;
  /** Without a folder, vectors are not cached. */
  cacheFolder?: string | undefined;
  timeoutMs?: number | undefined;
  fallback: Embedder;
  warning: (message: string) => void;
}

const LIMITS = {
  /** Texts per request: all known servers accept this many. */
  batch: 64,
  /** Characters per text: about 8,000 tokens, the smallest context window of current embedding models. */
  characters: 24_000,
  /** A turn waits for recall; the local table is better than a slower endpoint. */
  timeoutMs: 4_000,
} as const;

/** After the first failure, all calls use the fallback, so that vectors of two models are never mixed. */
export function createRemoteEmbedder(options: RemoteOptions): Embedder {
  const cache = options.cacheFolder ? openVectorCache(options.cacheFolder, cacheKey(options)) : undefined;
  let fallenBack = false;
  const current = () => (fallenBack ? options.fallback : undefined);
  return {
    get id() {
      return current()?.id ?? `openai-compatible-${options.model}-${options.dimensions}`;
    },
    get dimensions() {
      return current()?.dimensions ?? options.dimensions;
    },
    async embed(texts) {
      if (fallenBack) return options.fallback.embed(texts);
      const heads = texts.map((text) => wellFormed(text.slice(0, LIMITS.characters)));
      const known = new Map<string, Float32Array>();
      for (const text of heads) {
        const vector = text.trim() === "" ? new Float32Array(options.dimensions) : cache?.get(text);
        if (vector) known.set(text, vector);
      }
      const missing = [...new Set(heads)].filter((text) => !known.has(text));
      try {
        for (let at = 0; at < missing.length; at += LIMITS.batch) {
          const batch = missing.slice(at, at + LIMITS.batch);
          const vectors = await request(options, batch);
          batch.forEach((text, i) => {
            known.set(text, vectors[i]!);
            cache?.put(text, vectors[i]!);
          });
        }
        cache?.save();
      } catch (thrown) {
        fallenBack = true;
        options.warning(
          `Embeddings from ${options.endpoint} failed (${messageOf(thrown)}); using "${options.fallback.id}" from now on. ` +
            "Check the address, the model's name and the key.",
        );
        return options.fallback.embed(texts);
      }
      return heads.map((text) => known.get(text)!);
    },
  };
}

/** JSON is sent as UTF-8, so a lone surrogate becomes the replacement character. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const cacheKey = (options: RemoteOptions): string =>
  `${options.endpoint} ${options.model} ${options.dimensions}`;

async function request(options: RemoteOptions, input: string[]): Promise<Float32Array[]> {
  const response = await fetch(`${options.endpoint.replace(/\/+$/, "")}/embeddings`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    },
    body: JSON.stringify({ model: options.model, input, encoding_format: "float" }),
    signal: AbortSignal.timeout(options.timeoutMs ?? LIMITS.timeoutMs),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return vectorsOf(await response.json(), input.length, options.dimensions);
}

function vectorsOf(reply: unknown, count: number, dimensions: number): Float32Array[] {
  const data = (reply as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count)
    throw new Error(`the reply does not contain ${count} embeddings`);
  const vectors: Float32Array[] = [];
  data.forEach((entry: { index?: unknown; embedding?: unknown } | null, position) => {
    const index = typeof entry?.index === "number" ? entry.index : position;
    vectors[index] = unitVector(entry?.embedding, dimensions);
  });
  if (Object.keys(vectors).length !== count) throw new Error("the indexes in the reply repeat or have gaps");
  return vectors;
}

function unitVector(values: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(values) || values.length !== dimensions) {
    throw new Error(`an embedding is not a list of ${dimensions} numbers`);
  }
  const length = Math.hypot(...values);
  if (!Number.isFinite(length)) throw new Error("an embedding contains a value that is not a number");
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
}
