// Chooses the SQLite driver: Node's own if it has one, else `libsql`, which brings its binary along. Loaded when a store is
// opened, not before.

import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { makeFolder, makePrivateFile, PRIVATE_FOLDER } from "../../disk/disk.ts";
import { codeOf, messageOf, RepertoireError } from "../../model/errors.ts";

export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface SqlStatement {
  run(...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** Both drivers agree on this much. */
interface RawStatement {
  run(...values: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  /** Only `libsql` has it on every Node that we support. */
  columns?(): readonly { readonly name: string }[];
}

interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): RawStatement;
  close(): void;
}

/** Opens a database file, creating it and its folder when they are not there, for this user alone. */
export function openDatabase(path: string): SqlDatabase {
  makeFolder(dirname(path), PRIVATE_FOLDER);
  // SQLite gives the files beside it the permissions of this one.
  makePrivateFile(path);
  return opened(path);
}

/** Opens a database file to be read as it is, without any file beside it. Only while nobody writes to it. */
export function openUnchanging(path: string): SqlDatabase {
  return opened(`${pathToFileURL(path).href}?immutable=1`);
}

function opened(path: string): SqlDatabase {
  const native = nodeSqlite();
  if (native) return adapt(new native.DatabaseSync(path), (values) => values);
  // `libsql` takes a lone null or array for a set of parameters; one array is always meant as the list.
  return adapt(textAsBytes(openLibsql(path)), (values) => [values]);
}

/** What `libsql` cannot open it says without a code. */
function openLibsql(path: string): RawDatabase {
  const Database = libsql();
  try {
    return new Database(path);
  } catch (error) {
    if (isDriverError(error)) throw error;
    throw Object.assign(new Error(messageOf(error)), { code: "SQLITE_CANTOPEN" });
  }
}

function adapt(raw: RawDatabase, bind: (values: SqlValue[]) => unknown[]): SqlDatabase {
  return {
    exec: (sql) => raw.exec(sql),
    close: () => raw.close(),
    prepare(sql) {
      const statement = raw.prepare(sql);
      return {
        run(...values) {
          const { changes, lastInsertRowid } = statement.run(...bind(values));
          return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
        },
        get: (...values) => statement.get(...bind(values)) as SqlRow | undefined,
        all: (...values) => statement.all(...bind(values)) as SqlRow[],
      };
    },
  };
}

/**
 * `libsql` ends the whole process at a text that is not UTF-8, which a damaged page can hold. So text leaves it as bytes, and
 * is decoded here, where a bad byte is one bad character. The tables hold no bytes of their own.
 */
function textAsBytes(raw: RawDatabase): RawDatabase {
  return {
    exec: (sql) => raw.exec(sql),
    close: () => raw.close(),
    prepare(sql) {
      if (!/^\s*SELECT\b/i.test(sql)) return raw.prepare(sql);
      const columns = raw.prepare(sql).columns!().map(({ name }) => `"${name.replaceAll('"', '""')}"`);
      const asBytes = (column: string) =>
        `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END AS ${column}`;
      const statement = raw.prepare(`SELECT ${columns.map(asBytes).join(", ")} FROM (${sql})`);
      return {
        run: (...values) => statement.run(...values),
        get: (...values) => decoded(statement.get(...values)),
        all: (...values) => statement.all(...values).map(decoded),
      };
    },
  };
}

const UTF8 = new TextDecoder();

function decoded(row: unknown): unknown {
  const cells = row as Record<string, unknown> | undefined;
  for (const column in cells) {
    const value = cells[column];
    if (value instanceof ArrayBuffer || value instanceof Uint8Array) cells[column] = UTF8.decode(value);
  }
  return cells;
}

type Opener = new (path: string) => RawDatabase;

/** Node's module, without the notice that it is experimental: that is not the user's concern. */
function nodeSqlite(): { DatabaseSync: Opener } | undefined {
  const load = (process as { getBuiltinModule?: (id: string) => unknown }).getBuiltinModule;
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load?.("node:sqlite") as { DatabaseSync: Opener } | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function libsql(): Opener {
  try {
    return createRequire(import.meta.filename)("libsql") as Opener;
  } catch (error) {
    throw new RepertoireError(
      "no-sqlite",
      `No SQLite could be loaded (${messageOf(error)}). Use Node 22.13 or newer, which has one built in, or reinstall with optional packages: npm install --include=optional.`,
      process.version,
    );
  }
}

/** Whether an error of either driver has this primary result code. */
function hasResultCode(error: unknown, name: string, number: number): boolean {
  const { code, errcode, rawCode } = (error ?? {}) as Record<string, unknown>;
  const result = errcode ?? rawCode;
  if (typeof result === "number") return (result & 0xff) === number;
  return typeof code === "string" && (code === name || code.startsWith(`${name}_`));
}

export function isDriverError(error: unknown): boolean {
  // The last is what `libsql` says for result codes that it has no name for.
  return /^(?:ERR_SQLITE_ERROR$|SQLITE_|UNKNOWN_SQLITE_ERROR)/.test(codeOf(error));
}

export function isBusy(error: unknown): boolean {
  return hasResultCode(error, "SQLITE_BUSY", 5);
}

/** The file is damaged, or is no database at all. */
export function isCorrupt(error: unknown): boolean {
  return hasResultCode(error, "SQLITE_CORRUPT", 11) || hasResultCode(error, "SQLITE_NOTADB", 26);
}

/** An error of the driver as one that says what to do; any other as it is. */
export function explained(error: unknown, path: string): unknown {
  if (!isDriverError(error)) return error;
  const isLocked = isBusy(error);
  const advice = isLocked
    ? "Another process is writing to it without end; wait for it or end it, then try again."
    : "Check that the disk has room and that the file and its folder may be written.";
  return new RepertoireError(
    isLocked ? "store-busy" : "store-unusable",
    `${path}: ${messageOf(error)}. ${advice}`,
    path,
  );
}
