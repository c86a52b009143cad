// The ports that keep proposals and small facts between dreams.

import type { Awaitable } from "../model/awaitable.ts";

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

export type NewProposal = Omit<ProposalRecord, "number" | "state" | "decidedAt" | "note" | "batch">;

export interface ProposalDecision {
  readonly state: ProposalState;
  readonly at: number;
  readonly note?: string;
  readonly batch?: string;
}

export interface ProposalStore {
  add(proposal: NewProposal): Awaitable<ProposalRecord>;
  get(number: number): Awaitable<ProposalRecord | undefined>;
  list(filter?: {
    readonly state?: ProposalState;
    readonly changeHash?: string;
  }): Awaitable<readonly ProposalRecord[]>;
  /** Only an open proposal can be decided, and only once; nothing when it was not open. */
  decide(number: number, decision: ProposalDecision): Awaitable<ProposalRecord | undefined>;
}

/** Small facts by key, such as when the last dream ran. */
export interface MetaStore {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  remove(key: string): Awaitable<boolean>;
}
