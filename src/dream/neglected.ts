// Finds, without a model, skills that nobody learned here and that do not help: never used, shown again and again but never
// activated, broken, or saying the same as another. They are never edited: a change of the settings switches one off.

import { compareNames, type SkillName } from "../model/name.ts";
import type { DreamChange } from "./changes.ts";
import { ownClauses } from "./clauses.ts";
import { EVIDENCE_LIMITS } from "./limits.ts";
import type { DreamSkill, Material } from "./material.ts";
import type { DreamTurn } from "./sessions.ts";

export interface NeglectedSkill {
  readonly name: SkillName;
  readonly why: "never-used" | "never-activated" | "broken" | "says-the-same";
  /** What is broken. */
  readonly flaws?: readonly string[] | undefined;
  /** The skill that says the same. */
  readonly into?: SkillName | undefined;
  /** Turns for which it was recalled. */
  readonly turns: number;
  readonly sessions: readonly string[];
}

interface Pair {
  readonly a: SkillName;
  readonly b: SkillName;
}

export function* findNeglected(
  material: Material,
  overlaps: readonly Pair[],
): Generator<undefined, NeglectedSkill[]> {
  const { skills, sessions } = material;
  const isUseKnown = sessions.some(({ used }) => used.length > 0);
  const foreign = skills.filter(({ learned }) => !learned);
  const recalled = yield* recalledTurns(new Set(foreign.map(({ name }) => name)), sessions);
  const found: NeglectedSkill[] = [];
  for (const skill of foreign) {
    const neglected = judge(skill, material, {
      overlaps,
      isUseKnown,
      recalled: recalled.get(skill.name) ?? [],
    });
    if (neglected) found.push(neglected);
    yield;
  }
  return found.sort((a, b) => compareNames(a.name, b.name)).slice(0, EVIDENCE_LIMITS.items);
}

/** The turns for which each of these skills was recalled. */
function* recalledTurns(
  names: ReadonlySet<SkillName>,
  sessions: Material["sessions"],
): Generator<undefined, ReadonlyMap<SkillName, readonly DreamTurn[]>> {
  const found = new Map<SkillName, DreamTurn[]>();
  for (const { turns } of sessions) {
    for (const turn of turns) {
      for (const name of new Set(turn.recalled)) {
        if (!names.has(name)) continue;
        const known = found.get(name);
        if (known) known.push(turn);
        else found.set(name, [turn]);
      }
    }
    yield;
  }
  return found;
}

function judge(
  skill: DreamSkill,
  { sessions, byName, now }: Material,
  {
    overlaps,
    isUseKnown,
    recalled,
  }: {
    readonly overlaps: readonly Pair[];
    readonly isUseKnown: boolean;
    readonly recalled: readonly DreamTurn[];
  },
): NeglectedSkill | undefined {
  const { name } = skill;
  const where = [...new Set(recalled.map(({ session }) => session))];
  const about = { name, turns: recalled.length, sessions: where };
  if (skill.flaws.length > 0) return { ...about, why: "broken", flaws: skill.flaws };
  const into = twinOf(skill, overlaps, byName);
  if (into) return { ...about, why: "says-the-same", into };
  if (!isUseKnown || skill.lastUsedAt > 0) return undefined;
  const isShownAlways = skill.skill.manifest.always && sessions.length >= EVIDENCE_LIMITS.shownTurns;
  if (isShownAlways || recalled.length >= EVIDENCE_LIMITS.shownTurns)
    return { ...about, why: "never-activated" };
  const isOld = now - skill.createdAt > EVIDENCE_LIMITS.unusedAgeMs;
  const isKnownLong = sessions.length >= EVIDENCE_LIMITS.unusedSessions;
  return isOld && isKnownLong && !skill.bundled ? { ...about, why: "never-used" } : undefined;
}

/** The skill that has every clause of this one; of two that are equal, the one that was used later. */
function twinOf(
  skill: DreamSkill,
  overlaps: readonly Pair[],
  byName: Material["byName"],
): SkillName | undefined {
  const others = overlaps.flatMap(({ a, b }) => (a === skill.name ? [b] : b === skill.name ? [a] : []));
  return others.find((name) => {
    const other = byName.get(name);
    if (!other || ownClauses(skill.body, `${other.body}\n\n${other.description}`).length > 0) return false;
    const isEqual = !other.learned && ownClauses(other.body, skill.body).length === 0;
    const order = skill.lastUsedAt - other.lastUsedAt || compareNames(other.name, skill.name);
    return !isEqual || order < 0;
  });
}

/** Switches neglected skills off, and links overlapping ones that have clauses of their own. */
export function settingsFrom(
  {
    neglected,
    overlaps,
  }: { readonly neglected: readonly NeglectedSkill[]; readonly overlaps: readonly Pair[] },
  { byName, links }: Pick<Material, "byName" | "links">,
): DreamChange[] {
  const off = neglected.map(
    ({ name, into }): DreamChange => ({
      kind: "disable",
      pass: "consolidate",
      archives: [],
      settings: { disable: name, into },
    }),
  );
  const gone = new Set(neglected.map(({ name }) => name));
  const related = overlaps.flatMap(({ a, b }): DreamChange[] => {
    const [from, to] = byName.get(a)?.learned === false ? [a, b] : [b, a];
    const skill = byName.get(from);
    if (!skill || skill.learned || gone.has(a) || gone.has(b)) return [];
    if (skill.seeAlso.includes(to) || links[from]?.includes(to)) return [];
    return [{ kind: "relate", pass: "consolidate", archives: [], settings: { link: from, to } }];
  });
  return [...off, ...related];
}
