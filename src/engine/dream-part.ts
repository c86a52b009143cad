// Wires dreams: what they take from the library, recall, learned skills and the store.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DreamNeeds, Dreams } from "../dream/dream.ts";
import { LessonPlaces } from "../learn/learn.ts";
import { parseSkill } from "../parse/parse.ts";
import type { Repertoire } from "./engine.ts";
import { type Meaning, openMeaning } from "./meaning.ts";

/** What is not the engine's own. */
type DreamParts = Pick<DreamNeeds, "store" | "learned" | "model" | "callMs">;

export function openDreams(engine: Repertoire, parts: DreamParts): Dreams {
  const dreams = new Dreams(dreamNeeds(engine, parts));
  const run = dreams.run.bind(dreams);
  dreams.run = (options = {}) => engine.tracing.trace("dream", options, () => run(options));
  return dreams;
}

export function dreamNeeds(engine: Repertoire, parts: DreamParts): DreamNeeds {
  const { clock, config, sources } = engine;
  const { prefixes, gaps, ...limits } = config.dream;
  const places = new LessonPlaces(engine);
  let meaning: Promise<Meaning> | undefined;
  return {
    refresh: async () => engine.refresh(),
    library: async () => engine.library,
    readSkill: async ({ path }) => {
      const bytes = await readFile(path);
      return { text: bytes.toString("utf8"), body: parseSkill(bytes, path).skill?.body ?? "" };
    },
    isLearned: (skill) => places.isLearned(skill),
    visibility: () => engine.visibility().judge(),
    sources,
    learnedRoot: join(config.home, ".repertoire", "skills"),
    index: async () => (await engine.indexing()).current(),
    recall: config.recall,
    meaning: () => {
      meaning ??= openMeaning(config);
      return meaning;
    },
    folder: engine.dataDirectory,
    now: () => clock.now().getTime(),
    prefixes,
    gaps,
    limits,
    ...parts,
  };
}
