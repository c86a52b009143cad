// Looks for rows of the database that hold what nobody wrote: text that is not UTF-8, or no JSON where JSON belongs.

import { isUtf8 } from "node:buffer";
import { setImmediate as pause } from "node:timers/promises";
import { jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";

/** Columns that hold JSON, by table. */
const JSON_COLUMNS: Readonly<Record<string, string>> = {
  events: "details",
  consents: "files",
  versions: "record",
  changes: "record",
  proposals: "record",
  remembered: "terms",
};

/** What decoding puts in the place of a byte that is no UTF-8; a person may have written it, too. */
const BAD_CHARACTER = "\ufffd";
const ROWS_AT_ONCE = 2_000;

/** The bad rows of a table. */
interface BadRows {
  readonly table: string;
  readonly keyColumns: readonly string[];
  readonly rows: readonly BadRow[];
}

interface BadRow {
  /** In hexadecimal, because the key itself may be no text. */
  readonly key: readonly string[];
  /** Its columns as far as they can be read; undefined if what is left says nothing. */
  readonly readable: SqlRow | undefined;
}

/** `onProgress` is told how many rows of how many were looked at. */
export async function findBadRows(
  db: Connection,
  onProgress: (done: number, total: number) => void,
): Promise<BadRows[]> {
  const found: BadRows[] = [];
  const tables = db.rows<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const counts = tables.map(
    ({ name }) => db.rows<{ count: number }>(`SELECT count(*) AS count FROM ${name}`)[0]!.count,
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const { name } of tables) {
    const bad = await badRowsIn(db, name, (rows) => {
      done += rows;
      onProgress(Math.min(done, total), total);
    });
    if (bad.rows.length > 0) found.push(bad);
  }
  return found;
}

/** Keeps of each row what can be read, and removes those that say nothing any more. Returns how many that were. */
export function mendRows(db: Connection, { table, keyColumns, rows }: BadRows): number {
  const where = keyColumns.map((column) => `hex(${column}) = ?`).join(" AND ");
  return db.write(() => {
    for (const { key, readable } of rows) {
      const texts = Object.entries(readable ?? {}).filter(([, value]) => typeof value === "string");
      const set = texts.map(([column]) => `${column} = ?`).join(", ");
      const sql = readable
        ? `UPDATE ${table} SET ${set} WHERE ${where}`
        : `DELETE FROM ${table} WHERE ${where}`;
      db.change(sql, ...texts.map(([, value]) => value), ...key);
    }
    return rows.filter(({ readable }) => readable === undefined).length;
  });
}

async function badRowsIn(db: Connection, table: string, looked: (rows: number) => void): Promise<BadRows> {
  const columns = db.columnsOf(table);
  const keyColumns = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const jsonColumn = JSON_COLUMNS[table];
  const bad: BadRow[] = [];
  // A table of numbered rows is read on from the last number; the others are small.
  const number = columns.find(({ isKey, type }) => isKey && type === "INTEGER" && keyColumns.length === 1);
  for (let from = number ? -1 : 0; ; await pause()) {
    const part = number
      ? `WHERE ${number.name} > ? ORDER BY ${number.name} LIMIT ${ROWS_AT_ONCE}`
      : `ORDER BY ${keyColumns.join(", ")} LIMIT ${ROWS_AT_ONCE} OFFSET ?`;
    const rows = db.rows<SqlRow>(`SELECT * FROM ${table} ${part}`, from);
    looked(rows.length);
    const doubtful = rows.flatMap((row, at) => (isDoubtful(row, jsonColumn) ? [at] : []));
    if (doubtful.length > 0) {
      const names = columns.map(({ name }) => `hex(${name}) AS ${name}`).join(", ");
      const hex = db.rows<Record<string, string>>(
        `SELECT ${names} FROM (SELECT * FROM ${table} ${part})`,
        from,
      );
      for (const at of doubtful)
        if (isBad(hex[at]!, rows[at]!, jsonColumn))
          bad.push({
            key: keyColumns.map((column) => hex[at]![column] ?? ""),
            readable: holdsJson(rows[at]!, jsonColumn) ? rows[at] : undefined,
          });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return { table, keyColumns, rows: bad };
    from = number ? Number(last[number.name]) : from + rows.length;
  }
}

function isDoubtful(row: SqlRow, jsonColumn: string | undefined): boolean {
  for (const column in row) {
    const value = row[column];
    if (typeof value === "string" && value.includes(BAD_CHARACTER)) return true;
  }
  return !holdsJson(row, jsonColumn);
}

function isBad(hex: Record<string, string>, row: SqlRow, jsonColumn: string | undefined): boolean {
  if (!holdsJson(row, jsonColumn)) return true;
  return Object.values(hex).some((value) => !isUtf8(Buffer.from(value, "hex")));
}

/** An empty cell is left out of a row. */
function holdsJson(row: SqlRow, column: string | undefined): boolean {
  if (column === undefined || row[column] === undefined) return true;
  return jsonIn(String(row[column])) !== undefined;
}
