// How bytes reach the disk whole and durably.

import * as fs from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "./private.ts";

/** The calls that reach the disk, passed in so that tests can make each of them fail. */
export type Files = Pick<
  typeof fs,
  | "openSync"
  | "readSync"
  | "writeSync"
  | "fsyncSync"
  | "fsync"
  | "ftruncateSync"
  | "closeSync"
  | "renameSync"
  | "unlinkSync"
  | "mkdirSync"
  | "rmdirSync"
  | "readFileSync"
  | "readdirSync"
  | "statSync"
>;

export const DISK: Files = fs;

interface WriteOptions {
  /** Permissions of the file; it is private unless given. New folders are as open as the file. */
  readonly mode?: number | undefined;
  /** False for caches: others still see the old file or the new one, but a power cut may lose both. */
  readonly sync?: boolean | undefined;
  /** Where the temporary file is made: beside the file unless given. On the same file system. */
  readonly staging?: string | undefined;
  readonly files?: Files | undefined;
}

/**
 * Replaces a whole file; makes its folders. Once this returns, the new content survives a power cut.
 *
 * @example
 * writeFileAtomically(join(folder, "state.json"), JSON.stringify(state));
 */
export function writeFileAtomically(
  path: string,
  content: Uint8Array | string,
  options: WriteOptions = {},
): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const { files = DISK, sync = true } = options;
  const temporary = stageFile(files, path, bytes, options);
  try {
    files.renameSync(temporary, path);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  if (sync) syncFolder(files, dirname(path));
}

/** Earlier versions of the program did not write down where the number of the process counts. */
const TEMPORARY = /^\..+\.(?:(?<maker>[0-9a-f]{12})[0-9a-f]{6}|[0-9a-f]{12})\.repertoire-tmp$/;

