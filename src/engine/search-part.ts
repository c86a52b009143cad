// Searches what is installed and what catalogs have, both with recall, so that each answer has its reasons.

import { join } from "node:path";
import type { SkillName } from "../model/name.ts";
import type { Reason } from "../model/turn.ts";
import type { CatalogReport } from "../supply/supply.ts";
import type { LibraryPart } from "./library-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

export interface FoundSkill {
  readonly name: SkillName;
  readonly description: string;
  readonly score: number;
  readonly reasons: readonly Reason[];
}

/** A skill that is not installed, and how to add it. */
export interface CatalogSkill extends FoundSkill {
  /** The address of its catalog: `add` takes it with the name. */
  readonly source: string;
}

export interface SearchReport {
  readonly installed: readonly FoundSkill[];
  readonly catalogs: readonly CatalogSkill[];
  /** Catalogs that were never fetched. */
  readonly missing: readonly string[];
}

/** What `search` opens an engine with to recall in catalogs alone. */
export function catalogOptions(catalogs: readonly CatalogReport[], folder: string) {
  const fetched = catalogs.filter(({ skills }) => skills !== undefined);
  return {
    fetched,
    dir: folder,
    values: {
      "sources.bundled": false,
      "sources.add": fetched.map((catalog) => ({ path: catalog.folder, id: catalog.folder })),
      "sources.only": fetched.map((catalog) => catalog.folder),
      "recall.learn": false,
      cache: join(folder, "cache"),
    },
  };
}

/** Below this a match shares a word or two with the search, and nothing else. Recall in a turn wants far more. */
const LEAST_SCORE = 0.05;

/** Best first. A person who searches decides themselves, so weak matches are shown too. */
export async function searchIn(
  engine: { readonly turns: TurnEngine; readonly library: LibraryPart },
  words: string,
  limit: number,
) {
  const { matches } = await engine.turns.recall({ message: words }, { limit, threshold: LEAST_SCORE });
  const { library } = await engine.library.view();
  return matches.flatMap(({ name, score, reasons }) => {
    const skill = library.skills.get(name);
    return skill && score >= LEAST_SCORE
      ? [{ name, description: skill.manifest.description, score, reasons, from: skill.source }]
      : [];
  });
}
