// Owns putting files on disk so that a crash leaves the old one or the new one: temporary file, sync, rename, sync of
// the folder. Does not own which files belong to a skill: `skill-package.ts` does.

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";

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

const TEMPORARY = /^\..+\.[0-9a-f]{12}\.repertoire-tmp$/;

/** Whether a file is what a killed write left behind. */
export function isLeftover(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Writes the bytes beside their place, synced, and returns where they wait to be renamed. */
export function stageFile(
  files: Files,
  path: string,
  content: { readonly bytes: Uint8Array; readonly executable?: boolean | undefined },
): string {
  makeFolders(files, dirname(path));
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${randomBytes(6).toString("hex")}.repertoire-tmp`,
  );
  const file = files.openSync(temporary, "wx", content.executable ? 0o755 : 0o644);
  try {
    try {
      const { bytes } = content;
      for (let written = 0; written < bytes.length; ) written += files.writeSync(file, bytes, written);
      files.fsyncSync(file);
    } finally {
      files.closeSync(file);
    }
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
  return temporary;
}

/** Makes the folder and those above it, each name as lasting as a file's. */
export function makeFolders(files: Files, path: string): void {
  const first = files.mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    syncFolder(files, dirname(folder));
}

/** Windows has no folder handles to sync, and needs none. */
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

/** Says whether there was a file. */
export function removeFile(files: Files, path: string): boolean {
  try {
    files.unlinkSync(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** On the way out of a failure: what cannot be removed now is swept at the next start. */
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

/** Removes what killed writes left below the folder, and says how many files that were. */
export function sweepLeftovers(files: Files, folder: string): number {
  let removed = 0;
  for (const entry of entriesOf(files, folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules")
      removed += sweepLeftovers(files, path);
    else if (entry.isFile() && isLeftover(entry.name)) removed += removeFile(files, path) ? 1 : 0;
  }
  return removed;
}

/** Nothing where there is no folder. */
export function entriesOf(files: Files, folder: string): fs.Dirent[] {
  try {
    return files.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}
