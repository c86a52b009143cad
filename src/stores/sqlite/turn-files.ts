// What a turn needs of the SQLite store, in files, so that a hook loads no database driver: sessions, the journal's inbox,
// and copies of the tallies and of the remembered messages.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing, writeFileAtomically } from "../../disk/disk.ts";
import {
  emptyTally,
  type NewEvent,
  NOTHING_REMEMBERED,
  packRemembered,
  RememberedBook,
  type RememberedMessage,
  type SaidRecord,
  type Tally,
  type TallyBook,
  type TurnStore,
  tallyKey,
} from "../../journal/journal.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf } from "../../model/errors.ts";
import { Inbox } from "./inbox.ts";
import { SessionFiles } from "./sessions.ts";

/** The paths of a store that lives in `directory` (usually `~/.repertoire`). */
export function placesIn(directory: string) {
  return {
    database: join(directory, "repertoire.db"),
    lock: join(directory, "repertoire.lock.db"),
    rebuildLock: join(directory, "repertoire.rebuild.db"),
    sessions: join(directory, "sessions"),
    inbox: join(directory, "inbox"),
    tallies: join(directory, "tallies.json"),
    remembered: join(directory, "remembered.bin"),
    versionLog: join(directory, "versions", "log.jsonl"),
    blobs: join(directory, "versions", "blobs"),
  } as const;
}

/** Opens and creates no file until something is asked or recorded. */
export class TurnFiles implements TurnStore {
  readonly sessions: SessionFiles;
  private readonly inbox: Inbox;
  private readonly tallies: CopyFile<TallyBook>;
  private readonly remembered: CopyFile<RememberedBook>;
  private readonly clock: Clock;

  constructor(options: { readonly directory: string; readonly clock: Clock }) {
    const places = placesIn(options.directory);
    this.sessions = new SessionFiles(places.sessions);
    this.inbox = new Inbox(places.inbox);
    this.tallies = new CopyFile(places.tallies, readBook);
    this.remembered = new CopyFile(places.remembered, readRemembered);
    this.clock = options.clock;
  }

  record(events: readonly NewEvent[], said: readonly SaidRecord[] = []): void {
    const lines = [...said.map((line) => ({ said: line })), ...events.map((event) => ({ event }))];
    this.inbox.add(lines, this.clock.now());
  }

  tallyBook(): TallyBook {
    return this.tallies.read();
  }

  rememberedBook(): RememberedBook {
    return this.remembered.read();
  }
}

/** A copy, read again only when it was replaced. */
class CopyFile<T> {
  private readonly path: string;
  private readonly open: (path: string) => T;
  private known: { readonly stamp: string; readonly value: T } | undefined;

  constructor(path: string, open: (path: string) => T) {
    this.path = path;
    this.open = open;
  }

  read(): T {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    const stamp = stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : "";
    if (this.known?.stamp !== stamp) this.known = { stamp, value: this.open(this.path) };
    return this.known.value;
  }
}

/** Copies all remembered messages. */
export function writeRememberedFile(path: string, messages: readonly RememberedMessage[]): void {
  writeFileAtomically(path, packRemembered(messages), { sync: false });
}

function readRemembered(path: string): RememberedBook {
  const packed = unlessMissing(() => readFileSync(path));
  return packed === undefined ? NOTHING_REMEMBERED : new RememberedBook(packed);
}

/** Raised when the fields change; a file of another format counts as absent. */
const FORMAT = 1;
/** Recent use only breaks ties; who is not among so many has not been used lately. */
const RECENT = 200;

const FIELDS = [
  "activated",
  "successes",
  "failures",
  "weightOfSuccesses",
  "weightOfFailures",
  "weighedAt",
  "lastUsedAt",
] as const;

type Row = readonly [name: string, digest: string, ...numbers: number[]];

/** Copies what recall may ask for: versions that fail more than they succeed, and those used last. */
export function writeTallyFile(path: string, tallies: readonly Tally[]): void {
  const used = tallies.filter(({ lastUsedAt }) => lastUsedAt > 0).sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  const failing = used.slice(RECENT).filter((tally) => tally.weightOfFailures > tally.weightOfSuccesses);
  const rows = [...used.slice(0, RECENT), ...failing].map(
    (tally): Row => [tally.name, tally.digest, ...FIELDS.map((field) => tally[field])],
  );
  writeFileAtomically(path, JSON.stringify({ format: FORMAT, rows }), { sync: false });
}

/** The accounts as last copied; none when there is no copy or it cannot be read. */
function readBook(path: string): TallyBook {
  // A turn asks for few of them, so that only those are made.
  const rows = new Map(readRows(path).map((row) => [tallyKey(row[0], row[1]), row]));
  return {
    of(name, digest) {
      const row = rows.get(tallyKey(name, digest));
      return row && toTally(row);
    },
  };
}

function readRows(path: string): readonly Row[] {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as { format?: unknown; rows?: unknown };
    return value?.format === FORMAT && Array.isArray(value.rows) ? value.rows.filter(isRow) : [];
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}

function isRow(value: unknown): value is Row {
  return Array.isArray(value) && value.length === FIELDS.length + 2 && typeof value[0] === "string";
}

function toTally([name, digest, ...numbers]: Row): Tally {
  const known = Object.fromEntries(FIELDS.map((field, index) => [field, Number(numbers[index])]));
  return { ...emptyTally(name, digest), ...known };
}
