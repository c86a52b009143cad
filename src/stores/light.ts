// Owns what a hook needs of the store, without a database driver: sessions, the journal's inbox, the copied accounts.
// Does not answer questions about the past: the sqlite store does, after it has emptied the inbox.

import type { NewEvent, SaidRecord, TallyBook } from "../journal/journal.ts";
import type { Clock } from "../model/clock.ts";
import { placesIn } from "./places.ts";
import { SessionFiles } from "./session-files.ts";
import { Spool } from "./spool.ts";
import { TallyFile } from "./tally-file.ts";

export interface LightStore {
  readonly sessions: SessionFiles;
  /** Leaves events and said lines for the database, in order, in one write. */
  record(events: readonly NewEvent[], said?: readonly SaidRecord[]): void;
  /** Accounts of used skills, as of the last time that the database was written. */
  tallyBook(): TallyBook;
}

/** Opens nothing and creates nothing until something is recorded. */
export function openLightStore(options: { readonly directory: string; readonly clock: Clock }): LightStore {
  const places = placesIn(options.directory);
  const spool = new Spool(places.spool);
  const tallies = new TallyFile(places.tallies);
  return {
    sessions: new SessionFiles(places.sessions),
    record(events, said = []) {
      const lines = [...said.map((line) => ({ said: line })), ...events.map((event) => ({ event }))];
      spool.add(lines, options.clock.now());
    },
    tallyBook: () => tallies.book(),
  };
}
