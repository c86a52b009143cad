// Owns the data a dream works on: skills with their text, sessions with their turns. Does not own reading them from a
// store (`dreams-material.ts`) or what they tell (`evidence.ts`).

import type { Rating } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";

export interface DreamSkill {
  readonly name: SkillName;
  readonly description: string;
  readonly summary: string;
  readonly body: string;
  readonly digest: string;
  readonly seeAlso: readonly SkillName[];
  /** Support files, SKILL.md left out. */
  readonly files: readonly string[];
  /** Learned, unpinned and made by an agent: only these may be changed. */
  readonly editable: boolean;
  /** Why it may not be changed. */
  readonly kept?: string;
  readonly learned: boolean;
  readonly createdAt: number;
  /** 0 when never used. */
  readonly lastUsedAt: number;
  /** Messages from its own `evals/` that must lead to it. */
  readonly queries: readonly string[];
  /** Meaning of the description, where an embedder is there. */
  readonly vector?: Float32Array;
}

export interface DreamTurn {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  readonly message: string;
  /** Undefined when the host did not say; empty when the message recalled none. */
  readonly recalled: readonly SkillName[] | undefined;
  readonly used: readonly SkillName[];
  readonly failed: readonly SkillName[];
  readonly corrections: readonly string[];
  /** A failure or a correction was recorded for it. */
  readonly endedBadly: boolean;
}

export interface DreamSession {
  readonly id: string;
  readonly at: number;
  readonly turns: readonly DreamTurn[];
  readonly used: readonly SkillName[];
  readonly corrections: readonly string[];
  readonly rating?: Rating;
}

export const PREFIX_KINDS = ["namespaced", "topical"] as const;
/** Namespaced: each child is bound to its own server, so none is ever merged. */
export type PrefixKind = (typeof PREFIX_KINDS)[number];

export interface Material {
  readonly now: number;
  readonly skills: readonly DreamSkill[];
  readonly sessions: readonly DreamSession[];
  /** Prefixes that a person declared; all others are topical. */
  readonly prefixes: Readonly<Record<string, PrefixKind>>;
  /** Old names that lead elsewhere: none of them can become a new skill. */
  readonly redirects: ReadonlyMap<SkillName, SkillName>;
  /** Meaning of messages, where an embedder is there. */
  readonly meaning: ReadonlyMap<string, Float32Array>;
  /** False when a skill that came after the message now answers it: that gap is closed. */
  readonly isUnmet: (turn: DreamTurn) => boolean;
}

export function prefixOf(name: SkillName): string | undefined {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? undefined : name.slice(0, slash);
}

/** Whether the prefix, or one above it, was declared namespaced. */
export function isNamespaced(prefixes: Material["prefixes"], prefix: string | undefined): boolean {
  for (let at = prefix; at !== undefined; at = prefixOf(at))
    if (Object.hasOwn(prefixes, at)) return prefixes[at] === "namespaced";
  return false;
}
