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

/** A learned skill's name and root. Without a root it is the home folder's, so that the home folder can move. */
export interface SkillPlace {
  readonly name: SkillName;
  readonly root?: string | undefined;
}

/** An old name that leads to a new one. */
export interface RedirectRecord {
  readonly from: SkillName;
  readonly to: SkillName;
  readonly at: number;
  readonly reason?: string | undefined;
}

/** A change that is under way: what its skills will be if it succeeds. */
export interface PendingChange {
  readonly id: string;
  readonly versions: readonly VersionRecord[];
}

/**
 * Versions, and the changes that make them. A change is begun, then made on disk, then committed: only a committed change
 * has versions. One that was begun and never committed has failed, whoever finds it.
 */
export interface VersionStore {
  /** Kept for good once this returns: the change is under way. */
  begin(change: PendingChange): Awaitable<void>;
  /** The moment from which the change counts, and outlives whatever happens. What has no such pending change is left alone. */
  commit(id: string): Awaitable<void>;
  /** The change was taken back on disk, or left nothing there. */
  abandon(id: string): Awaitable<void>;
  /** Changes that were begun and neither committed nor abandoned, oldest first. */
  pending(): Awaitable<readonly PendingChange[]>;
  /** Keeps a version of what is on disk already. An id that is there already is left alone. */
  add(version: VersionRecord): Awaitable<void>;
  get(id: string): Awaitable<VersionRecord | undefined>;
  /** Newest first. */
  list(filter: {
    /** Of this name, wherever the skill is. */
    readonly name?: SkillName | undefined;
    /** Of the skill at this place alone. */
    readonly place?: SkillPlace | undefined;
    readonly batch?: string | undefined;
    /** The id of a version: only those that are older than it. None if it is unknown. */
    readonly before?: string | undefined;
    readonly limit?: number | undefined;
  }): Awaitable<readonly VersionRecord[]>;
  /** The newest version of every skill at every place, by name; of one name if it is given. */
  heads(name?: SkillName): Awaitable<readonly VersionRecord[]>;
  /** The newest version of one skill. Costs the same however many versions there are. */
  head(place: SkillPlace): Awaitable<VersionRecord | undefined>;
  /** The same for many skills with one question. Absent where a question costs little. */
  headsAt?(places: readonly SkillPlace[]): Awaitable<readonly (VersionRecord | undefined)[]>;
  /** Whether a version waits on this machine for a database that is away. Absent in stores of one machine. */
  waits?(id: string): Awaitable<boolean>;
}

/** Bytes by their SHA-256, each kept once. */
export interface BlobStore {
  /** Kept for good once this returns. */
  put(bytes: Uint8Array): Awaitable<string>;
  /** The same for many, which wait for the disk together. */
  putAll(contents: readonly Uint8Array[]): Awaitable<readonly string[]>;
  /** Undefined if the bytes are missing or damaged. */
  get(sha256: string): Awaitable<Uint8Array | undefined>;
}

/** Old names. They follow from the versions: a skill that moved leaves one, a skill that exists needs none. */
export interface RedirectStore {
  /** Where a name leads in the end; itself when nowhere. A circle ends where it closes. */
  resolve(name: SkillName): Awaitable<SkillName>;
  list(): Awaitable<readonly RedirectRecord[]>;
}

export function placeOf({ name, data }: VersionRecord): SkillPlace {
  return typeof data?.root === "string" ? { name, root: data.root } : { name };
}

export function isSamePlace(a: SkillPlace, b: SkillPlace): boolean {
  return a.name === b.name && a.root === b.root;
}

/** What a version says about its skill's name: that it leads elsewhere from now on, or that it does not; else undefined. */
export function redirectAfter(version: VersionRecord): RedirectRecord | "none" | undefined {
  const { name, files, data, at, reason } = version;
  if (files.length > 0) return "none";
  return data?.to === undefined ? undefined : { from: name, to: data.to as SkillName, at, reason };
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
