// Owns the numbers and tool names of disclosure, each with its why. Does not own how they are applied.

import type { Budget, Style } from "../model/turn.ts";
import { SPEC } from "../package/package.ts";

/** What a section may cost when the caller names no budget. */
export const DEFAULT_BUDGETS: Readonly<Record<Style, Budget>> = {
  /** About one percent of a 200,000-token context: small enough to send with every turn. */
  adaptive: { tokens: 2_000 },
  /** Three cards are to stay within 300 to 400 tokens. */
  cards: { tokens: 400 },
  /** Sent once a session, so it may be as large as a whole catalog. */
  index: { chars: 30_000 },
  /** Three bodies of up to 2,000 tokens, which is what a usual body has at most. */
  tiers: { tokens: 6_000 },
  /** Every skill with its location: as large as a whole catalog. */
  "on-demand": { chars: 30_000 },
  /** The cap that the XML catalog has always had. */
  catalog: { chars: 30_000 },
};

export const LIMITS = {
  /** The open spec's longest description; more would let one skill crowd out the rest. */
  description: SPEC.descriptionChars,
  /** A brief is one line of a terminal. */
  brief: 80,
  /** A learned skill's summary has up to 15 words. */
  summary: 120,
  /** Cards for a turn: more than three skills at once and a model follows none of them. */
  cards: 3,
  /** Names in the per-turn line of the index, and as many see-also names. */
  namesPerTurn: 5,
  /** Reasons shown with a match: the two strongest explain it, the rest is noise to a model. */
  reasons: 2,
  /** Characters of one reason; a note may quote a whole trigger phrase. */
  reason: 60,
  /** Tools or triggers on a card's line; enough to recognise the skill by. */
  cardItems: 6,
  /** Characters of one tool or trigger on a card. */
  cardItem: 40,
} as const;

/** How many matches a style asks recall for, where it shows another number of them than recall's own. */
export const MATCHES_FOR: Readonly<Partial<Record<Style, number>>> = { index: LIMITS.namesPerTurn };

/** One part in this many of a catalog that cannot name all: descriptions for the head, names for twice as much room. */
export const DESCRIBED_PART = 3;

/** The part of an adaptive budget that the catalog leaves to the turn's matches, used or not, so that it is stable. */
export const MATCH_RESERVE = {
  /** Room for three matches with description and reasons out of the default 2,000 tokens. */
  share: 0.3,
  /** Below this not even one described match fits. */
  minTokens: 120,
  /** Six described matches; more room would only starve the catalog. */
  maxTokens: 600,
  /** In a tiny budget the catalog still gets its half. */
  maxShare: 0.5,
  /** Tokens to characters for budgets in characters. */
  charsPerToken: 4,
} as const;

/** The agent tools that the text speaks of. */
export const TOOL = { activate: "activate_skill", recall: "recall_skills" } as const;
