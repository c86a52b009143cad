// Owns the search for skills that say nearly the same as a new one: recall finds candidates, their words decide.

import type { Repertoire } from "../engine/engine.ts";
import type { SkillName } from "../model/name.ts";
import { type Described, nearDuplicates } from "./skill-duplicates.ts";

/** A paraphrase is among the first few; more would only cost time. */
const CANDIDATES = 5;

export async function findNearDuplicates(
  engine: Repertoire,
  skill: Described,
): Promise<readonly SkillName[]> {
  if (skill.description === "") return [];
  const { matches } = await engine.recall({ message: skill.description }, { limit: CANDIDATES });
  const names = new Set(matches.flatMap(({ name, duplicates = [] }) => [name, ...duplicates]));
  const candidates = [...names].flatMap((name) => engine.library.skills.get(name) ?? []);
  return nearDuplicates(
    skill,
    candidates.map(({ name, manifest }) => ({ name, description: manifest.description })),
  );
}
