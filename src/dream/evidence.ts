// Owns what a dream can tell without a model: the report's shape, and which finder fills which part. Pure.
// Does not own the finders: the `evidence-*.ts` files do.

import type { SkillName } from "../model/name.ts";
import { findGaps } from "./evidence-gaps.ts";
import { findOverlaps } from "./evidence-overlaps.ts";
import { findPrefixes, findUnused } from "./evidence-shelf.ts";
import { recurringTerms } from "./evidence-terms.ts";
import { findAtRisk, findConflicts, findCoUse, findSparse } from "./evidence-use.ts";
import type { Material, PrefixKind } from "./material.ts";

export interface Term {
  readonly term: string;
  readonly sessions: readonly string[];
}

/** Requests that come again and again and that no skill answers. */
export interface Gap {
  /** Words that the messages share, the most telling first. */
  readonly topic: readonly string[];
  readonly messages: readonly string[];
  readonly sessions: readonly string[];
}

export interface Overlap {
  readonly a: SkillName;
  readonly b: SkillName;
  /** By words, between 0 and 1. */
  readonly words: number;
  /** By meaning, between 0 and 1; 0 when unknown. */
  readonly meaning: number;
  /** Sessions that used one of them. */
  readonly sessions: readonly string[];
}

export interface PrefixCluster {
  readonly prefix: string;
  readonly kind: PrefixKind;
  readonly members: readonly SkillName[];
  readonly guide?: SkillName;
}

export interface CoUsePair {
  readonly a: SkillName;
  readonly b: SkillName;
  readonly sessions: readonly string[];
}

export interface SparseSkill {
  readonly name: SkillName;
  readonly chars: number;
  readonly sessions: readonly string[];
}

export interface AtRiskSkill {
  readonly name: SkillName;
  readonly sessions: readonly string[];
  /** What was said about it, in the user's words. */
  readonly corrections: readonly string[];
  readonly ratings: readonly string[];
  /** Messages that it was used for and that ended badly. */
  readonly messages: readonly string[];
}

export interface UnusedSkill {
  readonly name: SkillName;
  /** 0 when never. */
  readonly lastUsedAt: number;
}

export interface Conflict {
  readonly a: SkillName;
  readonly b: SkillName;
  readonly messages: readonly string[];
  readonly sessions: readonly string[];
}

export interface Evidence {
  readonly sessions: number;
  readonly skills: number;
  readonly terms: readonly Term[];
  readonly gaps: readonly Gap[];
  readonly overlaps: readonly Overlap[];
  readonly prefixes: readonly PrefixCluster[];
  readonly coUse: readonly CoUsePair[];
  readonly sparse: readonly SparseSkill[];
  readonly atRisk: readonly AtRiskSkill[];
  readonly neverUsed: readonly UnusedSkill[];
  readonly idle: readonly UnusedSkill[];
  readonly conflicts: readonly Conflict[];
}

export function gatherEvidence(material: Material): Evidence {
  return {
    sessions: material.sessions.length,
    skills: material.skills.length,
    terms: recurringTerms(material.sessions),
    gaps: findGaps(material),
    overlaps: findOverlaps(material),
    prefixes: findPrefixes(material),
    coUse: findCoUse(material),
    sparse: findSparse(material),
    atRisk: findAtRisk(material),
    ...findUnused(material),
    conflicts: findConflicts(material),
  };
}
