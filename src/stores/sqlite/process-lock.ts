// A lock for one work at a time over all processes of this machine. It is SQLite's lock on a separate file: the system
// releases it when its holder dies, and writers of the journal never wait for it.

import { truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Awaitable } from "../../model/awaitable.ts";
import { RepertoireError } from "../../model/errors.ts";
import { InTurn } from "../in-turn.ts";
import { explained, isBusy, isCorrupt, openDatabase, type SqlDatabase } from "./driver.ts";

const NUMBERS = {
  /** Longer than any save of a skill takes, even sixteen in a row on a slow disk. */
  patienceMs: 60_000,
  /** Often enough not to be felt, seldom enough not to load the machine; spread, so that waiters do not march in step. */
  retryMs: 4,
  retrySpreadMs: 12,
} as const;

export class ProcessLock {
  private readonly path: string;
  private readonly openDatabase: typeof openDatabase;
  private readonly inTurn = new InTurn();

  constructor(path: string, open: typeof openDatabase) {
    this.path = path;
    this.openDatabase = open;
  }

  run<T>(work: () => Awaitable<T>): Promise<T> {
    return this.inTurn.run(() => this.holding(work));
  }

  /** For work that cannot wait its turn asynchronously: blocks this process until the lock is free. */
  runSync<T>(work: () => T): T {
    const db = this.open();
    try {
      db.exec(`PRAGMA busy_timeout = ${NUMBERS.patienceMs}`);
      // The second time is for a lock that was garbage.
      if (!this.tryBegin(db) && !this.tryBegin(db)) throw tooLong(this.path);
      return work();
    } finally {
      db.close();
    }
  }

  private async holding<T>(work: () => Awaitable<T>): Promise<T> {
    const db = this.open();
    try {
      for (let waited = 0; !this.tryBegin(db); ) {
        if (waited > NUMBERS.patienceMs) throw tooLong(this.path);
        const pause = NUMBERS.retryMs + Math.random() * NUMBERS.retrySpreadMs;
        await sleep(pause);
        waited += pause;
      }
      return await work();
    } finally {
      db.close();
    }
  }

  private open(): SqlDatabase {
    try {
      return this.openDatabase(this.path);
    } catch (error) {
      throw explained(error, this.path);
    }
  }

  private tryBegin(db: SqlDatabase): boolean {
    try {
      db.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      if (!isCorrupt(error)) throw explained(error, this.path);
      // A lock holds nothing. Emptied in place, so that whoever holds it meanwhile goes on holding this file.
      truncateSync(this.path, 0);
      return false;
    }
  }
}

/** Runs one work at a time over all processes of this machine that name the same file. */
export function processLock(path: string): <T>(work: () => Awaitable<T>) => Promise<T> {
  const lock = new ProcessLock(path, openDatabase);
  return (work) => lock.run(work);
}

function tooLong(path: string): RepertoireError {
  return new RepertoireError(
    "store-busy",
    `Another process has held ${path} for more than ${NUMBERS.patienceMs / 1000} seconds. Wait for it or end it, then try again; nothing was changed.`,
    path,
  );
}
