// The ports that keep tasks, consents and trust.

import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";

/** A piece of work with its own consents, which end with it. */
export interface TaskRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly agent?: string | undefined;
}

/** A person's consent to one content of a skill in one task. */
export interface ConsentRecord {
  readonly task: string;
  readonly skill: SkillName;
  /** Digest of the whole package. */
  readonly digest: string;
  readonly at: number;
  /** SHA-256 of each file by path, so that a later question can name the changed files. */
  readonly files: Readonly<Record<string, string>>;
}

/** A person's permanent consent to one content of a skill. */
export interface TrustRecord {
  readonly digest: string;
  readonly skill: SkillName;
  readonly at: number;
  readonly source?: string;
}

export interface TaskStore {
  /** Returns the task with this id, and starts it if it is new. */
  start(task: TaskRecord): Awaitable<TaskRecord>;
  /** Tasks that have not ended, oldest first. */
  list(): Awaitable<readonly TaskRecord[]>;
  /** Ends the task and deletes its consents; returns whether there was one. */
  end(id: string): Awaitable<boolean>;
  /** Records a consent, which replaces the earlier one for the skill. */
  consent(consent: ConsentRecord): Awaitable<void>;
  consentFor(task: string, skill: SkillName): Awaitable<ConsentRecord | undefined>;
  consents(task: string): Awaitable<readonly ConsentRecord[]>;
}

export interface TrustStore {
  add(trust: TrustRecord): Awaitable<void>;
  has(digest: string): Awaitable<boolean>;
  list(): Awaitable<readonly TrustRecord[]>;
  /** Revokes trust by digest or skill name; returns how many records. */
  revoke(digestOrName: string): Awaitable<number>;
}
