// Owns what one turn brings forth: matches with their reasons, and the section shown to the model.
// Does not own how they are made: `recall/` and `disclose/` do.

import type { Frame } from "./frame.ts";
import type { SkillName } from "./name.ts";

/** One signal's share in a score, in words that a person understands. */
export interface Reason {
  readonly signal: string;
  readonly value: number;
  readonly note: string;
}

/** A skill recalled for a turn. */
export interface Match {
  readonly name: SkillName;
  readonly score: number;
  readonly reasons: readonly Reason[];
  /** Set when the skill came along with another one (see-also). */
  readonly via?: SkillName;
  /** Near-duplicates that this match stands for. */
  readonly duplicates?: readonly SkillName[];
}

/** One user message in one session. */
export interface Turn {
  /** The host's own id of the message, so that a repeated event is known. */
  readonly id?: string | undefined;
  readonly message: string;
  readonly session?: string | undefined;
  /** Who brings the message, for the journal; the engine's own host unless given. */
  readonly host?: string | undefined;
  readonly frame?: Frame | undefined;
  /** Files that the host says are open. */
  readonly files?: readonly string[] | undefined;
}

export const STYLES = ["adaptive", "cards", "index", "tiers", "on-demand", "catalog"] as const;
export type Style = (typeof STYLES)[number];

/** How much of a skill a section shows. */
export type ShownLevel = "body" | "card" | "full" | "short" | "name";

/** The text that goes into the prompt, and an account of what is in it. */
export interface Section {
  readonly text: string;
  readonly style: Style;
  readonly tokens: number;
  readonly chars: number;
  readonly shown: readonly { readonly name: SkillName; readonly level: ShownLevel }[];
  /** How many visible skills the text does not name. */
  readonly omitted: number;
}

/** A limit on a section. With both, the tighter one holds. */
export interface Budget {
  readonly tokens?: number;
  readonly chars?: number;
}
