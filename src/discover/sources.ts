// Owns the table of places that skills come from, and its order. Does not read a single folder: `walk.ts` does.

import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { ExtraSource, Identity, Source, SourceScope } from "../model/source.ts";
import { isSkillFile } from "../package/package.ts";

interface Place {
  /** Folder below the home folder or the project, `/`-separated. */
  readonly folder: string;
  readonly rootSkill?: boolean;
}

/** Where Repertoire writes skills. */
const OUR_FOLDER = ".repertoire/skills";

/** Below the home folder, lowest precedence first. */
const USER_PLACES: readonly Place[] = [
  { folder: ".sven/skills" },
  { folder: ".agent/skills" },
  { folder: ".agents/skills" },
  { folder: ".claude/skills" },
  { folder: ".codex/skills" },
  { folder: OUR_FOLDER },
];

/** Below the project and each ancestor up to the repository's root, lowest precedence first. */
const PROJECT_PLACES: readonly Place[] = [{ folder: "skills", rootSkill: true }, ...USER_PLACES];

export interface SourceOptions {
  /** The skills that ship with the package. */
  readonly bundled: string | undefined;
  readonly home: string;
  readonly project: string;
  /** Where learned skills are kept, if not in the home folder's `.repertoire/skills`. */
  readonly learned?: string | undefined;
  readonly add?: readonly ExtraSource[];
  /** Ids of the only sources to use; empty = all. */
  readonly only?: readonly string[];
  /** Ids of sources to leave out. */
  readonly drop?: readonly string[];
  /** Ids, lowest precedence first; sources not named keep their place below the named ones. */
  readonly order?: readonly string[];
  /** Ids of sources whose links may lead anywhere. */
  readonly trustLinks?: readonly string[];
  /** Ids of sources that skip a skill without a description. */
  readonly requireDescription?: readonly string[];
  /** Ids of sources that skip a skill without a name of its own. */
  readonly requireName?: readonly string[];
  /** What names the skills of other people's sources; those of ours have one name, by path and by front matter. */
  readonly identity?: Identity | undefined;
}

/** All sources, lowest precedence first, whether or not their folders exist. */
export function resolveSources(options: SourceOptions): Source[] {
  const sources: Source[] = [];
  const add = (id: string, root: string, scope: SourceScope, extra: Partial<ExtraSource> = {}) => {
    if (sources.some((source) => source.root === root)) return;
    sources.push({
      id,
      root,
      scope,
      rootSkill: extra.rootSkill ?? false,
      trustLinks: extra.trustLinks ?? options.trustLinks?.includes(id) ?? false,
      requireDescription: extra.requireDescription ?? options.requireDescription?.includes(id) ?? false,
      requireName: extra.requireName ?? options.requireName?.includes(id) ?? false,
      identity: scope === "bundled" || id.endsWith(OUR_FOLDER) ? "path" : (options.identity ?? "path"),
    });
  };
  if (options.bundled) add("bundled", resolve(options.bundled), "bundled");
  for (const { folder } of USER_PLACES) add(`~/${folder}`, join(options.home, folder), "user");
  if (options.learned) add("learned", options.learned, "user");
  for (const base of projectFolders(options.project)) {
    const above =
      relative(base, options.project) === "" ? "." : relative(options.project, base).replaceAll("\\", "/");
    for (const { folder, rootSkill } of PROJECT_PLACES) {
      add(`${above}/${folder}`, join(base, folder), "project", { rootSkill: rootSkill ?? false });
    }
  }
  for (const extra of options.add ?? []) {
    const root = resolve(options.project, extra.path.replace(/^~(?=\/|$)/, options.home));
    add(extra.id ?? extra.path, root, "custom", extra);
  }
  return reorder(
    sources.filter(
      ({ id }) => !options.drop?.includes(id) && (!options.only?.length || options.only.includes(id)),
    ),
    options.order ?? [],
  );
}

/** A source made of one path that a person asked to look at: a skill's folder, its SKILL.md, or a folder of skills. */
export function checkedSource(path: string): Source {
  const root = isSkillFile(basename(path)) ? dirname(path) : path;
  return {
    id: path,
    root,
    scope: "custom",
    rootSkill: true,
    trustLinks: false,
    requireDescription: false,
    requireName: false,
    identity: "path",
  };
}

/** The project and its ancestors up to the repository's root, shallow first; outside a repository the project alone. */
export function projectFolders(project: string): string[] {
  const folders: string[] = [];
  for (let folder = project; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [project];
  }
}

function reorder(sources: Source[], order: readonly string[]): Source[] {
  const place = (source: Source) => order.indexOf(source.id);
  const named = sources.filter((source) => place(source) >= 0).sort((a, b) => place(a) - place(b));
  return [...sources.filter((source) => place(source) < 0), ...named];
}
