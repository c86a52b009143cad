// What a turn needs of the SQLite store, in files, so that a hook loads no database driver: sessions, the journal's inbox,
// and a copy of the tallies.

import { join } from "node:path";
import type { NewEvent, SaidRecord, TallyBook, TurnStore } from "../../journal/journal.ts";
import type { Clock } from "../../model/clock.ts";
import { Inbox } from "./inbox.ts";
import { SessionFiles } from "./sessions.ts";
import { TallyFile } from "./tally-file.ts";

/** The paths of a store that lives in `directory` (usually `~/.repertoire`). */
export function placesIn(directory: string) {
  return {
    database: join(directory, "repertoire.db"),
    lock: join(directory, "repertoire.lock.db"),
    rebuildLock: join(directory, "repertoire.rebuild.db"),
    sessions: join(directory, "sessions"),
    inbox: join(directory, "inbox"),
    tallies: join(directory, "tallies.json"),
    versionLog: join(directory, "versions", "log.jsonl"),
    blobs: join(directory, "versions", "blobs"),
  } as const;
}

/** Opens and creates no file until something is asked or recorded. */
export class TurnFiles implements TurnStore {
  readonly sessions: SessionFiles;
  private readonly inbox: Inbox;
  private readonly tallies: TallyFile;
  private readonly clock: Clock;

  constructor(options: { readonly directory: string; readonly clock: Clock }) {
    const places = placesIn(options.directory);
    this.sessions = new SessionFiles(places.sessions);
    this.inbox = new Inbox(places.inbox);
    this.tallies = new TallyFile(places.tallies);
    this.clock = options.clock;
  }

  record(events: readonly NewEvent[], said: readonly SaidRecord[] = []): void {
    const lines = [...said.map((line) => ({ said: line })), ...events.map((event) => ({ event }))];
    this.inbox.add(lines, this.clock.now());
  }

  tallyBook(): TallyBook {
    return this.tallies.book();
  }
}
