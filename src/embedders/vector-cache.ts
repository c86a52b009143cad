// Caches the vectors of a remote model on disk: one file per model, keyed by the digest of the text.

import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import { checksum } from "../search/search.ts";

const VERSION = 1;
const DIGEST_BYTES = 32;
/** Version, dimensions, entries, checksum of the rest. */
const HEADER_WORDS = 4;

interface VectorCache {
  get(text: string): Float32Array | undefined;
  put(text: string, vector: Float32Array): void;
  /** Writes new vectors to disk, atomically. */
  save(): void;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Opens the cache of a model; a damaged file is deleted. */
export function openVectorCache(folder: string, model: string): VectorCache {
  const path = join(folder, `${digestOf(model).slice(0, 16)}.vectors`);
  const vectors = readVectors(path);
  let changed = false;
  return {
    get: (text) => vectors.get(digestOf(text)),
    put(text, vector) {
      vectors.set(digestOf(text), vector);
      changed = true;
    },
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
  const [version, dimensions, entries, sum] = [0, 4, 8, 12].map((at) => view.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
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
