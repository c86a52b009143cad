// Owns finding skills that say the same. Does not decide what becomes of them.

import { compareNames, type SkillName } from "../model/name.ts";
import type { Overlap } from "./evidence.ts";
import { EVIDENCE, SIMILARITY } from "./limits.ts";
import { type DreamSkill, isNamespaced, type Material, prefixOf } from "./material.ts";
import { bagsOf, likeness, nearness } from "./similarity.ts";

/** The most alike first. Children of a namespaced prefix are alike by design and are not compared. */
export function findOverlaps(material: Material): Overlap[] {
  const skills = [...material.skills]
    .filter(({ name }) => !isNamespaced(material.prefixes, prefixOf(name)))
    .sort((a, b) => Number(b.editable) - Number(a.editable) || compareNames(a.name, b.name))
    .slice(0, EVIDENCE.skills);
  const bags = bagsOf(skills.map(textOf));
  const found: Overlap[] = [];
  for (const [at, a] of skills.entries()) {
    for (let other = at + 1; other < skills.length; other++) {
      const b = skills[other]!;
      const words = likeness(bags[at]!, bags[other]!);
      if (words < SIMILARITY.skill) continue;
      const meaning = nearness(a.vector, b.vector);
      if (a.vector && b.vector && meaning < SIMILARITY.skillMeaning) continue;
      const [first, second] = [a.name, b.name].sort(compareNames) as [SkillName, SkillName];
      found.push({
        a: first,
        b: second,
        words: round(words),
        meaning: round(meaning),
        sessions: usedIn(material, [first, second]),
      });
    }
  }
  return found.sort((a, b) => b.words - a.words || compareNames(a.a, b.a)).slice(0, EVIDENCE.items);
}

function textOf({ name, description, body }: DreamSkill): string {
  return `${name.replace(/[/-]/g, " ")}\n${description}\n${body}`;
}

function usedIn({ sessions }: Material, names: readonly SkillName[]): string[] {
  return sessions.filter(({ used }) => used.some((name) => names.includes(name))).map(({ id }) => id);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
