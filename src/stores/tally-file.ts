// Owns the copy of the accounts that a hook reads without opening the database. It may lag; it is never the truth.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";
import type { Tally } from "../model/tally.ts";

/** Raised when the fields change; a file of another format counts as absent. */
const FORMAT = 1;

export function writeTallyFile(path: string, tallies: readonly Tally[]): void {
  const used = tallies.filter((tally) => tally.activated > 0 || tally.lastUsedAt > 0);
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, JSON.stringify({ format: FORMAT, tallies: used }));
  renameSync(temporary, path);
}

/** The accounts as last copied; none when there is no copy or it cannot be read. */
export function readTallyFile(path: string): readonly Tally[] {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as { format?: unknown; tallies?: unknown };
    return value?.format === FORMAT && Array.isArray(value.tallies) ? (value.tallies as Tally[]) : [];
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}
