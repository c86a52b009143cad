// The port to a library that many nodes share: versions in the order in which they were committed, and their bytes.

import type { VersionRecord } from "../learn/learn.ts";
import { isRepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";

/** A part of the shared library that a node may read: its own scope, or the organisation's above it. */
export interface SharedScope {
  readonly id: number;
  /** `organisation` or `organisation/project`. */
  readonly name: string;
  /** Whether this node's changes go there. */
  readonly isOwn: boolean;
}

/** One line of the log of changes. */
interface SharedChange {
  readonly seq: number;
  /** The version that a skill of all nodes got; undefined for any other change. */
  readonly version?: VersionRecord | undefined;
}

/** Where an index was, when it was kept for new nodes. */
interface SharedSnapshot {
  /** The last change that it has. */
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A subscription to changes. */
export interface Subscription {
  /** Whether news still come through; a connection may be dead, or behind a pool that passes none on. */
  isAlive(): Promise<boolean>;
  close(): Promise<void>;
}

export interface SharedLibrary {
  /** The address without secrets. */
  readonly server: string;
  /** The organisation's scope before the project's. */
  scopes(): Promise<readonly SharedScope[]>;
  /** The number of the last change; 0 before the first. */
  lastChange(scope: number): Promise<number>;
  /** The changes behind a number, in order, at most so many. */
  changes(scope: number, after: number, limit: number): Promise<readonly SharedChange[]>;
  /** The newest version of every skill that nodes share, deleted ones too; of these names alone if they are given. */
  heads(scope: number, names?: readonly SkillName[]): Promise<readonly VersionRecord[]>;
  /** All versions of a skill, newest first. */
  history(scope: number, name: SkillName): Promise<readonly VersionRecord[]>;
  /** Bytes by their SHA-256; without those that are missing or of others. */
  bytes(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Calls back at every change, and when some may have been missed. */
  subscribe(onChange: () => void): Promise<Subscription>;
  /** What a node kept last under this name. */
  snapshot(format: string): Promise<SharedSnapshot | undefined>;
  /** The last change that it has; undefined if there is none. */
  snapshotSeq(format: string): Promise<number | undefined>;
  /** Keeps it, unless a later one is there. */
  keepSnapshot(format: string, snapshot: SharedSnapshot): Promise<void>;
  /** Vectors of skills that nodes of the scope made, by the encoder's id and the key of the content. */
  vectors(model: string, keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  keepVectors(model: string, vectors: ReadonlyMap<string, Uint8Array>): Promise<void>;
  close(): Promise<void>;
}

export function isDatabaseAway(error: unknown): boolean {
  return isRepertoireError(error) && error.code === "database-away";
}

/** Runs the work; undefined if it fails because the database is away. */
export async function unlessAway<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseAway(error)) return undefined;
    throw error;
  }
}
