// Wires dreams: what they take from the library, recall, learned skills and the store.

import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type DreamNeeds, Dreams } from "../dream/dream.ts";
import { SkillPlaces } from "../learn/learn.ts";
import { inSlices, type LibrarySnapshot, SnapshotDamage } from "../library/library.ts";
import type { LibraryPart } from "./library-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

interface EngineParts {
  readonly turns: TurnEngine;
  readonly library: LibraryPart;
}

/** What does not come from the engine. */
type DreamParts = Pick<DreamNeeds, "store" | "learned" | "model" | "callMs" | "isAllowed"> & {
  /** Runs a dream while no other machine dreams. */
  readonly dreaming?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
};

export function openDreams(engine: EngineParts, parts: DreamParts): Dreams {
  const dreams = new Dreams(dreamNeeds(engine, parts));
  const run = dreams.run.bind(dreams);
  const alone = parts.dreaming ?? ((work) => work());
  dreams.run = (options = {}) =>
    engine.turns.tracing.trace("dream", options, () => alone(() => run(options)));
  return dreams;
}

export function dreamNeeds({ turns, library }: EngineParts, parts: DreamParts): DreamNeeds {
  const { clock, config, sources } = turns;
  const { prefixes, gaps, directives, ...limits } = config.dream;
  const places = new SkillPlaces({
    home: config.home,
    project: config.dir,
    learned: config.learnedDir,
    mirror: turns.mirror,
    sources,
  });
  return {
    refresh: async () => {
      if (!(await inSlices(unchangedSteps(await turns.reader.snapshot())))) await library.refresh();
    },
    library: () => library.current(),
    readSkill: ({ path }) => readFile(path),
    isLearned: (skill) => places.isLearned(skill),
    visibility: () => turns.visibility().judge(),
    sources,
    learnedRoot: places.roots[0]!,
    index: async () => (await turns.indexing()).current(),
    recall: config.recall,
    meaning: async () => (await turns.indexing()).settings,
    folder: turns.dataDirectory,
    now: () => clock.now().getTime(),
    settings: library,
    directives,
    prefixes,
    gaps,
    limits,
    ...parts,
  };
}

/** Whether every known file is the one that was read; a snapshot itself only notices other folders. */
function* unchangedSteps(snapshot: LibrarySnapshot): Generator<undefined, boolean> {
  try {
    for (const { path, size, mtimeMs } of yield* snapshot.recordSteps()) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.size !== size || stats.mtimeMs !== mtimeMs) return false;
      yield;
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof SnapshotDamage) return false;
    throw thrown;
  }
}
