// Owns what each pass is told to do when nobody has written another directive, and the files that override it.
// The answer's form is not part of a directive: `plan.ts` owns it, and every prompt carries it.

import type { Pass } from "./changes.ts";

/** Found in the data folder; a file that is there replaces the built-in text. */
export const DIRECTIVE_FILES: Readonly<Record<Pass, string>> = {
  gap: "skill-gap.md",
  consolidate: "skill-dream.md",
  optimize: "skill-optimize.md",
};

export const DIRECTIVES: Readonly<Record<Pass, string>> = {
  gap: `You look after an agent's library of skills. Find requests that users make again and again and that no skill answers yet, and write a skill for each.

- Make a skill only for a kind of request that appears in at least two sessions. The listed gaps and recurring topics are strong signs; a single session never is.
- Leave alone what an existing skill already covers.
- A skill is a procedure: when to use it, numbered steps with the concrete commands and tools that the messages show, what to check at the end, what usually goes wrong. Invent no facts, names or addresses.
- Write the description in the words that the users use, because skills are found by them.
- Name it in lower case with hyphens, below an existing prefix where one fits.
- toDelete stays empty in this pass.`,
  consolidate: `You look after an agent's library of skills. Make it smaller and clearer without losing anything.

- Merge skills that say the same into one. Keep every heading, command, code block, name and number of both; list all sources in sourceNames, and those that disappear in toDelete as well.
- Merge only skills marked [editable]. Never merge below a prefix marked namespaced: each of those skills belongs to its own server.
- For a topical prefix with two members or more and no guide, write {prefix}/guide: which member for what, no procedures. Its members stay.
- Fill seeAlso where skills are used together or continue each other. To change only links, repeat the content unchanged.
- When in doubt, leave a skill as it is. An empty plan is a good plan.`,
  optimize: `You look after an agent's library of skills. Improve the skills below; each comes with what went wrong or what it lacks.

- At risk: it was used in sessions that a user corrected or rated poor or fair. Mend what the corrections point at. Keep what worked.
- [SPARSE]: it has hardly any content. Add concrete steps, an example and the edge cases that the messages show.
- Keep the name, every heading, command, code block, name and number that is still right. A rewrite that is much shorter is refused.
- Change only skills marked [editable]. sourceNames holds the skill's own name, toDelete stays empty.`,
};
