// Owns the default store: one SQLite file in a folder, and beside it the files that a hook or a rebuild needs.
// Does not own tables or queries: the `sqlite-*.ts` files do, one group each.

import { HALF_LIFE_MS } from "../journal/journal.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { Clock } from "../model/clock.ts";
import { BlobFiles } from "./blob-files.ts";
import { Connection, type Rebuild } from "./connection.ts";
import { placesIn } from "./places.ts";
import { ProcessLock } from "./process-lock.ts";
import { SessionFiles } from "./session-files.ts";
import { Spool } from "./spool.ts";
import { SqliteTasks, SqliteTrust } from "./sqlite-activation.ts";
import { SqliteInbox } from "./sqlite-inbox.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import { SqliteConversation, SqliteMeta, SqliteProposals, SqliteRedirects } from "./sqlite-records.ts";
import { SqliteVersions } from "./sqlite-versions.ts";
import type { Store } from "./store.ts";
import { writeTallyFile } from "./tally-file.ts";

/** The copy of the accounts for hooks is at most this old while a process records. */
const TALLY_COPY_MS = 2_000;
const HALF_LIFE = "halfLifeMs";

export interface SqliteOptions {
  /** Usually `~/.repertoire`; created when it is not there. */
  readonly directory: string;
  readonly clock: Clock;
  /** How long until an outcome weighs half. A change counts all outcomes anew. */
  readonly halfLifeMs?: number;
  /** Told when a damaged database was moved aside and a new one begun. */
  readonly onRebuild?: (rebuild: Rebuild) => void;
}

export type { Rebuild };

/** Opens the store. The database file itself is opened with the first question. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  return new SqliteStore(options);
}

/** Nobody goes on with a conversation after this long; what was done in it stays in the journal. */
const QUIET_SESSION_MS = 30 * 24 * 60 * 60 * 1000;

export class SqliteStore implements Store {
  readonly journal: SqliteJournal;
  readonly sessions: SessionFiles;
  readonly tasks: SqliteTasks;
  readonly trust: SqliteTrust;
  readonly versions: SqliteVersions;
  readonly blobs: BlobFiles;
  readonly redirects: SqliteRedirects;
  readonly conversation: SqliteConversation;
  readonly proposals: SqliteProposals;
  readonly meta: SqliteMeta;
  private readonly facts: SqliteMeta;
  private readonly connection: Connection;
  private readonly lock: ProcessLock;
  private readonly inbox: SqliteInbox;
  private readonly options: SqliteOptions;
  private readonly tallyPath: string;
  private copiedAt = 0;
  private copyDue = false;

  constructor(options: SqliteOptions) {
    const places = placesIn(options.directory);
    const now = () => options.clock.now();
    const halfLifeMs = options.halfLifeMs ?? HALF_LIFE_MS;
    this.options = options;
    this.tallyPath = places.tallies;
    this.lock = new ProcessLock(places.lock);
    const db = new Connection({
      path: places.database,
      lock: new ProcessLock(places.rebuildLock),
      now,
      refill: () => this.settle(halfLifeMs),
      onRebuild: options.onRebuild,
    });
    this.connection = db;
    this.meta = new SqliteMeta(db, "user");
    this.facts = new SqliteMeta(db, "store");
    const takeInbox = () => this.inbox.take();
    this.journal = new SqliteJournal(db, { halfLifeMs, takeInbox, onChange: () => this.copyTallies() });
    this.conversation = new SqliteConversation(db, takeInbox);
    this.inbox = new SqliteInbox(db, {
      spool: new Spool(places.spool),
      meta: this.facts,
      journal: this.journal,
      conversation: this.conversation,
      now,
    });
    this.versions = new SqliteVersions(db, { meta: this.facts, log: places.versionLog });
    this.blobs = new BlobFiles(places.blobs);
    this.tasks = new SqliteTasks(db);
    this.trust = new SqliteTrust(db);
    this.redirects = new SqliteRedirects(db);
    this.proposals = new SqliteProposals(db);
    this.sessions = new SessionFiles(places.sessions);
  }

  /** Which SQLite serves, for `doctor`. */
  get driver(): string {
    return this.connection.driver;
  }

  /** Lines in the inbox so far that were no event. */
  get refusedLines(): number {
    return this.inbox.refused();
  }

  exclusive<T>(work: () => Awaitable<T>): Promise<T> {
    return this.lock.run(work);
  }

  tidy(): void {
    this.inbox.take();
    this.sessions.sweep(this.options.clock.now().getTime() - QUIET_SESSION_MS);
  }

  /** Every page of the database checked; the problems found. */
  check(): readonly string[] {
    return this.connection.check();
  }

  close(): void {
    if (this.copyDue) this.writeTallies();
    this.connection.close();
  }

  /** What each newly opened file needs: all versions known, all accounts of one half-life. */
  private settle(halfLifeMs: number): void {
    this.versions.takeLog();
    const before = this.facts.get(HALF_LIFE);
    if (before === String(halfLifeMs)) return;
    if (before !== undefined) this.journal.recount();
    this.facts.set(HALF_LIFE, String(halfLifeMs));
  }

  private copyTallies(): void {
    this.copyDue = true;
    const now = this.options.clock.now().getTime();
    if (Math.abs(now - this.copiedAt) >= TALLY_COPY_MS) this.writeTallies();
  }

  private writeTallies(): void {
    this.copyDue = false;
    this.copiedAt = this.options.clock.now().getTime();
    writeTallyFile(this.tallyPath, this.journal.tallies());
  }
}
