// What is saved of a damaged database: the rows that can still be read, and those of the last copy that was checked.

import { renameSync, rmSync, statSync } from "node:fs";
import { isDriverError, type openDatabase, type SqlDatabase, type SqlRow } from "./driver.ts";
import { migrate } from "./migrations.ts";

/** What nobody can make again. Versions and redirects follow from the log. */
const KEPT = [
  "tasks",
  "consents",
  "trust",
  "proposals",
  "said",
  "remembered",
  "tallies",
  "weeks",
  "episodes",
] as const;
/** What was counted in the tallies already; the newest are enough to go on with. */
const JOURNAL = ["speakers", "events"] as const;

const NUMBERS = {
  /** Rows read at once: a damaged page costs no more than these. */
  rows: 500,
  /** More than this of one table would keep the program busy for long. */
  most: 100_000,
  copyEveryMs: 24 * 60 * 60 * 1000,
} as const;

/** Takes over every row of the damaged file, and of the copy, that can be read and is not there yet. */
export function salvage(into: SqlDatabase, from: readonly string[], open: typeof openDatabase): void {
  for (const path of from) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const source = open(path);
    try {
      for (const table of [...KEPT, ...JOURNAL]) copyRows(source, into, table);
      copyRows(source, into, "meta", "WHERE substr(key, 1, 5) = 'user:'");
    } finally {
      source.close();
    }
  }
}

/** Replaces the copy if it is old. A database that cannot be copied whole leaves the copy as it is. */
export function copyIfOld(db: SqlDatabase, path: string, now: number, open: typeof openDatabase): boolean {
  const copied = statSync(path, { throwIfNoEntry: false });
  if (copied && Math.abs(now - copied.mtimeMs) < NUMBERS.copyEveryMs) return false;
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const copy = open(temporary);
  try {
    migrate(copy, temporary);
    const whole = KEPT.every((table) => copyRows(db, copy, table));
    if (!whole || !copyRows(db, copy, "meta", "WHERE substr(key, 1, 5) = 'user:'")) return false;
    if (String(copy.prepare("PRAGMA quick_check(1)").get()?.quick_check) !== "ok") return false;
  } finally {
    copy.close();
  }
  renameSync(temporary, path);
  return true;
}

/** From both ends up to what cannot be read. Says whether everything could be. */
function copyRows(from: SqlDatabase, into: SqlDatabase, table: string, where = ""): boolean {
  const rows = `SELECT * FROM ${table} ${where} ORDER BY 1`;
  if (copyInOrder(from, into, table, `${rows} DESC`)) return true;
  copyInOrder(from, into, table, `${rows} ASC`);
  return false;
}

function copyInOrder(from: SqlDatabase, into: SqlDatabase, table: string, rows: string): boolean {
  for (let offset = 0; offset < NUMBERS.most; offset += NUMBERS.rows) {
    let found: SqlRow[];
    try {
      found = from.prepare(`${rows} LIMIT ${NUMBERS.rows} OFFSET ${offset}`).all();
    } catch (error) {
      // A table that the file does not have, or pages that are damaged.
      if (!isDriverError(error)) throw error;
      return false;
    }
    insert(into, table, found);
    if (found.length < NUMBERS.rows) break;
  }
  return true;
}

function insert(into: SqlDatabase, table: string, rows: readonly SqlRow[]): void {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "_metadata");
  if (columns.length === 0) return;
  const places = columns.map(() => "?").join(", ");
  const statement = into.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
  into.exec("BEGIN IMMEDIATE");
  try {
    for (const row of rows) statement.run(...columns.map((column) => row[column]!));
    into.exec("COMMIT");
  } catch (error) {
    into.exec("ROLLBACK");
    throw error;
  }
}
