// Owns what belongs to a skill's package: its own files, without its sub-skills and without what never travels.
// Does not read file contents: `regular-file.ts` does.

import {
  type Dirent,
  lstatSync,
  opendirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { IGNORED_FOLDERS, isBelow } from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import { PACKAGE_LIMITS } from "./limits.ts";

export interface PackageEntry {
  /** `/`-separated below the package. */
  readonly path: string;
  /** Where its bytes are: the same path, or the target of a link that stays inside. */
  readonly from: string;
  readonly size: number;
}

export interface PackageListing {
  /** The package's folder as a real path. */
  readonly root: string;
  /** Sorted by path. */
  readonly entries: readonly PackageEntry[];
}

/**
 * The files of a package that may be handed over, or an error that names what may not: links that leave it, special
 * files, too many files, too many bytes. Reads no content, so that a huge file costs nothing.
 */
export function listPackage(directory: string): PackageListing {
  const root = realFolder(directory);
  const entries: PackageEntry[] = [];
  let bytes = 0;
  let folders = 0;
  const add = (path: string, { from, size }: { from: string; size: number }) => {
    entries.push({ path, from, size });
    bytes += size;
    if (entries.length > PACKAGE_LIMITS.files) throw tooManyFiles(directory);
    if (bytes > PACKAGE_LIMITS.bytes) throw tooLarge(directory, path, size);
  };
  const walk = (prefix: string) => {
    folders += 1;
    if (folders > PACKAGE_LIMITS.folders) throw tooManyFolders(directory);
    const names = namesIn(join(root, prefix), directory);
    if (prefix !== "" && names.some(isSkillFileName)) return;
    for (const name of names.sort()) {
      if (IGNORED_FOLDERS.has(name)) continue;
      const path = prefix + name;
      const stats = lstatOrFail(join(root, path));
      if (stats.isFile()) add(path, { from: path, size: stats.size });
      else if (stats.isDirectory()) walk(`${path}/`);
      else if (stats.isSymbolicLink()) add(path, linkTarget(root, path));
      else throw specialFile(join(directory, path), stats);
    }
  };
  walk("");
  return { root, entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** The regular files of a package for a list, sorted; SKILL.md first. Stops after `limit` files, refuses nothing. */
export function packageFiles(directory: string, limit = Number.POSITIVE_INFINITY): string[] {
  const files: string[] = [];
  const walk = (folder: string, prefix: string) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (prefix !== "" && entries.some(isSkillFile)) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= limit || IGNORED_FOLDERS.has(entry.name)) continue;
      if (entry.isFile()) files.push(prefix + entry.name);
      else if (entry.isDirectory()) walk(join(folder, entry.name), `${prefix}${entry.name}/`);
    }
  };
  walk(directory, "");
  return files;
}

function isSkillFile(entry: Dirent): boolean {
  return isSkillFileName(entry.name);
}

export function isSkillFileName(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

function realFolder(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (thrown) {
    throw unreadable(directory, thrown);
  }
}

/** Read entry by entry, so that a folder of millions is left after the first few thousand. */
function namesIn(folder: string, directory: string): string[] {
  const names: string[] = [];
  try {
    const open = opendirSync(folder);
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        names.push(entry.name);
        if (names.length > PACKAGE_LIMITS.files + PACKAGE_LIMITS.folders) throw tooManyFiles(directory);
      }
    } finally {
      open.closeSync();
    }
  } catch (thrown) {
    throw thrown instanceof RepertoireError ? thrown : unreadable(folder, thrown);
  }
  return names;
}

function lstatOrFail(path: string): Stats {
  try {
    return lstatSync(path);
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

function linkTarget(root: string, path: string): { from: string; size: number } {
  const link = join(root, path);
  let target: string;
  let stats: Stats;
  try {
    target = realpathSync(link);
    stats = statSync(target);
  } catch (thrown) {
    throw new RepertoireError(
      "package-link-broken",
      `${link} is a link that leads nowhere (${codeOf(thrown)}). Remove it, or put the file in its place.`,
      path,
    );
  }
  if (!isBelow(root, target)) {
    throw new RepertoireError(
      "package-link-outside",
      `${link} is a link that leaves the package. Put a copy of the file in its place.`,
      path,
    );
  }
  if (stats.isDirectory()) {
    throw new RepertoireError(
      "package-link-folder",
      `${link} is a link to a folder; a package holds regular files and links to them. Put a copy of the folder in its place.`,
      path,
    );
  }
  if (!stats.isFile()) throw specialFile(link, stats);
  return { from: relative(root, target).split(sep).join("/"), size: stats.size };
}

function specialFile(path: string, stats: Stats): RepertoireError {
  const kind = stats.isFIFO()
    ? "a FIFO"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? "a device"
        : "a special file";
  const message = `${path} is ${kind}; a package holds regular files only. Remove it.`;
  return new RepertoireError("package-special-file", message, path);
}

function tooManyFiles(directory: string): RepertoireError {
  return new RepertoireError(
    "package-too-many-files",
    `${directory} holds more than ${inWords(PACKAGE_LIMITS.files)} files, the most a package may have. Move what the skill does not need out of it.`,
    directory,
  );
}

function tooManyFolders(directory: string): RepertoireError {
  return new RepertoireError(
    "package-too-many-folders",
    `${directory} holds more than ${inWords(PACKAGE_LIMITS.folders)} folders, the most a package may have. Move what the skill does not need out of it.`,
    directory,
  );
}

function tooLarge(directory: string, path: string, size: number): RepertoireError {
  return new RepertoireError(
    "package-too-large",
    `${directory} holds more than ${PACKAGE_LIMITS.bytes / 1024 / 1024} MiB, the most a package may have; ${path} alone has ${inWords(size)} bytes. Move large files out of it.`,
    path,
  );
}

export function unreadable(path: string, thrown: unknown): RepertoireError {
  const why = codeOf(thrown) || "it changed while it was read";
  return new RepertoireError(
    "package-unreadable",
    `${path} cannot be read (${why}). Correct its permissions or remove it.`,
    path,
  );
}

function inWords(count: number): string {
  return count.toLocaleString("en-US");
}
