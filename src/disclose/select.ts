// Selects what every style shows: the skills in their order, and the turn's matches that are new in the session.

import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match, NearSkill } from "../model/turn.ts";

export interface MatchedSkill {
  readonly skill: Skill;
  readonly match: Match;
  /** The visible skill whose see-also this is. */
  readonly via?: SkillName;
}

export interface Selection {
  /** All skills, in the given order. */
  readonly skills: readonly Skill[];
  /** How many of the first `skills` are always shown. */
  readonly always: number;
  /** The turn's own matches that are visible and not yet shown in this session, best first. */
  readonly relevant: readonly MatchedSkill[];
  /** The see-also matches. */
  readonly related: readonly MatchedSkill[];
  /** Matches of earlier turns that still matter, most relevant first. */
  readonly kept: readonly MatchedSkill[];
  /** The visible skills that came close, best first. */
  readonly near: readonly Skill[];
}

/**
 * The order of a list that must not leave out what the message is about: the skills that are always shown, then those of
 * the turn, then the others, which come only into the standing part. `pinned` of the first are shown whatever they cost.
 */
export function matchedFirst(
  { skills, always, relevant, related }: Selection,
  standing: boolean,
): { readonly skills: readonly Skill[]; readonly pinned: number } {
  const matched = [...relevant, ...related].map(({ skill }) => skill);
  if (!standing) return { skills: matched, pinned: 0 };
  const first = new Set([...skills.slice(0, always), ...matched]);
  const others = skills.filter((skill) => !first.has(skill));
  return { skills: [...first, ...others], pinned: always === 0 ? 0 : first.size };
}

export function select({
  skills,
  matches,
  kept = [],
  near = [],
  seen,
}: {
  readonly skills: readonly Skill[];
  readonly matches: readonly Match[];
  readonly kept?: readonly Match[] | undefined;
  readonly near?: readonly NearSkill[] | undefined;
  readonly seen?: ReadonlySet<SkillName> | undefined;
}): Selection {
  const always = skills.findIndex((skill) => !skill.manifest.always);
  const recalled = newMatches(matches, skills, seen);
  return {
    skills,
    always: always < 0 ? skills.length : always,
    relevant: recalled.filter(({ match }) => match.via === undefined),
    related: recalled.filter(({ match }) => match.via !== undefined),
    kept: newMatches(kept, skills, ownNames(matches)),
    near: nearSkills(near, skills),
  };
}

/** The names of the turn's own matches, without what only came along with them. */
export function ownNames(matches: readonly Match[]): ReadonlySet<SkillName> {
  return new Set(matches.filter(({ via }) => via === undefined).map(({ name }) => name));
}

/** The unseen matches whose skill is visible: a match must not reveal what a view hides. */
function newMatches(
  matches: readonly Match[],
  skills: readonly Skill[],
  seen: ReadonlySet<SkillName> = new Set(),
): MatchedSkill[] {
  const wanted = new Map<SkillName, Match>();
  for (const match of matches) {
    if (!seen.has(match.name) && !wanted.has(match.name)) wanted.set(match.name, match);
  }
  if (wanted.size === 0) return [];
  const named = new Set([...wanted.keys(), ...[...wanted.values()].map((match) => match.via)]);
  const visible = new Map(skills.filter(({ name }) => named.has(name)).map((skill) => [skill.name, skill]));
  return [...wanted.values()].flatMap((match) => {
    const skill = visible.get(match.name);
    if (skill === undefined) return [];
    const via = visible.get(match.via ?? "")?.name;
    return [via === undefined ? { skill, match } : { skill, match, via }];
  });
}

function nearSkills(near: readonly NearSkill[], skills: readonly Skill[]): Skill[] {
  if (near.length === 0) return [];
  const names = new Set(near.map(({ name }) => name));
  const visible = new Map(skills.filter(({ name }) => names.has(name)).map((skill) => [skill.name, skill]));
  return near.flatMap(({ name }) => visible.get(name) ?? []);
}
