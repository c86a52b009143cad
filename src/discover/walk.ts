// Walks the sources and finds the SKILL.md files in them. Does not open a file, and does not decide which of two equal
// names wins.

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, sep } from "node:path";
import { IGNORED_FOLDERS, isInside, unlessMissing } from "../disk/disk.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf, messageOf } from "../model/errors.ts";
import type { Source } from "../model/source.ts";
import { isSkillFile } from "../package/package.ts";

/** A SKILL.md file that was found. */
export interface FoundFile {
  readonly source: Source;
  /** Path of the skill's folder below the source's root, `/`-separated; empty when the root itself is the skill. */
  readonly relativePath: string;
  readonly directory: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Changes with the skill's policy for hosts; undefined if it has none. */
  readonly policy?: string | undefined;
}

export interface Scan {
  /** Lowest precedence first. */
  readonly files: FoundFile[];
  readonly diagnostics: Diagnostic[];
  /** Every folder that was read. */
  readonly folders: string[];
  /**
   * Folders whose modification time reveals added or removed skills: the roots, the folders above a skill, and those
   * that are not part of one. A first sub-skill inside a skill without any shows at the next whole scan only.
   */
  readonly containers: Map<string, number>;
  /** Roots that do not exist. */
  readonly missing: string[];
}

/** What an earlier scan found in the folder of a skill. */
export interface EarlierFolder {
  readonly file: FoundFile;
  readonly diagnostics: readonly Diagnostic[];
}

/** Says what an earlier scan found in a folder that need not be read again; its real path is given, too. */
export type EarlierScan = (directory: string, real: string) => EarlierFolder | undefined;

/**
 * Walks every source, lowest precedence first, and pauses after each folder: the caller decides when to go on. The
 * calls to the file system are synchronous, which is several times faster than the asynchronous ones. What `earlier` has is
 * taken over, and `folders` has only those that were read.
 */
export function* discover(sources: readonly Source[], earlier?: EarlierScan): Generator<undefined, Scan> {
  const scan: Scan = { files: [], diagnostics: [], folders: [], containers: new Map(), missing: [] };
  const roots = sources.map((source) => realPath(source.root));
  const visited = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const root = roots[index];
    if (root === undefined) scan.missing.push(source.root);
    else yield* new SourceWalk({ source, root, roots, visited, scan, earlier }).run();
  }
  return scan;
}

interface WalkContext {
  readonly source: Source;
  readonly root: string;
  /** Real roots of all sources: a link into another source is found there anyway. */
  readonly roots: readonly (string | undefined)[];
  /** Real paths of folders reached through links or holding skills, over all sources. */
  readonly visited: Set<string>;
  readonly scan: Scan;
  readonly earlier: EarlierScan | undefined;
}

class SourceWalk {
  private entries = 0;
  private cut = false;
  private readonly context: WalkContext;

  constructor(context: WalkContext) {
    this.context = context;
  }

  *run(): Generator<undefined, void> {
    const { source, root, scan } = this.context;
    const time = statOf(source.root)?.mtimeMs;
    if (time !== undefined) scan.containers.set(source.root, time);
    yield* this.walk({ directory: source.root, real: root, relativePath: "", depth: 0, insideSkill: false });
  }

  /** Returns whether a skill lies in this folder or below it. */
  private *walk(place: Place): Generator<undefined, boolean> {
    const { context } = this;
    if (context.visited.has(place.real)) return false;
    if (place.depth > WALK_LIMITS.depth) {
      this.report(
        "depth-limit",
        place.directory,
        `Folders below depth ${WALK_LIMITS.depth} are not searched.`,
        "Move the skills closer to the source's root.",
      );
      return false;
    }
    if (this.takeOver(place)) return true;
    const entries = this.read(place.directory);
    if (entries === undefined) return false;
    context.visited.add(place.real);
    context.scan.folders.push(place.directory);
    const isSkill = this.takeSkillFile(place, entries);
    const isPart = isSkill || place.insideSkill;
    const folders = entries.filter((entry) => !entry.isFile() && !IGNORED_FOLDERS.has(entry.name));
    // Taken before the walk goes on: what changes in the meantime must show as another time.
    const time = !isPart || folders.length > 0 ? statOf(place.directory)?.mtimeMs : undefined;
    yield;
    let skillBelow = false;
    for (const entry of folders) {
      if (this.cut) break;
      const child = this.childFolder(place, entry, isPart);
      if (child && (yield* this.walk(child))) skillBelow = true;
      yield;
    }
    const { containers } = context.scan;
    // The time of a root was taken before the walk, and stays.
    if (time !== undefined && (skillBelow || !isPart) && !containers.has(place.directory))
      containers.set(place.directory, time);
    return isSkill || skillBelow;
  }

  /** Takes a skill over that an earlier scan found, with what was wrong in its folder. */
  private takeOver({ directory, real, relativePath }: Place): boolean {
    const { source, scan, visited, earlier } = this.context;
    const known = earlier?.(directory, real);
    if (known?.file.source !== source || known.file.relativePath !== relativePath) return false;
    visited.add(real);
    scan.files.push(known.file);
    scan.diagnostics.push(...known.diagnostics);
    return true;
  }

