// Suggests changes without a model: links between skills used together, guides as skeletons, archives of what another
// skill says already. Guard and gate judge them like a model's plan.

import { compareNames, type SkillName } from "../model/name.ts";
import { forLine } from "../text/escape.ts";
import { firstSentence } from "../text/markdown.ts";
import type { DreamChange } from "./changes.ts";
import { coverageOf } from "./coverage.ts";
import type { DreamEvidence, PrefixCluster } from "./evidence.ts";
import { GUARD } from "./limits.ts";
import { type DreamSkill, guideOf } from "./material.ts";

type Skills = ReadonlyMap<SkillName, DreamSkill>;

/** Archives first, because they change what else makes sense; a skill that goes gets no link. */
export function suggest(evidence: DreamEvidence, skills: Skills): DreamChange[] {
  const archives = archivesFrom(evidence, skills);
  const gone = new Set(archives.flatMap((change) => change.archives.map(({ name }) => name)));
  return [...archives, ...guidesFrom(evidence, skills), ...linksFrom(evidence, skills, gone)];
}

/** See-also for skills that sessions use together: one change per skill. */
function linksFrom({ coUse }: DreamEvidence, skills: Skills, gone: ReadonlySet<SkillName>): DreamChange[] {
  const company = new Map<SkillName, SkillName[]>();
  for (const { a, b } of coUse) {
    if (gone.has(a) || gone.has(b)) continue;
    company.set(a, [...(company.get(a) ?? []), b]);
    company.set(b, [...(company.get(b) ?? []), a]);
  }
  return [...company].flatMap(([name, others]): DreamChange[] => {
    const skill = skills.get(name);
    const added = others.filter((other) => !skill?.seeAlso.includes(other));
    if (!skill?.editable || added.length === 0) return [];
    const seeAlso = [...skill.seeAlso, ...added].slice(0, GUARD.seeAlso);
    return [{ kind: "link", pass: "consolidate", save: { name, body: skill.body, seeAlso }, archives: [] }];
  });
}

/** A page that says which member is for what, in the members' own words. */
function guidesFrom({ prefixes }: DreamEvidence, skills: Skills): DreamChange[] {
  return prefixes
    .filter(
      ({ guide, kind, members }) =>
        guide === undefined && kind === "topical" && members.some((name) => skills.get(name)?.learned),
    )
    .map(
      (cluster): DreamChange => ({
        kind: "guide",
        pass: "consolidate",
        save: guideFor(cluster, skills),
        archives: [],
      }),
    );
}

function guideFor({ prefix, members }: PrefixCluster, skills: Skills) {
  const title = prefix.replace(/[/-]/g, " ");
  const lines = members.map(
    (name) => `- **${name}**: ${forLine(firstSentence(skills.get(name)!.description, 160))}`,
  );
  const body = `# Which ${title} skill to use\n\nChoose one of these, then load it and follow it. This page only helps to choose.\n\n${lines.join("\n")}\n\nWhen two fit, take the more specific one. When none fits, say so instead of forcing one.\n`;
  return {
    name: guideOf(prefix),
    body,
    description: `Chooses between the ${title} skills (${members.map(shortName).join(", ")}). Use when it is unclear which of them fits.`,
    summary: `Which ${title} skill to use when`,
    seeAlso: members.slice(0, GUARD.seeAlso),
  };
}

function shortName(name: SkillName): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Of two skills that say the same, the one whose every fact the other has, the less used one first. */
function archivesFrom({ overlaps }: DreamEvidence, skills: Skills): DreamChange[] {
  const gone = new Set<SkillName>();
  const changes: DreamChange[] = [];
  for (const { a, b } of overlaps) {
    const pair = [skills.get(a), skills.get(b)].filter((skill) => skill !== undefined);
    if (pair.length < 2 || gone.has(a) || gone.has(b)) continue;
    const found = bothWays(pair as [DreamSkill, DreamSkill]).find(
      ({ skill, into }) => skill.editable && isSaidBy(skill, into),
    );
    if (!found) continue;
    gone.add(found.skill.name);
    changes.push({
      kind: "archive",
      pass: "consolidate",
      archives: [{ name: found.skill.name, into: found.into.name }],
    });
  }
  return changes;
}

function bothWays([a, b]: [DreamSkill, DreamSkill]): { skill: DreamSkill; into: DreamSkill }[] {
  const [less, more] =
    a.lastUsedAt < b.lastUsedAt || (a.lastUsedAt === b.lastUsedAt && compareNames(a.name, b.name) > 0)
      ? [a, b]
      : [b, a];
  return [
    { skill: less, into: more },
    { skill: more, into: less },
  ];
}

function isSaidBy(skill: DreamSkill, into: DreamSkill): boolean {
  const text = `${into.name}\n${into.description}\n\n${into.body}`;
  return skill.files.length === 0 && coverageOf(skill.body, text).every(({ enough }) => enough);
}
