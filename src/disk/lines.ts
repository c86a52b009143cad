// Lines of JSON in a file: appended in one write, read from an offset on, in pieces.

import { appendFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import {
  DISK,
  type Files,
  folderMode,
  lastingIn,
  makeFolder,
  makeFolders,
  quietly,
  syncFolder,
  unlessMissing,
} from "./durable.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "./private.ts";

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
  const bytes = linesOf(values);
  try {
    appendFileSync(path, bytes, { mode });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    makeFolder(dirname(path), folderMode(mode));
    appendFileSync(path, bytes, { mode });
  }
  return bytes.length;
}

interface DurableAppend {
  /** Where the last complete line ends. Text after it was cut off by a crash; the next line break would complete it. */
  readonly end?: number | undefined;
  /** Makes the error to throw if the file can neither be written nor put back. */
  readonly uncertain: (cause: unknown) => Error;
}

/**
 * Appends the values so that they survive a power cut once this returns. If it fails, the file says what it said before, or the
 * error is the one of `uncertain`. Only for a file with one writer at a time.
 */
export function appendDurably(
  files: Files,
  path: string,
  values: readonly unknown[],
  { end = Number.POSITIVE_INFINITY, uncertain }: DurableAppend,
): void {
  const bytes = linesOf(values);
  const size = files.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const before = Math.min(size, end);
  makeFolders(files, dirname(path), { sync: true, mode: PRIVATE_FOLDER });
  const file = files.openSync(path, "a", PRIVATE_FILE);
  try {
    if (before < size) files.ftruncateSync(file, before);
    for (let written = 0; written < bytes.length; ) written += files.writeSync(file, bytes, written);
    sync(files, path, file);
  } catch (error) {
    try {
      files.ftruncateSync(file, before);
      files.fsyncSync(file);
    } catch {
      throw uncertain(error);
    }
    throw error;
  } finally {
    // What was written is on disk or taken back; a failing close changes nothing about it.
    quietly(() => files.closeSync(file));
  }
}

/** Makes what somebody appended last, before it is relied on: they may have ended before that. */
export function syncAppended(files: Files, path: string): void {
  const file = unlessMissing(() => files.openSync(path, "a"));
  if (file === undefined) return;
  try {
    sync(files, path, file);
  } finally {
    quietly(() => files.closeSync(file));
  }
}

function sync(files: Files, path: string, file: number): void {
  files.fsyncSync(file);
  if (lastingIn(files).has(path)) return;
  makeFolders(files, dirname(path), { sync: true, mode: PRIVATE_FOLDER });
  syncFolder(files, dirname(path));
  lastingIn(files).add(path);
}

function linesOf(values: readonly unknown[]): Buffer {
  return Buffer.from(`\n${values.map((value) => JSON.stringify(value)).join("\n")}\n`);
}

/** The complete lines from an offset on, at most so many; a missing file has none. */
export function readLines(path: string, from = 0, most = Number.POSITIVE_INFINITY): Lines {
  const values: unknown[] = [];
  const { torn, end } = forEachLine(DISK, path, from, (value) => {
    if (values.push(value) >= most) return false;
  });
  return { values, torn, end };
}

const LINE_BREAK = 10;
/** Small enough to hold many, large enough that a file of any usual size is one read. */
const PIECE = 1 << 20;
/** A longer line is damage: nobody writes one, and none is held in memory. */
const LONGEST_LINE = 64 << 20;

/** Visits the complete lines from an offset on, in pieces, so that a file of any size can be read. Stops if `visit` says `false`. */
export function forEachLine(
  files: Files,
  path: string,
  from: number,
  // biome-ignore lint/suspicious/noConfusingVoidType: who reads to the end says nothing.
  visit: (value: object, end: number) => void | false,
): Pick<Lines, "torn" | "end"> {
  let torn = 0;
  let end = from;
  const take = (parts: readonly Buffer[], length: number) => {
    end += length + 1;
    if (length > LONGEST_LINE) {
      torn++;
      return true;
    }
    const text = (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString("utf8");
    if (text.trim() === "") return true;
    const value = jsonIn(text);
    if (isRecord(value)) return visit(value, end) !== false;
    torn++;
    return true;
  };
  const file = unlessMissing(() => files.openSync(path, "r"));
  if (file === undefined) return { torn, end };
  try {
    /** The beginning of a line whose end was not read yet. */
    let parts: Buffer[] = [];
    let length = 0;
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = from; ; ) {
      const read = files.readSync(file, piece, 0, PIECE, at);
      if (read === 0) return { torn, end };
      at += read;
      const text = piece.subarray(0, read);
      let start = 0;
      for (let stop = text.indexOf(LINE_BREAK); stop >= 0; stop = text.indexOf(LINE_BREAK, start)) {
        if (!take([...parts, text.subarray(start, stop)], length + stop - start)) return { torn, end };
        parts = [];
        length = 0;
        start = stop + 1;
      }
      length += read - start;
      parts = length > LONGEST_LINE ? [] : [...parts, Buffer.from(text.subarray(start))];
    }
  } finally {
    files.closeSync(file);
  }
}
