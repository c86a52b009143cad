// Owns what the library tells by itself: families of names without a guide, skills that nobody uses.

import { compareNames } from "../model/name.ts";
import type { PrefixCluster, UnusedSkill } from "./evidence.ts";
import { EVIDENCE } from "./limits.ts";
import { isNamespaced, type Material, prefixOf } from "./material.ts";

const GUIDE = "guide";

export function guideOf(prefix: string): string {
  return `${prefix}/${GUIDE}`;
}

export function isGuide(name: string): boolean {
  return name.endsWith(`/${GUIDE}`);
}

/** Prefixes with two members or more, guides not counted. A skill that is the prefix itself guides as well. */
export function findPrefixes({ skills, prefixes }: Material): PrefixCluster[] {
  const members = new Map<string, string[]>();
  const names = new Set(skills.map(({ name }) => name));
  for (const { name } of skills) {
    const prefix = prefixOf(name);
    if (prefix !== undefined && !isGuide(name)) members.set(prefix, [...(members.get(prefix) ?? []), name]);
  }
  return [...members]
    .filter(([, children]) => children.length >= 2)
    .map(([prefix, children]): PrefixCluster => {
      const guide = [guideOf(prefix), prefix].find((name) => names.has(name));
      return {
        prefix,
        kind: isNamespaced(prefixes, prefix) ? "namespaced" : "topical",
        members: children.sort(compareNames),
        ...(guide !== undefined && { guide }),
      };
    })
    .sort((a, b) => compareNames(a.prefix, b.prefix))
    .slice(0, EVIDENCE.items);
}

/** Learned skills without any use, and those whose last use is long ago. Skills of other sources are not ours to judge. */
export function findUnused({ skills, now }: Material): { neverUsed: UnusedSkill[]; idle: UnusedSkill[] } {
  const learned = skills.filter((skill) => skill.learned && !isGuide(skill.name));
  const toItem = ({ name, lastUsedAt }: UnusedSkill): UnusedSkill => ({ name, lastUsedAt });
  const oldestFirst = (a: UnusedSkill, b: UnusedSkill) =>
    a.lastUsedAt - b.lastUsedAt || compareNames(a.name, b.name);
  return {
    neverUsed: learned
      .filter(({ lastUsedAt, createdAt }) => lastUsedAt === 0 && now - createdAt > EVIDENCE.unusedAgeMs)
      .map(toItem)
      .sort(oldestFirst)
      .slice(0, EVIDENCE.items),
    idle: learned
      .filter(({ lastUsedAt }) => lastUsedAt > 0 && now - lastUsedAt > EVIDENCE.idleMs)
      .map(toItem)
      .sort(oldestFirst)
      .slice(0, EVIDENCE.items),
  };
}
