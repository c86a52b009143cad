// Wires the supply of skills from elsewhere to the library and to learned skills.

import { join } from "node:path";
import { rulesDigest } from "../inspect/inspect.ts";
import { type LearnedSkills, type PackageSurroundings, SkillPlaces } from "../learn/learn.ts";
import type { Source } from "../model/source.ts";
import { Catalogs, packageSurroundings, Sharing, Supplies } from "../supply/supply.ts";
import type { LibraryPart } from "./library-part.ts";
import { ownVersion } from "./package-root.ts";
import type { TurnEngine } from "./turn-engine.ts";

/** What is known about packages outside their folders: locks, and links in the folders of agents. */
export function surroundingsOf(sources: readonly Source[]): PackageSurroundings {
  const folders = sources.filter(({ scope }) => scope === "user" || scope === "project");
  return packageSurroundings(() => folders.map(({ root }) => root));
}

export function openSupply(
  { turns, library }: { readonly turns: TurnEngine; readonly library: LibraryPart },
  learned: LearnedSkills,
): Supplies {
  const { config, sources, clock, options } = turns;
  const { home, dir: project, learnedDir } = config;
  const places = new SkillPlaces({ home, project, learned: learnedDir, mirror: turns.mirror, sources });
  return new Supplies({
    home,
    project,
    sources,
    roots: { user: places.rootForNew("user"), project: places.rootForNew("project") },
    learned,
    library: () => library.current(),
    fetchDir: join(turns.dataDirectory, "fetch"),
    env: options.env ?? process.env,
    rules: `${ownVersion()}+${rulesDigest()}`,
    now: () => clock.now(),
  });
}

/** Where catalogs are kept. */
export function catalogFolder(turns: TurnEngine): string {
  return join(turns.dataDirectory, "catalogs");
}

export function openCatalogs(turns: TurnEngine): Catalogs {
  const { home, dir } = turns.config;
  return new Catalogs({
    folder: catalogFolder(turns),
    dir,
    home,
    sources: () => turns.config.catalogs,
    env: turns.options.env ?? process.env,
    fetchDir: join(turns.dataDirectory, "fetch"),
    now: () => turns.clock.now(),
  });
}

export function openSharing(turns: TurnEngine, library: LibraryPart): Sharing {
  const { home, dir: project } = turns.config;
  return new Sharing({ home, project, find: (name) => library.find(name, "person") });
}
