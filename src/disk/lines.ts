// Reads and appends files of JSON lines that several processes add to at once.
// Uses Node's built-in modules only: a hook loads this at every message.

import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";

export interface Lines {
  readonly values: readonly unknown[];
  /** Lines that hold no JSON object: what a crash left, or what somebody else wrote. */
  readonly torn: number;
  /** Where to read on: behind the last complete line. */
  readonly end: number;
}

/**
 * Appends the values in one write and returns how many bytes that were. The write begins with a line break, so that a
 * line torn by a crash never damages the next one.
 *
 * @example
 * appendLines(path, [{ step: "turn" }, { step: "shown" }]);
 */
export function appendLines(path: string, values: readonly unknown[]): number {
  const bytes = Buffer.from(`\n${values.map((value) => JSON.stringify(value)).join("\n")}\n`);
  try {
    appendFileSync(path, bytes);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, bytes);
  }
  return bytes.length;
}

/** The complete lines from an offset on; a missing file has none. */
export function readLines(path: string, from = 0): Lines {
  const text = readText(path, from);
  const end = from + (text.lastIndexOf(LINE_BREAK) + 1);
  return { ...parseLines(text.subarray(0, end - from).toString("utf8")), end };
}

function parseLines(text: string): Omit<Lines, "end"> {
  const values: unknown[] = [];
  let torn = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = parseObject(line);
    if (value === undefined) torn++;
    else values.push(value);
  }
  return { values, torn };
}

const LINE_BREAK = 10;
const NOTHING = Buffer.alloc(0);

function readText(path: string, from: number): Buffer {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return NOTHING;
    throw error;
  }
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

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
