// The ports that keep tasks, consents and trust.

import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";

/** A piece of work with its own consents; it ends, and they with it. */
export interface TaskRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly agent?: string;
}

/** A person's yes to one content of a skill, within one task. */
export interface ConsentRecord {
  readonly task: string;
  readonly skill: SkillName;
  /** Digest of the whole package. */
  readonly digest: string;
  readonly at: number;
  /** SHA-256 by path at the time, so that a later question can name the files that changed. */
  readonly files: Readonly<Record<string, string>>;
}

/** A person's lasting yes to one content of a skill. */
export interface TrustRecord {
  readonly digest: string;
  readonly skill: SkillName;
  readonly at: number;
  readonly source?: string;
}

export interface TaskStore {
  /** The task, started now when it is new. */
  start(task: TaskRecord): Awaitable<TaskRecord>;
  /** Tasks that have not ended, oldest first. */
  list(): Awaitable<readonly TaskRecord[]>;
  /** Ends the task and forgets its consents; says whether there was one. */
  end(id: string): Awaitable<boolean>;
  /** The latest consent for a skill replaces the earlier one. */
  consent(consent: ConsentRecord): Awaitable<void>;
  consentFor(task: string, skill: SkillName): Awaitable<ConsentRecord | undefined>;
  consents(task: string): Awaitable<readonly ConsentRecord[]>;
}

export interface TrustStore {
  add(trust: TrustRecord): Awaitable<void>;
  has(digest: string): Awaitable<boolean>;
  list(): Awaitable<readonly TrustRecord[]>;
  /** By digest or by skill name; returns how many were withdrawn. */
  revoke(digestOrName: string): Awaitable<number>;
}
