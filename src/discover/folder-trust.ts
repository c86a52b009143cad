// Decides whether a project's skills are shown: reads what the host has decided about the folder, and keeps what the person has
// decided here. Both are bound to real paths, so that a link or a renamed folder brings no trust along.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPath, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import type { ProjectTrust } from "../model/source.ts";
import { isRecord, withoutComments } from "../text/json.ts";
import { projectFolders } from "./sources.ts";

/** `undecided`: the host decides about folders, but not yet about this one. `none`: it has no decision that can be read. */
export type HostDecision = "trusted" | "untrusted" | "undecided" | "none";

export interface ProjectStanding {
  /** The real path that trust is bound to: the repository's root, or the project outside a repository. */
  readonly folder: string;
  /** Whether the project's skills are shown. */
  readonly shown: boolean;
  /** Whether the person trusts the project here. */
  readonly trusted: boolean;
  /** Whether the person has to be asked: they are in the mode `ask` and have not answered. */
  readonly isOpen: boolean;
  /** What the host has decided. */
  readonly host: HostDecision;
}

interface TrustQuestion {
  readonly mode: ProjectTrust;
  /** The host or MCP client that asks; none on the command line. */
  readonly host?: string | undefined;
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function projectStanding({ mode, host, project, home, env }: TrustQuestion): ProjectStanding {
  const folder = trustFolder(project);
  const trusted = trustedProjects(home).includes(folder);
  const decision = hostDecision(host ?? "", { folders: foldersAbove(project), home, env });
  const believed = decision === "undecided" ? trusted : decision !== "untrusted";
  const shown = { all: true, ask: trusted, host: believed }[mode];
  const isOpen = mode === "ask" && !trusted && !keptFolders(home, "declined").includes(folder);
  return { folder, shown, trusted, isOpen, host: decision };
}

/** The hosts whose decisions are read, for `doctor`. */
export const DECIDING_HOSTS = ["claude-code", "codex", "gemini-cli", "qwen-code", "pi"] as const;

interface HostQuestion {
  /** Real paths, the project first, then the folders above it. */
  readonly folders: readonly string[];
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A host is known by the name of its hook or of its MCP client, which may have a suffix. */
const READERS: readonly (readonly [name: RegExp, read: (question: HostQuestion) => HostDecision])[] = [
  [/^claude-code\b/i, claudeCode],
  [/^codex\b/i, codex],
  [/^gemini\b/i, gemini],
  [/^qwen\b/i, qwen],
  [/^pi(?:$|-coding-agent)/i, pi],
];

function hostDecision(host: string, question: HostQuestion): HostDecision {
  const reader = READERS.find(([name]) => name.test(host))?.[1];
  if (!reader) return "none";
  try {
    return reader(question);
  } catch (thrown) {
    // What cannot be read is no permission.
    if (codeOf(thrown) === "" && !(thrown instanceof SyntaxError) && !(thrown instanceof Unusable))
      throw thrown;
    return "undecided";
  }
}

/** Accepting the dialog in a folder counts for the folders below it. */
function claudeCode({ folders, home, env }: HostQuestion): HostDecision {
  const path = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
  const text = readText(path);
  if (text === undefined) return "none";
  // The file may have megabytes of other things, and a hook has little time.
  if (!folders.some((folder) => text.includes(JSON.stringify(folder)))) return "undecided";
  const state: unknown = JSON.parse(text);
  const accepted = (folder: string) =>
    field(field(field(state, "projects"), folder), "hasTrustDialogAccepted") === true;
  return folders.some(accepted) ? "trusted" : "undecided";
}

/** The level of the folder itself decides, then that of its repository; a folder above the repository does not count. */
function codex({ folders: [folder = ""], home, env }: HostQuestion): HostDecision {
  const text = readText(join(env.CODEX_HOME || join(home, ".codex"), "config.toml"));
  if (text === undefined) return "none";
  const levels = codexLevels(text);
  const root = projectFolders(folder)[0]!;
  const level = levels.get(folder) ?? levels.get(root) ?? levels.get(mainCheckout(root) ?? root);
  if (level === "trusted") return "trusted";
  return level === undefined ? "undecided" : "untrusted";
}

/** The checkout that a linked worktree belongs to, if git's own files of both name each other. */
function mainCheckout(root: string): string | undefined {
  const link = join(root, ".git");
  const own = readFirstLine(link)?.replace(/^gitdir: /, "");
  if (own === undefined || !own.includes("/.git/worktrees/")) return undefined;
  const back = readFirstLine(join(own, "gitdir"));
  return back !== undefined && realPath(back) === link ? dirname(dirname(dirname(realPath(own)))) : undefined;
}

function readFirstLine(path: string): string | undefined {
  return unlessUnusable(() => readText(path)?.split("\n", 1)[0]?.trim());
}

const TABLE = /^\s*\[\s*projects\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\]/;
const LEVEL = /^\s*trust_level\s*=\s*["'](\w+)["']/;

/** The levels in tables `[projects."/path"]`, as Codex writes them. */
function codexLevels(text: string): Map<string, string> {
  const levels = new Map<string, string>();
  let folder: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, quoted, literal] = TABLE.exec(line) ?? [];
    if (quoted !== undefined || literal !== undefined) {
      folder = literal ?? quoted?.replace(/\\(["\\])/g, "$1");
    } else if (/^\s*\[/.test(line)) folder = undefined;
    const level = LEVEL.exec(line)?.[1];
    if (level !== undefined && folder !== undefined) levels.set(realPath(folder), level);
  }
  return levels;
}

/** The rule with the longest path decides; the feature can be switched off, and is then no opinion. */
function gemini({ folders, home, env }: HostQuestion): HostDecision {
  const directory = join(env.GEMINI_CLI_HOME || home, ".gemini");
  const enabled = folderTrustOf(directory);
  if (enabled === false) return "none";
  const rules = readJson(env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(directory, "trustedFolders.json"));
  if (rules === undefined) return enabled === true ? "undecided" : "none";
  const [, level] = Object.entries(rules)
    .filter(([path, level]) => folders.includes(realPath(level === TRUST_PARENT ? dirname(path) : path)))
    .reduce((longest, rule) => (rule[0].length > longest[0].length ? rule : longest), ["", undefined]);
  if (level === "DO_NOT_TRUST") return "untrusted";
  return level === "TRUST_FOLDER" || level === TRUST_PARENT ? "trusted" : "undecided";
}

const TRUST_PARENT = "TRUST_PARENT";

/** As in Gemini CLI, which it comes from; but it is off unless switched on, and a no counts for its folder alone. */
function qwen({ folders, home, env }: HostQuestion): HostDecision {
  const directory = env.QWEN_HOME || join(home, ".qwen");
  if (folderTrustOf(directory) !== true) return "none";
  const rules = readJson(env.QWEN_CODE_TRUSTED_FOLDERS_PATH || join(directory, "trustedFolders.json")) ?? {};
  const trusted = Object.entries(rules).flatMap(([path, level]) =>
    level === "TRUST_FOLDER" ? path : level === TRUST_PARENT ? dirname(path) : [],
  );
  if (trusted.some((path) => folders.includes(realPath(path)))) return "trusted";
  return field(rules, folders[0] ?? "") === "DO_NOT_TRUST" ? "untrusted" : "undecided";
}

function folderTrustOf(directory: string): unknown {
  const settings = readJson(join(directory, "settings.json"));
  return field(field(field(settings, "security"), "folderTrust"), "enabled");
}

/** The nearest folder with a decision counts; else the person's default. */
function pi({ folders, home, env }: HostQuestion): HostDecision {
  const directory = env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
  const decisions = readJson(join(directory, "trust.json"));
  const fallback = field(readJson(join(directory, "settings.json")), "defaultProjectTrust");
  const decided = folders
    .map((folder) => field(decisions, folder))
    .find((found) => found === true || found === false);
  if (decided !== undefined) return decided ? "trusted" : "untrusted";
  if (fallback === "always") return "trusted";
  if (fallback === "never") return "untrusted";
  return decisions === undefined && fallback === undefined ? "none" : "undecided";
}

/** The projects that the person trusts, by their real paths. */
export function trustedProjects(home: string): readonly string[] {
  return keptFolders(home, "projects");
}

function keptFolders(home: string, list: "projects" | "declined"): readonly string[] {
  const folders = field(
    unlessUnusable(() => readJson(ownList(home))),
    list,
  );
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
}

/** Keeps or withdraws the person's trust in a project, so that they are not asked again; returns whether something changed. */
export function trustProject(home: string, folder: string, on: boolean): boolean {
  const [yes, no] = [keptFolders(home, "projects"), keptFolders(home, "declined")];
  if (yes.includes(folder) === on && no.includes(folder) === !on) return false;
  const others = (list: readonly string[]) => list.filter((each) => each !== folder);
  const lists = {
    projects: [...others(yes), ...(on ? [folder] : [])].sort(),
    declined: [...others(no), ...(on ? [] : [folder])].sort(),
  };
  writeFileAtomically(ownList(home), Buffer.from(`${JSON.stringify(lists, null, 2)}\n`));
  return true;
}

function ownList(home: string): string {
  return join(home, ".repertoire", "trusted-projects.json");
}

/** The repository's root, or the project itself outside a repository. */
function trustFolder(project: string): string {
  return realPath(projectFolders(project)[0] ?? project);
}

function foldersAbove(project: string): string[] {
  const folders = [realPath(project)];
  for (let folder = folders[0]!; dirname(folder) !== folder; folder = dirname(folder))
    folders.push(dirname(folder));
  return folders;
}

/** A host's file that is something else than it should be. */
class Unusable extends Error {}

/** Claude Code keeps whole histories in its file; more than this is not a configuration. */
const LARGEST = 64 * 1024 * 1024;

function readText(path: string): string | undefined {
  const stats = unlessMissing(() => statSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > LARGEST) throw new Unusable(path);
  return readFileSync(path, "utf8").replace(/^\ufeff/, "");
}

function readJson(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(withoutComments(text));
  if (isRecord(value)) return value;
  throw new Unusable(path);
}

function unlessUnusable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "" && !(thrown instanceof SyntaxError) && !(thrown instanceof Unusable))
      throw thrown;
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
