// Owns the records that outlive a process: tasks, consents, trust, versions, redirects, proposals, said lines.
// Does not own what may be done with them: `activate/`, `learn/` and `dream/` do.

import type { SkillName } from "./name.ts";

/** A piece of work with its own consents; it ends, and they with it. */
export interface TaskRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly agent?: string;
  readonly title?: string;
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

export interface VersionFile {
  readonly path: string;
  /** The blob that holds its bytes. */
  readonly sha256: string;
  readonly size: number;
  readonly executable?: boolean;
}

export const VERSION_ACTIONS = ["save", "delete", "rename", "restore", "undo", "pin", "unpin"] as const;
export type VersionAction = (typeof VERSION_ACTIONS)[number];

/** One change of one skill, with the whole package as it was afterwards. */
export interface VersionRecord {
  readonly id: string;
  readonly name: SkillName;
  readonly action: VersionAction;
  readonly at: number;
  readonly author: string;
  readonly reason?: string;
  /** Changes that belong together and are undone together. */
  readonly batch?: string;
  /** The version that this one replaced. */
  readonly parent?: string;
  /** SHA-256 of the SKILL.md afterwards; absent after a delete. */
  readonly digest?: string;
  /** Empty after a delete. */
  readonly files: readonly VersionFile[];
  /** Where a renamed skill went, what an undo undid, and the like. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An old name that still leads somewhere. */
export interface RedirectRecord {
  readonly from: SkillName;
  readonly to: SkillName;
  readonly at: number;
  readonly reason?: string;
}

export const PROPOSAL_STATES = ["open", "accepted", "rejected", "stale"] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface ProposalRecord {
  /** Given by the store, counting from 1, for people to type. */
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly state: ProposalState;
  readonly at: number;
  /** Names what is proposed: the same change is recognised when it comes again. */
  readonly changeHash: string;
  /** Names what it was proposed for: when that changes, the proposal is stale. */
  readonly basisHash: string;
  readonly decidedAt?: number;
  readonly note?: string;
  /** The batch of versions that applied it. */
  readonly batch?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface SaidRecord {
  readonly session: string;
  readonly turn: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: number;
}
