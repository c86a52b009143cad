// The default store: one SQLite file in a folder, and beside it the files that a hook or a rebuild needs.

import { homedir } from "node:os";
import { join } from "node:path";
import { HALF_LIFE_MS, type NewEvent, type SaidRecord, type TallyBook } from "../../journal/journal.ts";
import type { Awaitable } from "../../model/awaitable.ts";
import type { Clock } from "../../model/clock.ts";
import type { Store } from "../store.ts";
import { SqliteTasks, SqliteTrust } from "./activation.ts";
import { Connection, type Rebuild } from "./connection.ts";
import { Inbox, InboxReader } from "./inbox.ts";
import { SqliteConversation, SqliteJournal } from "./journal.ts";
import { BlobFiles, SqliteRedirects, SqliteVersions } from "./learned.ts";
import { ProcessLock } from "./process-lock.ts";
import { SqliteMeta, SqliteProposals } from "./proposals.ts";
import type { SessionFiles } from "./sessions.ts";
import { placesIn, TurnFiles, writeTallyFile } from "./turn-files.ts";

/** The copy of the tallies for hooks is at most this old while a process records. */
const TALLY_COPY_MS = 2_000;
const HALF_LIFE = "halfLifeMs";
/** Nobody continues a conversation after this long; the journal keeps what was done in it. */
const QUIET_SESSION_MS = 30 * 24 * 60 * 60 * 1000;

export interface SqliteOptions {
  /** `.repertoire` in the home folder unless given; created when it is missing. */
  readonly directory?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How long until an outcome weighs half. After a change all outcomes are counted anew. */
  readonly halfLifeMs?: number | undefined;
  /** Called when a damaged database was moved aside and a new one begun. */
  readonly onRebuild?: ((rebuild: Rebuild) => void) | undefined;
}

/**
 * The store in a folder on disk. The database file is opened with the first question.
 *
 * @example
 * const skills = openRepertoire({ dir, store: sqliteStore({ directory: `${home}/agent` }) });
 */
export function sqliteStore(options: SqliteOptions = {}): Store {
  return new SqliteStore(options);
}

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
  private readonly turnFiles: TurnFiles;
  private readonly facts: SqliteMeta;
  private readonly connection: Connection;
  private readonly lock: ProcessLock;
  private readonly reader: InboxReader;
  private readonly clock: Clock;
  private readonly tallyPath: string;
  private copiedAt = 0;
  private copyDue = false;

  constructor(options: SqliteOptions) {
    const {
      directory = join(process.env.REPERTOIRE_HOME ?? homedir(), ".repertoire"),
      clock = { now: () => new Date() },
      halfLifeMs = HALF_LIFE_MS,
    } = options;
    const places = placesIn(directory);
    const now = () => clock.now();
    this.clock = clock;
    this.tallyPath = places.tallies;
    this.turnFiles = new TurnFiles({ directory, clock });
    this.sessions = this.turnFiles.sessions;
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
    const takeInbox = () => this.reader.take();
    this.journal = new SqliteJournal(db, { halfLifeMs, takeInbox, onChange: () => this.copyTallies() });
    this.conversation = new SqliteConversation(db, takeInbox);
    this.reader = new InboxReader(db, {
      inbox: new Inbox(places.inbox),
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
  }

  /** Which SQLite serves, for `doctor`. */
  get driver(): string {
    return this.connection.driver;
  }

  /** Lines of the inbox so far that were not events. */
  get refusedLines(): number {
    return this.reader.refused();
  }

  record(events: readonly NewEvent[], said?: readonly SaidRecord[]): void {
    this.turnFiles.record(events, said);
  }

  tallyBook(): TallyBook {
    return this.turnFiles.tallyBook();
  }

  exclusive<T>(work: () => Awaitable<T>): Promise<T> {
    return this.lock.run(work);
  }

  tidy(): void {
    this.reader.take();
    this.sessions.sweep(this.clock.now().getTime() - QUIET_SESSION_MS);
  }

  /** Checks every page of the database and returns the problems found. */
  check(): readonly string[] {
    return this.connection.check();
  }

  close(): void {
    if (this.copyDue) this.writeTallies();
    this.connection.close();
  }

  /** Prepares a newly opened file: all versions known, all tallies with one half-life. */
  private settle(halfLifeMs: number): void {
    this.versions.takeLog();
    const before = this.facts.get(HALF_LIFE);
    if (before === String(halfLifeMs)) return;
    if (before !== undefined) this.journal.recount();
    this.facts.set(HALF_LIFE, String(halfLifeMs));
  }

  private copyTallies(): void {
    this.copyDue = true;
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.copiedAt) >= TALLY_COPY_MS) this.writeTallies();
  }

  private writeTallies(): void {
    this.copyDue = false;
    this.copiedAt = this.clock.now().getTime();
    writeTallyFile(this.tallyPath, this.journal.tallies());
  }
}
