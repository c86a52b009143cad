// Wires learned skills to the library, to recall and to a store.

import { type LearnedNeeds, LearnedSkills } from "../learn/learn.ts";
import type { LibraryPart } from "./library-part.ts";
import { surroundingsOf } from "./supply-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

export function openLearned(
  { turns, library }: { readonly turns: TurnEngine; readonly library: LibraryPart },
  store: LearnedNeeds["store"],
  options: Partial<Pick<LearnedNeeds, "clock" | "files" | "model" | "recall">> = {},
): LearnedSkills {
  const { home, dir: project, learnedDir: learned } = turns.config;
  return new LearnedSkills({
    library: () => library.current(),
    refresh: (changed) => library.refresh(changed),
    recall: async (message, limit) => {
      const { matches } = await turns.recall({ message }, { limit });
      return matches.flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
    },
    home,
    project,
    learned,
    mirror: turns.mirror,
    sources: turns.sources,
    store,
    mayWrite: (agent, name) => turns.mayWrite(agent, name),
    clock: turns.clock,
    surroundings: surroundingsOf(turns.sources),
    ...options,
  });
}