  private read(directory: string): Dirent[] | undefined {
    let entries: Dirent[];
    try {
      entries = readdirSync(directory, { withFileTypes: true });
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") {
        this.report(
          "unreadable-folder",
          directory,
          `The folder cannot be read: ${messageOf(thrown)}.`,
          "Check its permissions.",
        );
      }
      return undefined;
    }
    this.entries += entries.length;
    if (this.entries > WALK_LIMITS.entries) {
      this.cut = true;
      this.report(
        "entry-limit",
        directory,
        `More than ${WALK_LIMITS.entries} files and folders: the rest of this source is not searched.`,
        "Move what is not a skill out of the source.",
      );
    }
    return entries.length > 1 ? entries.sort(realBeforeLinked) : entries;
  }

  private takeSkillFile(place: Place, entries: readonly Dirent[]): boolean {
    const named = entries.filter(({ name }) => isSkillFile(name));
    const entry = named.find(({ name }) => name === "SKILL.md") ?? named[0];
    if (!entry || (place.relativePath === "" && !this.context.source.rootSkill)) return false;
    const path = place.directory + sep + entry.name;
    if (named.length > 1) {
      this.report(
        "two-skill-files",
        path,
        `The folder holds ${named.map(({ name }) => name).join(" and ")}; ${entry.name} is read.`,
        "Remove the other one.",
      );
    }
    const stats = this.regularFile(path, entry);
    if (!stats) return false;
    this.context.scan.files.push({
      source: this.context.source,
      relativePath: place.relativePath,
      directory: place.directory,
      path,
      size: stats.size,
      mtimeMs: stats.mtimeMs,
      inode: stats.ino,
      policy: entries.some(({ name }) => name === "agents") ? policyStamp(place.directory) : undefined,
    });
    return true;
  }

  private regularFile(path: string, entry: Dirent): Stats | undefined {
    const stats = statOf(path);
    if (stats?.isFile()) {
      if (!entry.isSymbolicLink() || this.mayFollow(path, realPath(path))) return stats;
      return undefined;
    }
    this.report(
      "not-a-file",
      path,
      `${entry.name} is not a regular file${stats ? "" : " (a broken link)"}.`,
      "Replace it with a Markdown file.",
    );
    return undefined;
  }

  private childFolder(place: Place, entry: Dirent, insideSkill: boolean): Place | undefined {
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isSymbolicLink()) return undefined;
    const directory = place.directory + sep + entry.name;
    const relativePath = place.relativePath === "" ? entry.name : `${place.relativePath}/${entry.name}`;
    const depth = place.depth + 1;
    if (isFolder) return { directory, real: place.real + sep + entry.name, relativePath, depth, insideSkill };
    if (!statOf(directory)?.isDirectory()) return undefined;
    const real = realPath(directory);
    if (real === undefined || this.context.visited.has(real)) return undefined;
    return this.mayFollow(directory, real)
      ? { directory, real, relativePath, depth, insideSkill }
      : undefined;
  }

  private mayFollow(link: string, real: string | undefined): boolean {
    const { source, root, roots } = this.context;
    if (real === undefined) return false;
    if (source.trustLinks || isInside(root, real)) return true;
    if (roots.some((other) => other !== undefined && isInside(other, real))) {
      this.report(
        "link-into-source",
        link,
        `The link leads to ${real}, which another source provides.`,
        "Nothing to do: the skill is read there.",
        "info",
      );
      return false;
    }
    this.report(
      "link-outside-source",
      link,
      `The link leads out of its source, to ${real}; it is not followed.`,
      `Add "${source.id}" to "sources.trustLinks" in the configuration if you trust where it leads.`,
    );
    return false;
  }

  private report(
    code: string,
    path: string,
    message: string,
    fix: string,
    severity: Diagnostic["severity"] = "warning",
  ): void {
    this.context.scan.diagnostics.push({ code, severity, path, message, fix });
  }
}

/** Codex keeps a skill's policy here. */
export const POLICY_FILE = join("agents", "openai.yaml");

function policyStamp(directory: string): string | undefined {
  const stats = statOf(join(directory, POLICY_FILE));
  return stats?.isFile() ? `${stats.size} ${stats.mtimeMs} ${stats.ino}` : undefined;
}

interface Place {
  readonly directory: string;
  readonly real: string;
  readonly relativePath: string;
  readonly depth: number;
  /** A folder of support files, most likely. */
  readonly insideSkill: boolean;
}

function realPath(path: string): string | undefined {
  return unlessMissing(() => realpathSync(path), UNREACHABLE);
}

function statOf(path: string): Stats | undefined {
  return unlessMissing(() => statSync(path, { throwIfNoEntry: false }), UNREACHABLE);
}

/** A link may point to itself, a file may vanish, a folder may be closed to us: then there is nothing there. */
const UNREACHABLE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

/** Real folders first, so that a skill reached twice keeps the name of its real place; then by name, for a stable order. */
function realBeforeLinked(a: Dirent, b: Dirent): number {
  const linked = Number(a.isSymbolicLink()) - Number(b.isSymbolicLink());
  return linked !== 0 ? linked : a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

const WALK_LIMITS = {
  /** Deeper trees are link loops or build output; real libraries stay below 10. */
  depth: 32,
  /** Entries looked at in one source: some 20 times the largest public collection's folder count. */
  entries: 200_000,
} as const;
