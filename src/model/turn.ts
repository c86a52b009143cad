// A turn and its results: matches with their reasons, and the section for the prompt.

import type { Frame } from "./frame.ts";
import type { SkillName } from "./name.ts";

/** What one signal contributes to a score, with a note for people. */
export interface Reason {
  readonly signal: string;
  readonly value: number;
  readonly note: string;
  /** Set if the value is added to the evidence: it changes the order, but recalls nothing by itself. */
  readonly boost?: true | undefined;
}

/** The parts of a score. Each has three decimals, and they add up to the last digit. */
export interface Scored {
  /** Evidence and boosts together. A list of matches is in this order, unless the order of triggers is asked for. */
  readonly score: number;
  /** 0 to 1, compared with the threshold: the sum of the reasons that are not boosts. */
  readonly evidence: number;
  /** The sum of the boosts: the frame, failures, and being named. */
  readonly boosts: number;
  /** Evidence first, then boosts, each with the largest first. */
  readonly reasons: readonly Reason[];
}

/** A skill recalled for a turn. */
export interface Match extends Scored {
  readonly name: SkillName;
  /** The skill whose see-also added this one. */
  readonly via?: SkillName | undefined;
  /** Set if the message names the skill and means it. */
  readonly named?: boolean | undefined;
  /** Near-duplicates that this match replaces. */
  readonly duplicates?: readonly SkillName[] | undefined;
}

/** A skill that came close for a turn: a model may choose it, but it is not recommended. */
export interface NearSkill {
  readonly name: SkillName;
  readonly score: number;
}

/** One user message in one session. */
export interface Turn {
  /** The host's id of the message; reveals a repeated event. */
  readonly id?: string | undefined;
  readonly message: string;
  readonly session?: string | undefined;
  /** The host of the message, for the journal; the engine's host by default. */
  readonly host?: string | undefined;
  readonly frame?: Frame | undefined;
  /** Files that are open in the host. */
  readonly files?: readonly string[] | undefined;
}

export const STYLES = ["adaptive", "cards", "index", "tiers", "on-demand", "catalog"] as const;
export type Style = (typeof STYLES)[number];

/**
 * What a host does with sections. `append`: they stay in the agent's context, so that nothing is shown twice. `rebuild`: each
 * replaces the one before, as in a system prompt, so that what still matters is shown again.
 */
export const CONTEXTS = ["append", "rebuild"] as const;
export type ContextMode = (typeof CONTEXTS)[number];

/** The order of matches. `triggers`: what the message names, then exact phrases, then recent use, then the score. */
export const RECALL_ORDERS = ["score", "triggers"] as const;
export type RecallOrder = (typeof RECALL_ORDERS)[number];

/** How much of a skill a section shows. */
export type ShownLevel = "body" | "card" | "full" | "short" | "name";

/** The text for the prompt and what it contains. */
export interface Section {
  readonly text: string;
  readonly style: Style;
  readonly tokens: number;
  readonly chars: number;
  /** How many characters at its beginning are the same at every turn as long as the library is; 0 if none are known to be. */
  readonly stableChars: number;
  readonly shown: readonly { readonly name: SkillName; readonly level: ShownLevel }[];
  /** The number of visible skills that the text does not name. */
  readonly omitted: number;
}

/** Limits on a section; both apply. */
export interface Budget {
  readonly tokens?: number | undefined;
  readonly chars?: number | undefined;
}
