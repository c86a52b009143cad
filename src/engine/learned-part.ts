// Wires learned skills to the library, to recall and to a store.

import { type LearnedNeeds, LearnedSkills } from "../learn/learn.ts";
import type { Repertoire } from "./engine.ts";

export function openLearned(
  engine: Repertoire,
  store: LearnedNeeds["store"],
  options: Partial<Pick<LearnedNeeds, "clock" | "files" | "model" | "recall">> = {},
): LearnedSkills {
  const { home, dir: project } = engine.config;
  return new LearnedSkills({
    library: async () => engine.library,
    refresh: async () => engine.refresh(),
    recall: async (message, limit) => {
      const { matches } = await engine.recall({ message }, { limit });
      return matches.flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
    },
    home,
    project,
    sources: engine.sources,
    store,
    clock: engine.clock,
    ...options,
  });
}
