// One connection to the database file: its settings, its transactions, and what happens when the file turns out to be
// damaged. Tables and queries are elsewhere.

import { copyFileSync, existsSync, renameSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../model/errors.ts";
import { copyIfOld } from "./daily-copy.ts";
import {
  explained,
  isBusy,
  isCorrupt,
  isDriverError,
  type openDatabase,
  openUnchanging,
  type SqlDatabase,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from "./driver.ts";
import { migrate } from "./migrations.ts";
import type { ProcessLock } from "./process-lock.ts";
import { salvage } from "./salvage.ts";

const NUMBERS = {
  /** A writer holds the file for milliseconds; only a stopped machine makes this run out. */
  busyMs: 15_000,
  /** Between two looks whether the file is free; spread, so that waiters do not march in step. */
  retryMs: 4,
  retrySpreadMs: 12,
  /** Up to this size every page is checked at open, which costs a few milliseconds; larger files are probed. */
  fullCheckBytes: 1 << 20,
  /** Holds the pages that a turn touches of a journal of a million events. Taken only as far as it is needed. */
  cacheKilobytes: 16_384,
  /** The log is folded back beyond this size, and cut to a quarter of it afterwards. */
  checkpointBytes: 4 << 20,
} as const;

/** What happened to a damaged database. */
export interface Rebuild {
  readonly path: string;
  /** Where the damaged file is kept. */
  readonly movedTo: string;
  readonly cause: string;
  readonly message: string;
}

interface ConnectionOptions {
  readonly path: string;
  /** A copy of what nobody can make again, replaced once a day. */
  readonly copy: string;
  readonly openDatabase: typeof openDatabase;
  /** Held while a damaged file is replaced. Not one that work on the store may hold already. */
  readonly lock: ProcessLock;
  readonly now: () => Date;
  /** Brings a file that was just opened up to date with what is known from elsewhere. */
  readonly refill: () => void;
  readonly onRebuild?: ((rebuild: Rebuild) => void) | undefined;
}

export class Connection {
  private readonly options: ConnectionOptions;
  private db: SqlDatabase | undefined;
  private inode = 0;
  /** The state of a file that is read as it is, because nothing can be written beside it. */
  private unchanging: string | undefined;
  private depth = 0;
  private checkpointAt: number = NUMBERS.checkpointBytes;
  private statements = new Map<string, SqlStatement>();

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /** A prepared statement; kept for the next time. */
  sql(text: string): SqlStatement {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.open().prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  /** What a reading statement finds, without empty columns and without what a driver adds. */
  rows<T>(sql: string, ...values: SqlValue[]): T[] {
    return this.read(() => this.sql(sql).all(...values)).map((row) => {
      const found: SqlRow = {};
      for (const column in row)
        if (row[column] !== null && column !== "_metadata") found[column] = row[column]!;
      return found as T;
    });
  }

  /** The columns of a table, and which of them are its key. */
  columnsOf(table: string): { readonly name: string; readonly type: string; readonly isKey: boolean }[] {
    return this.read(() => this.sql(`PRAGMA table_info(${table})`).all()).map(({ name, type, pk }) => ({
      name: String(name),
      type: String(type),
      isKey: Number(pk) > 0,
    }));
  }

  /** Runs a writing statement and returns how many rows it changed. */
  change(sql: string, ...values: SqlValue[]): number {
    return this.write(() => this.sql(sql).run(...values).changes);
  }

  /** Runs a reading work; a damaged file is rebuilt, and the work done again on the new one. */
  read<T>(work: () => T): T {
    if (this.depth > 0) return work();
    if (this.unchanging !== undefined && this.unchanging !== stampOf(this.options.path)) this.drop();
    try {
      this.open();
      return work();
    } catch (error) {
      if (!isCorrupt(error) || this.unchanging !== undefined) throw explained(error, this.options.path);
      this.rebuild(error);
      return work();
    }
  }

  /** Runs a writing work as one transaction; within another one it is part of that. */
  write<T>(work: () => T): T {
    if (this.depth > 0) return work();
    // Perhaps there is room again.
    if (this.unchanging !== undefined) this.drop();
    const result = this.read(() => this.transaction(work));
    this.checkpointIfDue();
    return result;
  }

  /** Whether another connection is writing now. */
  isBusy(): boolean {
    const { db } = this;
    if (db === undefined || this.depth > 0) return false;
    try {
      db.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
      return false;
    } catch (error) {
      // Anything else that is wrong with the file, the work itself meets and deals with.
      return isBusy(error);
    } finally {
      db.exec(`PRAGMA busy_timeout = ${NUMBERS.busyMs}`);
    }
  }

  /** Waits without blocking until no other connection is writing, as long as a blocking work would. */
  async whenFree(): Promise<void> {
    for (let waited = 0; waited < NUMBERS.busyMs && this.isBusy(); ) {
      const pause = NUMBERS.retryMs + Math.random() * NUMBERS.retrySpreadMs;
      await sleep(pause);
      waited += pause;
    }
  }

  /** Every page and every index checked; the problems found, none when all is well. Takes seconds on a large journal. */
  check(): readonly string[] {
    try {
      return this.read(() => integrityOf(this.open()));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return [messageOf(error)];
    }
  }

  /** Moves the file aside, begins a new one with what can still be read, and returns where the old one is. */
  replace(cause: string): string | undefined {
    this.open();
    return this.rebuild(corrupt(cause));
  }

  /** Copies the file as it is now. */
  copyTo(path: string): void {
    this.read(() => this.sql("PRAGMA wal_checkpoint(PASSIVE)").all());
    copyFileSync(this.options.path, path);
  }

  /** Replaces the copy if it is a day old, in steps between which others may work. */
  *copyIfOld(): Generator<undefined, void> {
    const { path: database, copy, openDatabase, now } = this.options;
    try {
      yield* copyIfOld({ database, copy, openDatabase, now: now().getTime() });
    } catch (error) {
      throw explained(error, copy);
    }
  }

  close(): void {
    this.checkpoint();
    this.drop();
  }

  /** Folds the log back into the file. `libsql` does not do it by itself, and reads would come to feel it. */
  private checkpointIfDue(): void {
    const size = statSync(`${this.options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size < NUMBERS.checkpointBytes) this.checkpointAt = NUMBERS.checkpointBytes;
    if (size < this.checkpointAt) return;
    this.checkpoint();
    // While somebody reads, the log cannot shrink; then it is tried again only once it has grown as much again.
    this.checkpointAt = size + NUMBERS.checkpointBytes;
  }

  /** Waits for nobody: what readers still need stays in the log. */
  private checkpoint(): void {
    try {
      this.db?.prepare("PRAGMA wal_checkpoint(PASSIVE)").all();
    } catch (error) {
      // The write itself is done. Whatever is wrong with the file, the next question meets it and deals with it.
      if (!isDriverError(error)) throw error;
    }
  }

  private drop(): void {
    this.statements.clear();
    this.db?.close();
    this.db = undefined;
    this.unchanging = undefined;
  }

  private open(): SqlDatabase {
    if (this.db) return this.db;
    try {
      this.openFile();
    } catch (error) {
      if (isCorrupt(error)) {
        this.rebuild(error);
        return this.db!;
      }
      this.drop();
      if (this.openUnchanging()) return this.db!;
      throw error;
    }
    this.refill();
    return this.db!;
  }

  /** For a disk that is full or may not be written: what can be read, once SQLite could not make its files beside it. */
  private openUnchanging(): boolean {
    const { path } = this.options;
    const stat = statSync(path, { throwIfNoEntry: false });
    // What is in the log of another process can only be read together with it.
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size === 0 || (log !== undefined && log.size > 0)) return false;
    try {
      this.db = openUnchanging(path);
      migrate(this.db, path);
      this.inode = stat.ino;
      this.unchanging = stampOf(path);
      return true;
    } catch (error) {
      this.drop();
      if (!isDriverError(error)) throw error;
      return false;
    }
  }

  /** A file that could not be brought up to date counts as not open, so that the next question tries again. */
  private refill(): void {
    try {
      this.options.refill();
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  private openFile(): void {
    const { path } = this.options;
    const db = this.options.openDatabase(path);
    this.db = db;
    this.inode = statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
    db.exec(`PRAGMA busy_timeout = ${NUMBERS.busyMs}`);
    db.exec("PRAGMA journal_mode = WAL");
    // In WAL mode this survives every crash of the process; what must survive a power cut is in files as well.
    db.exec("PRAGMA synchronous = NORMAL");
    db.exec(`PRAGMA journal_size_limit = ${NUMBERS.checkpointBytes / 4}`);
    db.exec(`PRAGMA cache_size = -${NUMBERS.cacheKilobytes}`);
    migrate(db, path);
    this.inode ||= statSync(path).ino;
    probe(db, statSync(path).size);
  }

  private transaction<T>(work: () => T): T {
    const db = this.begin();
    this.depth++;
    try {
      const result = work();
      db.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(db, error);
      throw error;
    } finally {
      this.depth--;
    }
  }

  /**
   * Begins a transaction on the file that is there. Another process may have moved a damaged file aside, or a person deleted it; what
   * is written into the old one nobody reads. Looked at once the file cannot be written by others.
   */
  private begin(): SqlDatabase {
    for (;;) {
      const db = this.open();
      db.exec("BEGIN IMMEDIATE");
      if (statSync(this.options.path, { throwIfNoEntry: false })?.ino === this.inode) return db;
      db.exec("ROLLBACK");
      this.drop();
    }
  }

  private rebuild(error: unknown): string | undefined {
    const { path, copy, openDatabase, lock, now, onRebuild } = this.options;
    const damaged = this.inode;
    this.drop();
    const moved = lock.runSync(() => {
      const movedTo =
        statSync(path, { throwIfNoEntry: false })?.ino === damaged ? moveAside(path, now()) : undefined;
      this.openFile();
      if (movedTo !== undefined) salvage(this.db!, [movedTo, copy], openDatabase);
      return movedTo;
    });
    this.refill();
    if (moved === undefined) return undefined;
    const cause = messageOf(error);
    onRebuild?.({
      path,
      movedTo: moved,
      cause,
      message: `${path} was damaged (${cause}). It was moved to ${moved} and a new one begun. Skills and versions are all there; of the journal, conversations, consents, trust and proposals there is what could still be read, and what the last copy had.`,
    });
    return moved;
  }
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "";
}

/** Runs steps to their end without a pause. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** What SQLite finds wrong with a file, at most so many lines; none when all is well. */
export function integrityOf(db: SqlDatabase, most = 20): string[] {
  const rows = db.prepare(`PRAGMA integrity_check(${most})`).all();
  return rows.map((row) => String(row.integrity_check)).filter((line) => line !== "ok");
}

function corrupt(message: string): Error {
  return Object.assign(new Error(message), { code: "SQLITE_CORRUPT" });
}

/** Where a damaged file is kept. */
export function asideOf(path: string, now: Date): string {
  return `${path}.corrupt-${now.toISOString().replace(/[:.]/g, "-")}`;
}

/** Since when a damaged file is kept, by its name: the file itself may be much older. Undefined for any other file. */
export function asideSince(name: string): number | undefined {
  const since = /\.corrupt-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)/.exec(name);
  return since ? Date.parse(`${since[1]}:${since[2]}:${since[3]}.${since[4]}`) : undefined;
}

/** Reads where truncation and overwritten pages show first. */
function probe(db: SqlDatabase, size: number): void {
  if (size <= NUMBERS.fullCheckBytes) {
    const found = String(db.prepare("PRAGMA quick_check(1)").get()?.quick_check);
    if (found !== "ok") throw corrupt(found);
    return;
  }
  for (const table of ["events", "versions", "said", "proposals"])
    db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
  for (const order of ["at", "kind", "version"])
    db.prepare(`SELECT seq FROM events ORDER BY ${order} DESC LIMIT 1`).get();
}

function moveAside(path: string, now: Date): string {
  const movedTo = asideOf(path, now);
  for (const suffix of ["", "-wal", "-shm"])
    if (existsSync(path + suffix)) renameSync(path + suffix, movedTo + suffix);
  return movedTo;
}

/** On a full disk or a read error SQLite has rolled back by itself; then there is nothing left to do. */
function rollBack(db: SqlDatabase, cause: unknown): void {
  try {
    db.exec("ROLLBACK");
  } catch (error) {
    if (!isCorrupt(cause) && !messageOf(error).includes("no transaction")) {
      throw new AggregateError([cause, error], messageOf(cause));
    }
  }
}
