// Owns finding skills that say the same. Does not decide what becomes of them.

import { compareNames, type SkillName } from "../model/name.ts";
import type { Overlap } from "./evidence.ts";
import { EVIDENCE, SIMILARITY } from "./limits.ts";
import { type DreamSkill, isNamespaced, type Material, prefixOf } from "./material.ts";
import { alikePairs, bagsOf, nearness } from "./similarity.ts";

/** The most alike first. Children of a namespaced prefix are alike by design and are not compared. */
export function findOverlaps(material: Material): Overlap[] {
  const skills = [...material.skills]
    .filter(({ name }) => !isNamespaced(material.prefixes, prefixOf(name)))
    .sort((a, b) => Number(b.editable) - Number(a.editable) || compareNames(a.name, b.name))
    .slice(0, EVIDENCE.skills);
  const bags = bagsOf(skills.map(textOf));
  const found: Overlap[] = [];
  for (const pair of alikePairs(bags, SIMILARITY.skill)) {
    const [x, y] = [skills[pair.a]!, skills[pair.b]!];
    const meaning = nearness(x.vector, y.vector);
    if (x.vector && y.vector && meaning < SIMILARITY.skillMeaning) continue;
    const [a, b] = [x.name, y.name].sort(compareNames) as [SkillName, SkillName];
    const sessions = usedIn(material, [a, b]);
    found.push({ a, b, words: round(pair.value), meaning: round(meaning), sessions });
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
