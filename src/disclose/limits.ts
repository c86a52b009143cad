// The limits, default budgets and tool names of prompt sections, each with its reason.

import type { Budget, ContextMode, RecallOrder, Style } from "../model/turn.ts";
import { SPEC } from "../package/package.ts";

/** The budget of a section if the caller gives none. */
export const DEFAULT_BUDGETS: Readonly<Record<Style, Budget>> = {
  /** About one percent of a 200,000-token context: small enough to send with every turn. */
  adaptive: { tokens: 2_000 },
  /** Three cards of 100 to 130 tokens each. */
  cards: { tokens: 400 },
  /** Sent once per session, so it may be as large as a whole catalog. */
  index: { chars: 30_000 },
  /** Three bodies of 2,000 tokens, the most that a usual body has. */
  tiers: { tokens: 6_000 },
  /** Every skill with its location: as large as a whole catalog. */
  "on-demand": { chars: 30_000 },
  /** The usual limit of an XML catalog. */
  catalog: { chars: 30_000 },
};

export const DISCLOSE_LIMITS = {
  /** The longest description of the open spec; more would let one skill crowd out the others. */
  description: SPEC.descriptionChars,
  /** A brief fits one line of a terminal. */
  brief: 80,
  /** A learned skill's summary has up to 15 words. */
  summary: 120,
  /** Cards per turn: given more than three skills at once, a model follows none of them. */
  cards: 3,
  /** What a card takes: three in the default budget. */
  cardTokens: 130,
  /** Names in the per-turn line of the index, and as many see-also names. */
  namesPerTurn: 5,
  /** Reasons shown with a match: the two strongest explain it, more do not help a model. */
  reasons: 2,
  /** Characters of one reason; a note may quote a whole trigger phrase. */
  reason: 60,
  /** Words about a near skill: with its name about 15 tokens, enough to choose it. */
  nearWords: 6,
  /** From this evidence of the best match on, a model needs no choice, as long as the catalog names every skill. */
  certain: 0.8,
  /** Tools or triggers on a card's line: enough to recognize the skill. */
  cardItems: 6,
  /** Characters of one tool or trigger on a card. */
  cardItem: 40,
} as const;

/** How many matches a style requests from recall, if not recall's default. */
export const MATCHES_FOR: Readonly<Partial<Record<Style, number>>> = { index: DISCLOSE_LIMITS.namesPerTurn };

/** The index names everything that a found skill points to; other styles only what fits the message. */
export const SEE_ALSO_FOR: Readonly<Partial<Record<Style, "all">>> = { index: "all" };

/** What a host does with sections if nobody says so: they are a system prompt. The index is made to be sent once a session. */
export function usualContext(style: Style): ContextMode {
  return style === "index" ? "append" : "rebuild";
}

/** The order of matches in a style, if not by score. */
export const ORDER_FOR: Readonly<Partial<Record<Style, RecallOrder>>> = { tiers: "triggers" };

/** The styles that show instructions of the matches, as far as a person has agreed to them. */
export const SHOWS_BODIES: ReadonlySet<Style> = new Set(["cards", "tiers"]);

/** A catalog that cannot name all skills uses one part in this many for descriptions, the rest for names. */
export const DESCRIBED_PART = 3;

/** The part of an adaptive budget reserved for the turn's matches, used or not, so that the catalog stays the same. */
export const MATCH_RESERVE = {
  /** Room for three matches with description and reasons out of the default 2,000 tokens. */
  share: 0.3,
  /** With less, not even one described match fits. */
  minTokens: 120,
  /** Six described matches; the catalog needs the rest. */
  maxTokens: 600,
  /** In a tiny budget the catalog still gets half. */
  maxShare: 0.5,
} as const;

/** For budgets in characters. */
export const CHARS_PER_TOKEN = 4;
