// Adds skills that a match points to, that the session has not seen, and that fit the message themselves.

import { lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match } from "../model/turn.ts";
import type { RecallIndex } from "./recall-index.ts";

interface Origin {
  readonly skill: Skill;
  /** Its evidence. */
  readonly fit: number;
  readonly score: number;
}

/** The skills that `origins` point to, best first, each once, at most `limit`, if their own fit is at least `least`. */
export function seeAlso(
  origins: readonly Origin[],
  options: {
    readonly index: RecallIndex;
    readonly isVisible: (skill: Skill) => boolean;
    readonly seen: ReadonlySet<SkillName>;
    readonly limit: number;
    /** How well a skill fits the message by itself. */
    readonly fitOf: (doc: number) => number;
    readonly least: number;
    readonly links?: Readonly<Record<SkillName, readonly SkillName[]>> | undefined;
  },
): Match[] {
  const taken = new Set(origins.map(({ skill }) => skill.name));
  const found: Match[] = [];
  const lowest = Math.min(...origins.map(({ score }) => score));
  for (const { skill: origin, fit: fitOfOrigin } of origins) {
    for (const spelling of [...origin.manifest.seeAlso, ...(options.links?.[origin.name] ?? [])]) {
      const doc = options.index.find(lookupKey(spelling));
      if (doc === undefined || found.length >= options.limit) continue;
      const skill = options.index.skill(doc);
      if (taken.has(skill.name) || options.seen.has(skill.name) || !options.isVisible(skill)) continue;
      taken.add(skill.name);
      const fit = options.fitOf(doc);
      if (fit < options.least) continue;
      // At most half the evidence of the origin and the score of any match, so that it never comes before one.
      const own = Math.floor(Math.min(fit, fitOfOrigin / 2, lowest) * 1000) / 1000;
      found.push({
        name: skill.name,
        score: own,
        evidence: own,
        boosts: 0,
        reasons: [{ signal: "see-also", value: own, note: `${origin.name} points to it` }],
        via: origin.name,
      });
    }
  }
  return found.sort((a, b) => b.score - a.score);
}
