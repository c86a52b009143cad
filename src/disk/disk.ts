// How bytes reach the disk whole and durably, and how lines are appended and read. The front door of the room.

import * as fs from "node:fs";
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "./private.ts";

export { isBelow, isInside } from "./inside.ts";
export { closeFolder, makePrivate, makePrivateFile, PRIVATE_FILE, PRIVATE_FOLDER } from "./private.ts";
export { readBounded, readInput, withRegularFile } from "./regular-file.ts";

/** The calls that reach the disk, passed in so that tests can make each of them fail. */
export type Files = Pick<
  typeof fs,
  | "openSync"
  | "writeSync"
  | "fsyncSync"
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
  const temporary = stageFile(DISK, path, bytes, options);
  try {
    DISK.renameSync(temporary, path);
  } catch (error) {
    removeQuietly(DISK, temporary);
    throw error;
  }
  if (options.sync !== false) syncFolder(DISK, dirname(path));
}

const TEMPORARY = /^\..+\.[0-9a-f]{12}\.repertoire-tmp$/;

/** Whether a file is what a killed write left behind. */
export function isLeftover(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Writes the bytes to a temporary file beside `path`, and returns the temporary file, to be renamed. */
export function stageFile(
  files: Files,
  path: string,
  bytes: Uint8Array,
  { mode = PRIVATE_FILE, sync = true }: WriteOptions = {},
): string {
  makeFolders(files, dirname(path), { sync, mode: folderMode(mode) });
  // Not from `node:crypto`: a hook would load it at every message.
  const unique = Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, "0");
  const temporary = join(dirname(path), `.${basename(path)}.${unique}.repertoire-tmp`);
  const file = files.openSync(temporary, "wx", mode);
  try {
    writeAndClose(files, file, bytes, sync);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  return temporary;
}

function writeAndClose(files: Files, file: number, bytes: Uint8Array, sync: boolean): void {
  try {
    for (let written = 0; written < bytes.length; ) written += files.writeSync(file, bytes, written);
    if (sync) files.fsyncSync(file);
  } finally {
    files.closeSync(file);
  }
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
      if ((code === "EEXIST" || code === "EISDIR") && files.statSync(path).isDirectory()) return first;
      if (code !== "ENOENT" || isLast || dirname(path) === path) throw error;
    }
    first = makeFolder(dirname(path), mode, files);
  }
  return first;
}

function makeFolders(
  files: Files,
  path: string,
  { sync, mode }: { readonly sync: boolean; readonly mode: number },
): void {
  const first = makeFolder(path, mode, files);
  if (first === undefined || !sync) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    syncFolder(files, dirname(folder));
}

function folderMode(fileMode: number): number {
  return fileMode === PRIVATE_FILE ? PRIVATE_FOLDER : 0o777;
}

/** Makes what was appended to a file survive a power cut. */
export function syncFile(path: string): void {
  const file = DISK.openSync(path, "a");
  try {
    DISK.fsyncSync(file);
  } finally {
    DISK.closeSync(file);
  }
  syncFolder(DISK, dirname(path));
}

/** Makes the names in a folder survive a power cut. Does nothing on Windows, which has no folder handles. */
export function syncFolder(files: Files, path: string): void {
  let folder: number;
  try {
    folder = files.openSync(path, "r");
  } catch (error) {
    if (["EISDIR", "EPERM", "ENOENT"].includes(codeOf(error))) return;
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
  try {
    removeFile(files, path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
  }
}

/** Removes folders that have become empty, from the given one up to, and not including, `root`. */
export function removeEmptyFolders(files: Files, folder: string, root: string): void {
  for (let at = folder; at.length > root.length && at.startsWith(root); at = dirname(at)) {
    try {
      files.rmdirSync(at);
    } catch (error) {
      if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return;
      if (codeOf(error) !== "ENOENT") throw error;
    }
    syncFolder(files, dirname(at));
  }
}

/** Removes what killed writes left below the folder, and returns how many files that were. */
export function sweepLeftovers(files: Files, folder: string): number {
  let removed = 0;
  for (const entry of entriesOf(files, folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !IGNORED_FOLDERS.has(entry.name)) removed += sweepLeftovers(files, path);
    else if (entry.isFile() && isLeftover(entry.name)) removed += removeFile(files, path) ? 1 : 0;
  }
  return removed;
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

/** Never part of a skill or a library. */
export const IGNORED_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

export interface Lines {
  readonly values: readonly unknown[];
  /** Lines that hold no JSON object: what a crash left, or what somebody else wrote. */
  readonly torn: number;
  /** Where to read on: behind the last complete line. */
  readonly end: number;
}

/**
 * Appends the values in one write and returns how many bytes that were. The write begins with a line break, so that a
 * line torn by a crash never damages the next one. A new file is private unless `mode` says otherwise.
 *
 * @example
 * appendLines(path, [{ step: "turn" }, { step: "shown" }]);
 */
export function appendLines(path: string, values: readonly unknown[], mode = PRIVATE_FILE): number {
  const bytes = Buffer.from(`\n${values.map((value) => JSON.stringify(value)).join("\n")}\n`);
  try {
    appendFileSync(path, bytes, { mode });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    makeFolder(dirname(path), folderMode(mode));
    appendFileSync(path, bytes, { mode });
  }
  return bytes.length;
}

/** The complete lines from an offset on; a missing file has none. */
export function readLines(path: string, from = 0): Lines {
  const text = readText(path, from);
  const end = from + (text.lastIndexOf(LINE_BREAK) + 1);
  const values: unknown[] = [];
  let torn = 0;
  for (const line of text.toString("utf8", 0, end - from).split("\n")) {
    if (line.trim() === "") continue;
    const value = jsonIn(line);
    if (isRecord(value)) values.push(value);
    else torn++;
  }
  return { values, torn, end };
}

const LINE_BREAK = 10;
const NOTHING = Buffer.alloc(0);

function readText(path: string, from: number): Buffer {
  const file = unlessMissing(() => openSync(path, "r"));
  if (file === undefined) return NOTHING;
  try {
    const buffer = Buffer.allocUnsafe(Math.max(0, fstatSync(file).size - from));
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(file, buffer, length, buffer.length - length, from + length);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
