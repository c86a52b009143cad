// Owns the one place that knows which SQLite there is: Node's own where it has one, else `libsql`, which brings its
// binary along. Loaded when a store is opened, not before. Does not own SQL.

import { createRequire } from "node:module";
import { dirname } from "node:path";
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
  const native = nodeSqlite();
  if (native) return adapt(new native.DatabaseSync(path), (values) => values);
  // `libsql` takes a lone null or array for a set of parameters; one array is always meant as the list.
  return adapt(new (libsql())(path), (values) => [values]);
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
    return createRequire(import.meta.url)("libsql") as Opener;
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
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof errcode === "number") return (errcode & 0xff) === number;
  return typeof code === "string" && (code === name || code.startsWith(`${name}_`));
}

export function isDriverError(error: unknown): boolean {
  return codeOf(error) === "ERR_SQLITE_ERROR" || codeOf(error).startsWith("SQLITE_");
}

export function isBusy(error: unknown): boolean {
  return hasResultCode(error, "SQLITE_BUSY", 5);
}

/** The file is damaged, or is no database at all. */
export function isCorrupt(error: unknown): boolean {
  return hasResultCode(error, "SQLITE_CORRUPT", 11) || hasResultCode(error, "SQLITE_NOTADB", 26);
}