/** Whether a file is what a killed write left behind. */
export function isLeftover(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Writes the bytes to a temporary file beside `path`, and returns the temporary file, to be renamed. Its name says which process made
 * it, so that the next one can tell whether its maker is gone.
 */
export function stageFile(
  files: Files,
  path: string,
  bytes: Uint8Array,
  { mode = PRIVATE_FILE, sync = true, staging = dirname(path) }: WriteOptions = {},
): string {
  makeFolders(files, dirname(path), { sync, mode: folderMode(mode) });
  const temporary = temporaryOf(join(staging, basename(path)));
  try {
    writeAndClose(files, files.openSync(temporary, "wx", mode), bytes, sync);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  return temporary;
}

/** A name beside `path` for a file that is to replace it. */
export function temporaryOf(path: string): string {
  // Not from `node:crypto`: a hook would load it at every message.
  const unique = sixDigits(Math.floor(Math.random() * 2 ** 24));
  return join(dirname(path), `.${basename(path)}.${makerOfOurs()}${unique}.repertoire-tmp`);
}

/** Who makes our temporary files: among which processes its number counts, and that number. */
function makerOfOurs(): string {
  return processSpace() + sixDigits(process.pid);
}

let knownSpace: string | undefined;

/**
 * Where the number of a process means that process: this start of this machine, and this container of it. Another container that
 * shares the folder has processes of the same numbers.
 */
function processSpace(): string {
  if (knownSpace === undefined) {
    let mixed = 0;
    for (const byte of Buffer.from(linuxSpace() ?? hostname())) mixed = (mixed * 31 + byte) % 2 ** 24;
    knownSpace = sixDigits(mixed);
  }
  return knownSpace;
}

function linuxSpace(): string | undefined {
  const look = () =>
    fs.readlinkSync("/proc/self/ns/pid") + fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  return unlessMissing(look, UNREADABLE);
}

function sixDigits(number: number): string {
  return (number % 2 ** 24).toString(16).padStart(6, "0");
}

function writeAndClose(files: Files, file: number, bytes: Uint8Array, sync: boolean): void {
  try {
    for (let written = 0; written < bytes.length; ) written += files.writeSync(file, bytes, written);
    if (sync) files.fsyncSync(file);
  } finally {
    files.closeSync(file);
  }
}

/** Paths that this process has made to last. That one exists says nothing: its maker may have died before that. */
const lasting = new WeakMap<Files, Set<string>>();

export function lastingIn(files: Files): Set<string> {
  const known = lasting.get(files) ?? new Set();
  lasting.set(files, known);
  return known;
}

/**
 * Makes a folder and its parents, and returns the outermost one that was missing. Node's own recursive form never returns if a
 * file system refuses with ENOENT, as /proc does.
 */
export function makeFolder(path: string, mode = 0o777, files: Files = DISK): string | undefined {
  let first: string | undefined;
  for (const isLast of [false, true]) {
    try {
      files.mkdirSync(path, { mode });
      return first ?? path;
    } catch (error) {
      const code = codeOf(error);
      if (code === "EEXIST" || code === "EISDIR") {
        if (files.statSync(path).isDirectory()) return first;
        throw Object.assign(new Error(`ENOTDIR: not a folder, ${path}`), { code: "ENOTDIR", path });
      }
      if (code !== "ENOENT" || isLast || dirname(path) === path) throw error;
    }
    first = makeFolder(dirname(path), mode, files);
  }
  return first;
}

/** Makes the folder and its parents. */
export function makeFolders(
  files: Files,
  path: string,
  { sync, mode }: { readonly sync: boolean; readonly mode: number },
): void {
  const made = makeUnsynced(files, path, mode);
  if (!sync) return;
  for (const { folder, isNew } of made) syncFolder(files, dirname(folder), isNew ? [] : ["EACCES"]);
  markLasting(files, made);
}

/** A folder that lasts once the folder that it is in is synced. */
export interface UnsyncedFolder {
  readonly folder: string;
  /** Who may not open a folder cannot have made anything in it: only a new one must be synced. */
  readonly isNew: boolean;
}

/** Makes the folder and its parents, and returns those of them that a power cut may take away. */
export function makeUnsynced(files: Files, path: string, mode: number): UnsyncedFolder[] {
  const first = makeFolder(path, mode, files);
  const known = lastingIn(files);
  const isNew = (folder: string) => first !== undefined && folder.length >= first.length;
  const unsynced: UnsyncedFolder[] = [];
  for (let at = path; at !== dirname(at) && (isNew(at) || !known.has(at)); at = dirname(at))
    unsynced.push({ folder: at, isNew: isNew(at) });
  return unsynced;
}

export function markLasting(files: Files, folders: readonly UnsyncedFolder[]): void {
  for (const { folder } of folders) lastingIn(files).add(folder);
}

export function folderMode(fileMode: number): number {
  return fileMode === PRIVATE_FILE ? PRIVATE_FOLDER : 0o777;
}

/** Makes the content of a file survive a power cut. */
export function syncFile(files: Files, path: string): void {
  const file = files.openSync(path, "r");
  try {
    files.fsyncSync(file);
  } finally {
    files.closeSync(file);
  }
}

/** Makes the names in a folder survive a power cut. Does nothing on Windows, which has no folder handles. */
export function syncFolder(files: Files, path: string, tolerated: readonly string[] = []): void {
  let folder: number;
  try {
    folder = files.openSync(path, "r");
  } catch (error) {
    if (["EISDIR", "EPERM", "ENOENT", ...tolerated].includes(codeOf(error))) return;
    throw error;
  }
  try {
    files.fsyncSync(folder);
  } catch (error) {
    if (codeOf(error) !== "EPERM" && codeOf(error) !== "EINVAL") throw error;
  } finally {
    files.closeSync(folder);
  }
}

/** Returns whether there was a file. */
export function removeFile(files: Files, path: string): boolean {
  try {
    files.unlinkSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes a file after a failure. What cannot be removed now is removed by `sweepLeftovers` later. */
export function removeQuietly(files: Files, path: string): void {
  quietly(() => removeFile(files, path));
}

/** For work after which all is well, whether the disk lets it happen or not. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) === "") throw error;
  }
}

/** Removes folders that have become empty, from the given one up to, and not including, `root`. */
export function removeEmptyFolders(files: Files, folder: string, root: string): void {
  for (let at = folder; at.length > root.length && at.startsWith(root); at = dirname(at)) {
    lastingIn(files).delete(at);
    try {
      files.rmdirSync(at);
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return;
      if (codeOf(error) !== "ENOENT") throw error;
    }
    syncFolder(files, dirname(at));
  }
}

/**
 * Removes what killed writes, and failed ones of this process, left below the folder, and returns how many files that were. What
 * nobody may read or change is left alone: it is the problem of that folder, and of no other.
 */
export function sweepLeftovers(files: Files, folder: string): number {
  let removed = 0;
  for (const entry of unlessMissing(() => entriesOf(files, folder), FORBIDDEN) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !IGNORED_FOLDERS.has(entry.name)) removed += sweepLeftovers(files, path);
    else if (entry.isFile() && isLeftover(entry.name) && (isOurs(entry.name) || isAbandoned(files, path)))
      removed += unlessMissing(() => removeFile(files, path), FORBIDDEN) ? 1 : 0;
  }
  return removed;
}

const FORBIDDEN = ["EACCES", "EPERM"];

/** Removes the temporary files of a folder, not those below it, whose makers are gone. What cannot be removed stays. */
export function sweepAbandoned(files: Files, folder: string): void {
  quietly(() => {
    for (const { name } of entriesOf(files, folder))
      if (isLeftover(name) && !isOurs(name) && isAbandoned(files, join(folder, name)))
        removeQuietly(files, join(folder, name));
  });
}

/** Longer than any file is in flight. */
const IN_FLIGHT_MS = 60 * 60 * 1000;

function isOurs(temporary: string): boolean {
  return makerOf(temporary) === makerOfOurs();
}

/** Whether the maker of a temporary file is gone. Of one that we cannot look for, only the age of its file tells. */
function isAbandoned(files: Files, temporary: string): boolean {
  const maker = makerOf(basename(temporary));
  if (maker.startsWith(processSpace())) return !isRunning(Number.parseInt(maker.slice(6), 16));
  const stat = files.statSync(temporary, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > IN_FLIGHT_MS;
}

function makerOf(temporary: string): string {
  return TEMPORARY.exec(temporary)?.groups?.maker ?? "";
}

/** Whether a process of this machine is there. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Removes the files of a folder that were last written before a moment; `dryRun` only counts them. */
export function sweepFolder(
  folder: string | undefined,
  { before, dryRun }: { readonly before: number; readonly dryRun?: boolean | undefined },
): { readonly items: number; readonly bytes: number } {
  let [items, bytes] = [0, 0];
  if (folder === undefined) return { items, bytes };
  for (const entry of entriesOf(DISK, folder)) {
    const path = join(folder, entry.name);
    const stat = entry.isFile() ? DISK.statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stat === undefined || stat.mtimeMs >= before) continue;
    if (!dryRun) removeFile(DISK, path);
    items++;
    bytes += stat.size;
  }
  return { items, bytes };
}

/** The entries of a folder; none if there is no folder. */
export function entriesOf(files: Files, folder: string): fs.Dirent[] {
  const read = () => files.readdirSync(folder, { withFileTypes: true });
  return unlessMissing(read, ["ENOENT", "ENOTDIR"]) ?? [];
}

/** What `look` returns; undefined if it fails with one of the codes, by default because a file is missing. */
export function unlessMissing<T>(look: () => T, codes: readonly string[] = ["ENOENT"]): T | undefined {
  try {
    return look();
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Codes of a file that is not there or cannot be read, for what may be missing. */
export const UNREADABLE = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "EPERM", "EIO", "ELOOP"];

/** Codes of a disk that takes nothing now, for what can be done without. */
export const UNWRITABLE = [...UNREADABLE, "EROFS", "ENOSPC", "EDQUOT"];

/** Never part of a skill or a library. */
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);
