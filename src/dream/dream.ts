// The front door of dream: what other rooms may use.

export {
  type DreamResult,
  Dreams,
  type Evidence,
  fromRecord,
  inSessions,
  PASSES,
  type Pass,
  type RunOptions,
} from "./dreams.ts";
export {
  type MetaStore,
  type NewProposal,
  PROPOSAL_STATES,
  type ProposalDecision,
  type ProposalRecord,
  type ProposalState,
  type ProposalStore,
} from "./proposal-store.ts";
