// The ports that keep versions, their bytes, and old names.

import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";

export interface VersionFile {
  readonly path: string;
  /** The blob that holds its bytes. */
  readonly sha256: string;
  readonly size: number;
  readonly executable?: boolean | undefined;
}

export const VERSION_ACTIONS = [
  "save",
  "delete",
  "rename",
  "restore",
  "undo",
  "redo",
  "pin",
  "unpin",
] as const;

export type VersionAction = (typeof VERSION_ACTIONS)[number];

/** One change of one skill, with the whole package as it was afterwards. */
export interface VersionRecord {
  readonly id: string;
  readonly name: SkillName;
  readonly action: VersionAction;
  readonly at: number;
  readonly author: string;
  readonly reason?: string | undefined;
  /** Changes that belong together and are undone together. */
  readonly batch?: string | undefined;
  /** The version that this one replaced. */
  readonly parent?: string | undefined;
  /** SHA-256 of the SKILL.md afterwards; absent after a delete. */
  readonly digest?: string | undefined;
  /** Empty after a delete. */
  readonly files: readonly VersionFile[];
  /** More facts of the action: where a renamed skill went, what an undo took back. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** An old name that leads to a new one. */
export interface RedirectRecord {
  readonly from: SkillName;
  readonly to: SkillName;
  readonly at: number;
  readonly reason?: string | undefined;
}

export interface VersionStore {
  /** Kept for good once this returns, together with what `blobs` holds. An id that is there already is left alone. */
  add(version: VersionRecord): Awaitable<void>;
  get(id: string): Awaitable<VersionRecord | undefined>;
  /** Newest first. */
  list(filter: {
    readonly name?: SkillName | undefined;
    readonly batch?: string | undefined;
    readonly limit?: number | undefined;
  }): Awaitable<readonly VersionRecord[]>;
  /** The newest version of every skill, by name. */
  heads(): Awaitable<readonly VersionRecord[]>;
}

/** Bytes by their SHA-256, each kept once. */
export interface BlobStore {
  /** Kept for good once this returns. */
  put(bytes: Uint8Array): Awaitable<string>;
  /** Undefined if the bytes are missing or damaged. */
  get(sha256: string): Awaitable<Uint8Array | undefined>;
}

export interface RedirectStore {
  put(redirect: RedirectRecord): Awaitable<void>;
  /** Where a name leads in the end; itself when nowhere. A circle ends where it closes. */
  resolve(name: SkillName): Awaitable<SkillName>;
  list(): Awaitable<readonly RedirectRecord[]>;
  remove(from: SkillName): Awaitable<boolean>;
}

/** The name that redirects lead to from `name`. A circle ends at the last name before it would close. */
export function followRedirects(
  name: SkillName,
  next: (from: SkillName) => SkillName | undefined,
): SkillName {
  const seen = new Set([name]);
  for (let current = name; ; ) {
    const target = next(current);
    if (target === undefined || seen.has(target)) return current;
    seen.add(target);
    current = target;
  }
}
