// The table of places that skills come from, in their order. The folders themselves are read in `walk.ts`.

import { type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { unlessMissing } from "../disk/disk.ts";
import type { ExtraSource, Identity, Source, SourceScope } from "../model/source.ts";
import { isSkillFile } from "../package/package.ts";
import type { HostSkills } from "./host-registries.ts";

/** A folder of skills and the agent that reads it. */
interface Place {
  /** Below the home folder or the project, `/`-separated. */
  readonly folder: string;
  /** The agent that the folder belongs to; absent if several read it. */
  readonly host?: string;
  readonly rootSkill?: boolean;
}

/** Where Repertoire writes skills. */
const OUR_FOLDER = ".repertoire/skills";

/** Below the home folder, lowest precedence first. */
const USER_PLACES: readonly Place[] = [
  { folder: ".sven/skills", host: "sven" },
  { folder: ".hermes/skills", host: "hermes" },
  { folder: ".openclaw/skills", host: "openclaw" },
  { folder: ".codeium/windsurf/skills", host: "windsurf" },
  { folder: ".cline/skills", host: "cline" },
  { folder: ".continue/skills", host: "continue" },
  { folder: ".cursor/skills", host: "cursor" },
  { folder: ".copilot/skills", host: "copilot" },
  { folder: ".qwen/skills", host: "qwen" },
  { folder: ".gemini/skills", host: "gemini" },
  { folder: ".pi/agent/skills", host: "pi" },
  // Earlier versions of it called the folder `skill`.
  { folder: ".config/opencode/skill" },
  { folder: ".config/opencode/skills", host: "opencode" },
  { folder: ".agent/skills" },
  { folder: ".agents/skills", host: "agents" },
  { folder: ".claude/skills", host: "claude" },
  { folder: ".codex/skills", host: "codex" },
  { folder: OUR_FOLDER },
];

/** Below the project and each ancestor up to the repository's root, lowest precedence first. */
const PROJECT_PLACES: readonly Place[] = [
  { folder: "skills", rootSkill: true },
  { folder: ".sven/skills", host: "sven" },
  { folder: ".windsurf/skills", host: "windsurf" },
  { folder: ".cline/skills", host: "cline" },
  { folder: ".continue/skills", host: "continue" },
  { folder: ".cursor/skills", host: "cursor" },
  { folder: ".github/skills", host: "copilot" },
  { folder: ".qwen/skills", host: "qwen" },
  { folder: ".gemini/skills", host: "gemini" },
  { folder: ".pi/skills", host: "pi" },
  { folder: ".opencode/skill" },
  { folder: ".opencode/skills", host: "opencode" },
  { folder: ".agent/skills" },
  { folder: ".agents/skills", host: "agents" },
  { folder: ".claude/skills", host: "claude" },
  { folder: ".codex/skills", host: "codex" },
  { folder: OUR_FOLDER },
];

/** The agents that a skill can be made visible to, with the folders that each reads. */
export function hostFolders({ home, project }: Pick<SourceOptions, "home" | "project">): {
  readonly host: string;
  readonly user: string | undefined;
  readonly project: string | undefined;
}[] {
  const hosts = new Set([...USER_PLACES, ...PROJECT_PLACES].flatMap(({ host }) => host ?? []));
  const folder = (places: readonly Place[], host: string, base: string) => {
    const place = places.find((each) => each.host === host);
    return place && join(base, place.folder);
  };
  return [...hosts].map((host) => ({
    host,
    user: folder(USER_PLACES, host, home),
    project: folder(PROJECT_PLACES, host, project),
  }));
}

export interface SourceOptions {
  /** The skills that ship with the package. */
  readonly bundled: string | undefined;
  readonly home: string;
  readonly project: string;
  /** Where learned skills are kept, if not in the home folder's `.repertoire/skills`. */
  readonly learned?: string | undefined;
  /** Mirrors of a library that many machines share, lowest precedence first. */
  readonly shared?: readonly SharedSource[] | undefined;
  /** Folders of skills that agents have installed: plugins, extensions, packages. */
  readonly installed?: HostSkills["folders"] | undefined;
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

/** A folder that equals a scope of the shared library. */
export interface SharedSource {
  readonly id: string;
  /** The folder of the skills. */
  readonly root: string;
  /** The mirror's own folder, which has the skills in it. */
  readonly folder: string;
  /** Whether it has the skills of this node's own scope, or those of the organisation above. */
  readonly isOwn: boolean;
}

/**
 * The mirrors of a shared library below a folder of ours, one for each address and scope: of the organisation, and above it
 * of the scope that this node writes to.
 */
export function sharedSources(
  data: string,
  { url, scope = "" }: { readonly url: string; readonly scope?: string | undefined },
): SharedSource[] {
  // Without the login and the options; what is no address is refused when it is used.
  const place = /^(?:\w+:\/\/)?(?:.*@)?(?<place>[^?#]*)/.exec(url)?.groups?.place ?? "";
  const name = `${place}/${scope}`.replace(/[^\w.-]+/g, "_").replace(/_$/, "");
  return [
    { id: "postgres:organisation", isOwn: false, at: "organisation" },
    { id: "postgres", isOwn: true, at: "own" },
  ].map(({ id, isOwn, at }) => {
    const folder = join(data, "shared", name, at);
    return { id, isOwn, folder, root: join(folder, "skills") };
  });
}

/** Whether Repertoire wrote the skills, so that path and front matter agree. */
function isOurs(id: string, scope: SourceScope): boolean {
  return scope === "bundled" || id.endsWith(OUR_FOLDER) || id === "postgres" || id.startsWith("postgres:");
}

/** As `join`, for a normal path and a plain one: `join` looks at every character, and each turn asks for forty places. */
function placeIn(base: string, folder: string): string {
  return sep === "/" && base !== sep ? `${base}/${folder}` : join(base, folder);
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
      identity: isOurs(id, scope) ? "path" : (options.identity ?? "path"),
    });
  };
  if (options.bundled) add("bundled", resolve(options.bundled), "bundled");
  const installed = options.installed ?? [];
  for (const { id, root, scope } of installed) if (scope === "user") add(id, root, scope);
  for (const { folder } of USER_PLACES) add(`~/${folder}`, placeIn(options.home, folder), "user");
  if (options.learned) add("learned", options.learned, "user");
  for (const { id, root } of options.shared ?? []) add(id, root, "user");
  for (const { id, root, scope } of installed) if (scope === "project") add(id, root, scope);
  for (const base of projectFolders(options.project)) {
    const above =
      relative(base, options.project) === "" ? "." : relative(options.project, base).replaceAll("\\", "/");
    for (const { folder, rootSkill } of PROJECT_PLACES) {
      add(`${above}/${folder}`, placeIn(base, folder), "project", { rootSkill: rootSkill ?? false });
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
    const git = unlessMissing(() => statSync(join(folder, ".git"), { throwIfNoEntry: false }), UNREACHABLE);
    if (git && (folder === project || isOfOwner(git, project))) return folders;
    if (dirname(folder) === folder) return [project];
  }
}

const UNREACHABLE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];
const ROOT = 0;

/** Whether the project belongs to whoever made the repository above it: another user could make one in a folder of everybody. */
function isOfOwner(git: Stats, project: string): boolean {
  const owners = [ROOT, process.getuid?.(), statSync(project, { throwIfNoEntry: false })?.uid];
  return owners.includes(git.uid);
}

function reorder(sources: Source[], order: readonly string[]): Source[] {
  const place = (source: Source) => order.indexOf(source.id);
  const named = sources.filter((source) => place(source) >= 0).sort((a, b) => place(a) - place(b));
  return [...sources.filter((source) => place(source) < 0), ...named];
}
