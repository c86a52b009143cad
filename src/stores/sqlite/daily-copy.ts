// The daily copy of what nobody can make again. It is made in steps between which others may work, and takes the place of the
// one before once all of it could be read and is on disk.

import { renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DISK, removeQuietly, syncFile, syncFolder, temporaryOf } from "../../disk/disk.ts";
import { isCorrupt, type openDatabase, type SqlDatabase } from "./driver.ts";
import { migrate } from "./migrations.ts";
import { KEPT } from "./salvage.ts";

const EVERY_MS = 24 * 60 * 60 * 1000;
/** Copied in a few milliseconds, those of said lines too. */
const ROWS_AT_ONCE = 500;

interface CopyOptions {
  readonly database: string;
  readonly copy: string;
  readonly now: number;
  readonly openDatabase: typeof openDatabase;
}

/** Replaces the copy if it is a day old. A database that cannot be read whole leaves it as it is. */
export function* copyIfOld({ database, copy, now, openDatabase }: CopyOptions): Generator<undefined, void> {
  const copied = statSync(copy, { throwIfNoEntry: false });
  if (copied && Math.abs(now - copied.mtimeMs) < EVERY_MS) return;
  // Of this process alone, so that two at once do not write into one file.
  const temporary = temporaryOf(copy);
  try {
    const db = openDatabase(temporary);
    try {
      yield* fill(db, database, temporary);
    } finally {
      db.close();
    }
    syncFile(DISK, temporary);
    renameSync(temporary, copy);
    syncFolder(DISK, dirname(copy));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
  } finally {
    removeQuietly(DISK, temporary);
  }
}

function* fill(db: SqlDatabase, database: string, temporary: string): Generator<undefined, void> {
  // A copy that is not finished is worth nothing: it needs no journal, and is synced once, at its end.
  db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  migrate(db, temporary);
  db.prepare("ATTACH DATABASE ? AS source").run(database);
  // One transaction reads everything as it is now, whatever is written meanwhile.
  db.exec("BEGIN");
  for (const table of [...KEPT, "meta"]) yield* copyTable(db, table);
  db.exec("COMMIT");
  db.exec("DETACH DATABASE source");
}

function* copyTable(db: SqlDatabase, table: string): Generator<undefined, void> {
  const columns = db.prepare(`PRAGMA main.table_info(${table})`).all();
  const names = columns.map(({ name }) => String(name)).join(", ");
  const keys = columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => String(name));
  const key = keys.join(", ");
  const last = `SELECT ${key} FROM main.${table} ORDER BY ${keys.map((each) => `${each} DESC`).join(", ")} LIMIT 1`;
  const some = (where: string) =>
    `INSERT INTO main.${table} (${names}) SELECT ${names} FROM source.${table} ${where} ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`;
  let { changes } = db.prepare(some("")).run();
  const next = db.prepare(some(`WHERE (${key}) > (${last})`));
  for (; changes === ROWS_AT_ONCE; changes = next.run().changes) yield;
  yield;
}
