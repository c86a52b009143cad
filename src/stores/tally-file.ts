// Owns the copy of the accounts that a hook reads without opening the database: small, whatever the library's size.
// It may lag; it is never the truth.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";
import { emptyTally, type Tally } from "../model/tally.ts";

/** Raised when the fields change; a file of another format counts as absent. */
const FORMAT = 1;
/** Recent use only breaks ties; who is not among so many has not been used lately. */
const RECENT = 200;

const FIELDS = [
  "activated",
  "successes",
  "failures",
  "weightOfSuccesses",
  "weightOfFailures",
  "weighedAt",
  "lastUsedAt",
] as const;

type Row = readonly [name: string, digest: string, ...numbers: number[]];

/** Copies what recall may ask for: versions that fail more than they succeed, and those used last. */
export function writeTallyFile(path: string, tallies: readonly Tally[]): void {
  const used = tallies.filter(({ lastUsedAt }) => lastUsedAt > 0).sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  const failing = used.slice(RECENT).filter((tally) => tally.weightOfFailures > tally.weightOfSuccesses);
  const rows = [...used.slice(0, RECENT), ...failing].map(
    (tally): Row => [tally.name, tally.digest, ...FIELDS.map((field) => tally[field])],
  );
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, JSON.stringify({ format: FORMAT, rows }));
  renameSync(temporary, path);
}

/** The accounts as last copied; none when there is no copy or it cannot be read. */
export function readTallyFile(path: string): readonly Tally[] {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as { format?: unknown; rows?: unknown };
    return value?.format === FORMAT && Array.isArray(value.rows) ? value.rows.filter(isRow).map(toTally) : [];
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}

function isRow(value: unknown): value is Row {
  if (!Array.isArray(value) || value.length !== FIELDS.length + 2) return false;
  return value.every((cell, index) => typeof cell === (index < 2 ? "string" : "number"));
}

function toTally([name, digest, ...numbers]: Row): Tally {
  const known = Object.fromEntries(FIELDS.map((field, index) => [field, numbers[index]!]));
  return { ...emptyTally(name, digest), ...known };
}
