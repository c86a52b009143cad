// Keeps what belongs to one person readable by that person alone.

import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/**
 * Closes a folder to others, and with it everything below. Costs one look if it is closed already. A folder that cannot be
 * looked at is left to whoever uses it, and fails there.
 */
export function closeFolder(folder: string): void {
  let stats: Stats | undefined;
  try {
    stats = statSync(folder, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
  if (stats && (stats.mode & OTHERS) !== 0) restrict(folder, PRIVATE_FOLDER);
}

/**
 * Makes a folder and what is in it private, where it is not. Costs one look at each entry of the folder itself; only what
 * others could open is walked through. Leaves `except` and links alone.
 */
export function makePrivate(folder: string, except: readonly string[] = []): void {
  closeFolder(folder);
  for (const name of namesIn(folder)) if (!except.includes(name)) closeEntry(join(folder, name));
}

function closeEntry(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & OTHERS) === 0) return;
  if (stats.isFile()) restrict(path, PRIVATE_FILE);
  if (!stats.isDirectory()) return;
  for (const name of namesIn(path)) closeEntry(join(path, name));
  // Last, so that a walk that was cut off is done again.
  restrict(path, PRIVATE_FOLDER);
}

/**
 * Makes an empty private file if there is none, for a library that would make one that others can read. If that fails, the
 * library fails too, and says why.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return [];
  }
}

/** What belongs to somebody else stays as it is; so does everything where there are no such modes. */
function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
}
