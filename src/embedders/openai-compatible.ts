// The embedder for a `/v1/embeddings` endpoint, with batches, a time limit, a cache and a fallback.

import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../disk/disk.ts";
import { codeOf, messageOf } from "../model/errors.ts";
import type { Embedder } from "../recall/recall.ts";
import { checksum } from "../search/search.ts";

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
  const { endpoint, model, dimensions, cacheFolder } = options;
  const cache = cacheFolder ? openVectorCache(cacheFolder, `${endpoint} ${model} ${dimensions}`) : undefined;
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

const VERSION = 1;
const DIGEST_BYTES = 32;
/** Version, dimensions, entries, checksum of the rest. */
const HEADER_WORDS = 4;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Opens the cache of a model's vectors: one file, keyed by the digest of the text. A damaged file is deleted. */
function openVectorCache(folder: string, model: string) {
  const path = join(folder, `${digestOf(model).slice(0, 16)}.vectors`);
  const vectors = readVectors(path);
  let changed = false;
  return {
    get: (text: string) => vectors.get(digestOf(text)),
    put(text: string, vector: Float32Array) {
      vectors.set(digestOf(text), vector);
      changed = true;
    },
    /** Writes new vectors to disk, atomically. */
    save() {
      if (!changed) return;
      for (const [digest, vector] of readVectors(path)) if (!vectors.has(digest)) vectors.set(digest, vector);
      writeFileAtomically(path, encode(vectors), { sync: false });
      changed = false;
    },
  };
}

function readVectors(path: string): Map<string, Float32Array> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return new Map();
    throw thrown;
  }
  const vectors = decode(bytes);
  if (!vectors) rmSync(path, { force: true });
  return vectors ?? new Map();
}

function encode(vectors: Map<string, Float32Array>): Uint8Array {
  const dimensions = vectors.values().next().value?.length ?? 0;
  const same = [...vectors].filter(([, vector]) => vector.length === dimensions);
  const entryBytes = DIGEST_BYTES + 4 * dimensions;
  const bytes = Buffer.alloc(4 * HEADER_WORDS + same.length * entryBytes);
  same.forEach(([digest, vector], i) => {
    const at = 4 * HEADER_WORDS + i * entryBytes;
    bytes.write(digest, at, "hex");
    for (let d = 0; d < dimensions; d++) bytes.writeFloatLE(vector[d]!, at + DIGEST_BYTES + 4 * d);
  });
  [VERSION, dimensions, same.length, checksum(bytes.subarray(4 * HEADER_WORDS))].forEach((word, i) => {
    bytes.writeUInt32LE(word, 4 * i);
  });
  return bytes;
}

function decode(bytes: Uint8Array): Map<string, Float32Array> | undefined {
  if (bytes.length < 4 * HEADER_WORDS) return undefined;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version, dimensions = 0, entries = 0, sum] = [0, 4, 8, 12].map((at) => view.readUInt32LE(at));
  const entryBytes = DIGEST_BYTES + 4 * dimensions;
  const body = view.subarray(4 * HEADER_WORDS);
  if (version !== VERSION || body.length !== entries * entryBytes || checksum(body) !== sum) return undefined;
  const vectors = new Map<string, Float32Array>();
  for (let i = 0; i < entries; i++) {
    const at = i * entryBytes;
    const vector = Float32Array.from({ length: dimensions }, (_, d) =>
      body.readFloatLE(at + DIGEST_BYTES + 4 * d),
    );
    vectors.set(body.toString("hex", at, at + DIGEST_BYTES), vector);
  }
  return vectors;
}
