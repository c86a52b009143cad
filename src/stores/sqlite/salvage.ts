// What is saved of a damaged database: the rows that can still be read, and those of the daily copy.

import { statSync } from "node:fs";
import { isDriverError, type openDatabase, type SqlDatabase, type SqlRow } from "./driver.ts";

/** What nobody can make again. Versions and redirects follow from the log. */
export const KEPT = [
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
  /** Rows read at once; from where that fails on, a damaged page costs no more than the second number. */
  rows: [5_000, 500],
  /** More than this of one table would keep the program busy for long. */
  mostKept: 1_000_000,
  mostOfJournal: 100_000,
} as const;

/** Facts to be kept: those of the store's users, and how far the inbox was taken over, so that no line of it counts twice. */
const META = "WHERE substr(key, 1, 5) = 'user:' OR substr(key, 1, 18) = 'store:inbox.taken:'";

/** Takes over every row of the damaged file, and of the copy, that can be read and is not there yet. */
export function salvage(into: SqlDatabase, from: readonly string[], open: typeof openDatabase): void {
  for (const path of from) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const source = open(path);
    try {
      for (const table of KEPT) copyRows(source, into, table, NUMBERS.mostKept);
      for (const table of JOURNAL) copyRows(source, into, table, NUMBERS.mostOfJournal);
      copyRows(source, into, `meta ${META}`, NUMBERS.mostKept);
    } finally {
      source.close();
    }
  }
}

/** From both ends up to what cannot be read. */
function copyRows(from: SqlDatabase, into: SqlDatabase, rows: string, most: number): void {
  if (copyInOrder(from, into, rows, "DESC", most)) return;
  copyInOrder(from, into, rows, "ASC", most);
}

/** Says whether everything could be read. */
function copyInOrder(
  from: SqlDatabase,
  into: SqlDatabase,
  rows: string,
  order: "ASC" | "DESC",
  most: number,
): boolean {
  const [table] = rows.split(" ") as [string];
  let [step, smaller]: readonly [number, number | undefined] = NUMBERS.rows;
  for (let offset = 0; offset < most; ) {
    let found: SqlRow[];
    try {
      found = from.prepare(`SELECT * FROM ${rows} ORDER BY 1 ${order} LIMIT ${step} OFFSET ${offset}`).all();
    } catch (error) {
      // A table that the file does not have, or pages that are damaged.
      if (!isDriverError(error)) throw error;
      if (smaller === undefined) return false;
      [step, smaller] = [smaller, undefined];
      continue;
    }
    insert(into, table, found);
    if (found.length < step) break;
    offset += step;
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
