// Keeps the index of a node in the shared library now and then, so that a new node begins with it instead of reading every skill.

import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { codeOf, isRepertoireError } from "../model/errors.ts";
import type { SharedVectors } from "../recall/recall.ts";
import { type SharedLibrary, unlessAway } from "./shared-library.ts";

/** What a node has read and indexed, as its files have it. */
export interface IndexFiles {
  readonly library: Uint8Array;
  readonly index: Uint8Array;
}

/** A new node reads so many skills itself, on top of what the index has, before the index is kept anew. */
const CHANGES_BEHIND = 200;

const LENGTH_BYTES = 4;
/** The index is most of it, and is packed already. */
const PACKING = { level: 1 };

/** Keeps the files, unless what is kept is young enough, or this node may not. Returns whether it did. */
export async function keepIndex(
  shared: SharedLibrary,
  { format, seq, files }: { format: string; seq: number; files: () => Promise<IndexFiles | undefined> },
): Promise<boolean> {
  const kept = await shared.snapshotSeq(format);
  if (kept !== undefined && seq - kept < CHANGES_BEHIND) return false;
  const found = await files();
  if (found === undefined) return false;
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(found.library.length);
  const bytes = await promisify(gzip)(Buffer.concat([length, found.library, found.index]), PACKING);
  try {
    await shared.keepSnapshot(format, { seq, bytes });
    return true;
  } catch (error) {
    // A reader's token keeps nothing.
    if (isRepertoireError(error) && error.code === "role-insufficient") return false;
    throw error;
  }
}

/** What a node kept; undefined if none did, or if it is damaged. */
export async function keptIndex(shared: SharedLibrary, format: string): Promise<IndexFiles | undefined> {
  const kept = await shared.snapshot(format);
  const bytes = kept && (await unpacked(kept.bytes));
  if (bytes === undefined || bytes.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + bytes.readUInt32LE();
  return { library: bytes.subarray(LENGTH_BYTES, end), index: bytes.subarray(end) };
}

/** The vectors that nodes share. A message waits for them no longer than this, and never for them to be kept. */
const PATIENCE_MS = 300;
/** So few are asked for while a message waits; more are asked for by a node that starts. */
const FEW = 100;
const LONGER_MS = 10_000;

/** Vectors that nodes made, for the encoder of this one. What the database does not give in time, this node makes itself. */
export function sharedVectors(
  library: Pick<SharedLibrary, "vectors" | "keepVectors">,
  onProblem: (error: unknown) => void,
): SharedVectors {
  return {
    async get(model, keys) {
      const asked = unlessAway(() => library.vectors(model, keys));
      const late = sleep(keys.length > FEW ? LONGER_MS : PATIENCE_MS, undefined, { ref: false });
      return (await Promise.race([asked, late])) ?? new Map();
    },
    async put(model, vectors) {
      if (vectors.size === 0) return;
      void unlessAway(() => library.keepVectors(model, vectors)).catch((error: unknown) => {
        // A reader's token keeps nothing.
        if (!isRepertoireError(error) || error.code !== "role-insufficient") onProblem(error);
      });
    },
  };
}

async function unpacked(bytes: Uint8Array): Promise<Buffer | undefined> {
  try {
    return await promisify(gunzip)(bytes);
  } catch (error) {
    if (codeOf(error).startsWith("Z_")) return undefined;
    throw error;
  }
}
