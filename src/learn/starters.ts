// Owns what becomes of a starter that a host brings along: written once, followed while nobody has touched it, left
// alone once somebody has. Does not write: it decides, from the skill's history.

import type { SkillName } from "../model/name.ts";
import type { VersionRecord } from "./version-store.ts";

export interface Starter {
  readonly name: SkillName;
  /** Rises with each new text; only an untouched starter follows. */
  readonly version: string;
  /** A whole SKILL.md, or the bare procedure. */
  readonly content: string;
  readonly description?: string;
}

/** A part of the host that knows how its tools are used. */
export interface StarterProvider {
  readonly id: string;
  skills(): readonly Starter[] | Promise<readonly Starter[]>;
}

export type StarterFate = "seed" | "follow" | "current" | "edited" | "deleted" | "taken";

/** What to do with a starter, given its history (newest first) and what is on disk now. */
export function fateOf(
  starter: Starter,
  now: {
    readonly history: readonly VersionRecord[];
    readonly digestOnDisk: string | undefined;
    /** Another source has a skill of this name. */
    readonly elsewhere: boolean;
  },
): StarterFate {
  const [head] = now.history;
  if (head === undefined) return now.digestOnDisk === undefined && !now.elsewhere ? "seed" : "taken";
  if (!now.history.some(isSeeding)) return "taken";
  if (now.digestOnDisk === undefined) return "deleted";
  if (!isSeeding(head) || head.digest !== now.digestOnDisk) return "edited";
  return head.data?.starter === starter.version ? "current" : "follow";
}

export function starterAuthor(provider: StarterProvider): string {
  return `starter:${provider.id}`;
}

function isSeeding(version: VersionRecord): boolean {
  return version.author.startsWith("starter:");
}
