// Compares two states of the library: which skills were added, changed and removed.

import type { SkillName } from "../model/name.ts";
import type { Library } from "./precedence.ts";

/** What a re-index brought: names, in order. */
export interface LibraryChanges {
  readonly added: readonly SkillName[];
  readonly changed: readonly SkillName[];
  readonly removed: readonly SkillName[];
}

export const NO_CHANGES: LibraryChanges = { added: [], changed: [], removed: [] };

export function diffLibraries(before: Library, after: Library): LibraryChanges {
  const added: SkillName[] = [];
  const changed: SkillName[] = [];
  for (const [name, skill] of after.skills) {
    const earlier = before.skills.get(name);
    if (!earlier) added.push(name);
    else if (earlier.digest !== skill.digest || earlier.path !== skill.path) changed.push(name);
  }
  const removed = [...before.skills.keys()].filter((name) => !after.skills.has(name));
  return { added, changed, removed };
}
