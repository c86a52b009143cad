// The default store: one SQLite file in a folder, and beside it the files that a hook or a rebuild needs.

import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DISK, type Files, sweepAbandoned, UNWRITABLE, unlessMissing } from "../../disk/disk.ts";
import { HALF_LIFE_MS } from "../../journal/journal.ts";
import { inSlices } from "../../library/library.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf } from "../../model/errors.ts";
import { RETENTION, type Retention, type TidyOptions } from "../retention.ts";
import type { Store } from "../store.ts";
import { sqliteTasks, sqliteTrust } from "./activation.ts";
import { Checkup } from "./checkup.ts";
import { Connection, type Rebuild } from "./connection.ts";
import { openDatabase } from "./driver.ts";
import { Inbox, InboxReader } from "./inbox.ts";
import { SqliteJournal, sqliteConversation } from "./journal.ts";
import { blobFiles, sqliteRedirects, sqliteVersions } from "./learned.ts";
import { patientStore } from "./patient.ts";
import { ProcessLock } from "./process-lock.ts";
import { sqliteMeta, sqliteProposals } from "./proposals.ts";
import { SqliteRemembered } from "./remembered.ts";
import { Tidying } from "./tidying.ts";
import { placesIn, RECENT, TurnFiles, writeRememberedFile, writeTallyFile } from "./turn-files.ts";
import { VersionLog } from "./version-log.ts";

/**
 * The copy of the tallies that recall reads has every outcome at once. Who used what last may be this much older: it only
 * breaks ties.
 */
const TALLY_COPY_MS = 2_000;
const HALF_LIFE = "halfLifeMs";

export interface SqliteOptions {
  /** `.repertoire` in the home folder unless given; created when it is missing. */
  readonly directory?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How long until an outcome weighs half. After a change all outcomes are counted anew. */
  readonly halfLifeMs?: number | undefined;
  /** How long what is kept, where it is not as usual. */
  readonly keep?: Partial<Retention> | undefined;
  /** Called when a damaged database was moved aside and a new one begun. */
  readonly onRebuild?: ((rebuild: Rebuild) => void) | undefined;
}

/** How the store reaches the machine; a simulation passes its own. */
interface Machine {
  /** The calls for versions and their bytes. */
  readonly files?: Files | undefined;
  readonly openDatabase?: typeof openDatabase | undefined;
}

/**
 * The store in a folder on disk. The database file is opened with the first question.
 *
 * @example
 * const skills = openRepertoire({ dir, store: sqliteStore({ directory: `${home}/agent` }) });
 */
export function sqliteStore(options: SqliteOptions = {}): Store {
  const store = openSqliteStore(options);
  return patientStore(store, {
    whenFree: () => store.whenFree(),
    allTallies: () => inSlices(store.journal.allTallies()),
  });
}

export type SqliteStore = ReturnType<typeof openSqliteStore>;

export function openSqliteStore({ onRebuild, ...options }: SqliteOptions & Machine) {
  const {
    directory = join(process.env.REPERTOIRE_HOME ?? homedir(), ".repertoire"),
    clock = { now: () => new Date() },
    halfLifeMs = HALF_LIFE_MS,
    files = DISK,
    openDatabase: open = openDatabase,
  } = options;
  const places = placesIn(directory);
  const now = () => clock.now();
  const turnFiles = new TurnFiles({ directory, clock });
  const { sessions } = turnFiles;
  const lock = new ProcessLock(places.lock, open);
  let copiedAt = 0;
  let copyDue = false;
  const writeTallies = () => {
    copyDue = false;
    copiedAt = now().getTime();
    writeTallyFile(places.tallies, journal.recallTallies(RECENT), journal.lastSeq());
  };
  /** Prepares a newly opened file: all versions known, all tallies with one half-life, the copy of them up to date. */
  const refill = () => {
    versions.takeLog();
    const before = facts.get(HALF_LIFE);
    if (before !== undefined && before !== String(halfLifeMs)) journal.recount();
    if (before !== String(halfLifeMs)) facts.set(HALF_LIFE, String(halfLifeMs));
    // A process that was killed between an outcome and its copy leaves an old one. On a full disk it stays so.
    if (turnFiles.talliesUpTo() < journal.lastSeq()) unlessMissing(writeTallies, UNWRITABLE);
  };
  const rebuildLock = new ProcessLock(places.rebuildLock, open);
  const db = new Connection({
    path: places.database,
    copy: places.copy,
    openDatabase: open,
    lock: rebuildLock,
    now,
    refill,
    onRebuild,
  });
  const facts = sqliteMeta(db, "store:");
  const takeInbox = () => reader.take();
  const onChange = (change: "outcome" | "use") => {
    copyDue = true;
    if (change === "outcome" || Math.abs(now().getTime() - copiedAt) >= TALLY_COPY_MS) writeTallies();
  };
  const journal = new SqliteJournal(db, { halfLifeMs, takeInbox, onChange });
  const conversation = sqliteConversation(db, takeInbox);
  const inbox = new Inbox(places.inbox);
  const reader = new InboxReader(db, { inbox, meta: facts, journal, conversation, now });
  const redirects = sqliteRedirects(db, () => remembered.follow());
  const remembered = new SqliteRemembered(db, {
    currentName: (name) => redirects.resolve(name),
    onChange: () => writeRememberedFile(places.remembered, remembered.list()),
  });
  const log = new VersionLog(files, places.versionLog);
  const versions = sqliteVersions(db, { meta: facts, log, redirects });
  const blobs = blobFiles(files, places.blobs);
  const checkup = new Checkup({ directory, places, db, versions, blobs, openDatabase: open, now });
  const keep = { ...RETENTION, ...options.keep };
  const tidying = new Tidying({
    db,
    places,
    versions,
    exclusive: (work) => lock.run(work),
    now: () => now().getTime(),
    keep,
  });
  return {
    journal,
    conversation,
    sessions,
    versions,
    blobs,
    tasks: sqliteTasks(db),
    trust: sqliteTrust(db),
    redirects,
    remembered,
    proposals: sqliteProposals(db),
    meta: sqliteMeta(db, "user:"),
    record: (events, said) => turnFiles.record(events, said),
    tallyBook: () => turnFiles.tallyBook(),
    rememberedBook: () => turnFiles.rememberedBook(),
    exclusive: (work) =>
      lock.run(() => {
        for (const folder of [directory, dirname(places.versionLog)]) sweepAbandoned(files, folder);
        return work();
      }),
    catchUp: (pause) => reader.catchUp(pause),
    async tidy(options?: TidyOptions) {
      await reader.catchUp(() => setImmediate());
      const tidied = await tidying.run(options);
      const copying = db.copyIfOld();
      try {
        if (!options?.dryRun) await inSlices(copying);
      } finally {
        // Removes a half made one, if the process is stopping.
        copying.return();
      }
      return tidied;
    },
    check: (...options: Parameters<Store["check"]>) => checkup.run(...options),
    /** Waits, without blocking, until no other process is writing. */
    whenFree: () => db.whenFree(),
    /** Lines of the inbox so far that were not events. */
    refusedLines: () => reader.refused(),
    close() {
      reader.close();
      try {
        if (copyDue) writeTallies();
      } catch (error) {
        // What was done is done and kept: the next process finds the copy too old and makes it.
        if (codeOf(error) === "") throw error;
      } finally {
        db.close();
      }
    },
  } satisfies Store & Record<string, unknown>;
}
