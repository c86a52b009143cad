// Owns the one selection that every style shows: which skills, in which order, and which of the turn's matches are new.
// Does not own how many of them fit nor how they look: `fit.ts` and `styles/` do.

import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match } from "../model/turn.ts";

export interface Recalled {
  readonly skill: Skill;
  readonly match: Match;
  /** The visible skill that a see-also match came along with. */
  readonly via?: SkillName;
}

export interface Selection {
  /** All skills: those that are always shown first, the rest in the order given. */
  readonly skills: readonly Skill[];
  /** How many of `skills`, from the front, are always shown. */
  readonly always: number;
  /** The turn's own matches that are visible and not yet shown in this session, best first. */
  readonly relevant: readonly Recalled[];
  /** Those that came along with another one (see-also). */
  readonly related: readonly Recalled[];
}

export interface SelectRequest {
  readonly skills: readonly Skill[];
  readonly matches: readonly Match[];
  readonly seen?: ReadonlySet<SkillName>;
}

export function select({ skills, matches, seen }: SelectRequest): Selection {
  const always = skills.filter((skill) => skill.manifest.always);
  const rest = always.length === 0 ? skills : skills.filter((skill) => !skill.manifest.always);
  const recalled = newMatches(matches, skills, seen);
  return {
    skills: always.length === 0 ? rest : [...always, ...rest],
    always: always.length,
    relevant: recalled.filter(({ match }) => match.via === undefined),
    related: recalled.filter(({ match }) => match.via !== undefined),
  };
}

/** A match whose skill is not among the visible ones is dropped: recall must not uncover what a view hides. */
function newMatches(
  matches: readonly Match[],
  skills: readonly Skill[],
  seen: ReadonlySet<SkillName> = new Set(),
): Recalled[] {
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
