// Owns the standing order in which skills compete for room in a prompt, before any message is known.
// It depends on nothing that changes from turn to turn, so that prompt caches hold.

import { compareNames } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";

/** `always` first, then the sources nearest to the work (highest precedence), then parents before children, by name. */
export function rankForDisclosure(skills: readonly Skill[], sources: readonly Source[]): Skill[] {
  const precedence = new Map(sources.map((source, index) => [source.id, index]));
  const keyed = skills.map((skill) => ({
    skill,
    always: Number(skill.manifest.always),
    precedence: precedence.get(skill.source) ?? 0,
    depth: depth(skill),
  }));
  keyed.sort(
    (a, b) =>
      b.always - a.always ||
      b.precedence - a.precedence ||
      a.depth - b.depth ||
      compareNames(a.skill.name, b.skill.name),
  );
  return keyed.map(({ skill }) => skill);
}

function depth({ name }: Skill): number {
  let slashes = 0;
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) slashes++;
  return slashes;
}
