// Owns how redirects are followed, for every store alike.

import type { SkillName } from "../model/name.ts";

/** Where a name leads in the end. A circle ends at the last name before it would close. */
export function follow(name: SkillName, next: (from: SkillName) => SkillName | undefined): SkillName {
  const seen = new Set([name]);
  for (let current = name; ; ) {
    const target = next(current);
    if (target === undefined || seen.has(target)) return current;
    seen.add(target);
    current = target;
  }
}
