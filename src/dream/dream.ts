// The front door of dream: what other rooms may use.

export type { Accepted, DeclinedProposal, NextUndo, UndoneChanges } from "./acceptance.ts";
export { PASSES, type Pass, type Refusal } from "./changes.ts";
export { isCorrection } from "./corrections.ts";
export { type DreamNeeds, type DreamResult, Dreams, type RunOptions } from "./dreams.ts";
export type {
  AtRiskSkill,
  Conflict,
  CoUsePair,
  DreamEvidence,
  Gap,
  Overlap,
  PrefixCluster,
  SparseSkill,
  Term,
  UnusedSkill,
} from "./evidence.ts";
export type { DreamAccount, FollowUp, OutcomeRate } from "./follow-up.ts";
export type { PrefixKind } from "./material.ts";
export type { NeglectedSkill } from "./neglected.ts";
export type { DreamPrompt } from "./prompts.ts";
export {
  fromRecord,
  inSessions,
  type MetaStore,
  type NewProposal,
  PROPOSAL_STATES,
  type ProposalDecision,
  type ProposalRecord,
  type ProposalState,
  type ProposalStore,
} from "./proposal.ts";
export type { DreamTurn } from "./sessions.ts";
export type { Declined } from "./staging.ts";
export type { PassReport } from "./think.ts";
export type { MovedMessage, OtherText, WhatIfReport } from "./what-if.ts";
