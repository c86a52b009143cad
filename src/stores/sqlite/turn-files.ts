// What a turn needs of the SQLite store, in files, so that a hook loads no database driver: sessions, the journal's inbox,
// and copies of the tallies and of the remembered messages.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UNREADABLE, UNWRITABLE, unlessMissing, writeFileAtomically } from "../../disk/disk.ts";
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
} from "../../journal/journal.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf } from "../../model/errors.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import { Inbox } from "./inbox.ts";
import { SessionFiles } from "./sessions.ts";

/** The paths of a store that lives in `directory` (usually `~/.repertoire`). */
export function placesIn(directory: string) {
  return {
    database: join(directory, "repertoire.db"),
    copy: join(directory, "repertoire.copy.db"),
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
  private readonly tallies: CopyFile<TallyCopy>;
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
    // A turn is answered whether or not it can be recorded; what is wrong with the folder, others tell.
    unlessMissing(() => this.inbox.add(lines, this.clock.now()), UNWRITABLE);
  }

  tallyBook(): TallyBook {
    return this.tallies.read();
  }

  /** The number of the newest event that the copy of the tallies counts. */
  talliesUpTo(): number {
    return this.tallies.read().upTo;
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
    const stat = unlessMissing(() => statSync(this.path, { throwIfNoEntry: false }), UNREADABLE);
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
  const packed = unlessMissing(() => readFileSync(path), UNREADABLE);
  return packed === undefined ? NOTHING_REMEMBERED : new RememberedBook(packed);
}

/** Raised when the fields change; a file of another format counts as absent. */
const FORMAT = 2;
/** Recent use only breaks ties; who is not among so many has not been used lately. */
export const RECENT = 200;

const FIELDS = [
  "tries",
  "worked",
  "failed",
  "weightOfSuccesses",
  "weightOfFailures",
  "weighedAt",
  "lastUsedAt",
] as const;

type Row = readonly [name: string, digest: string, instructions: string, ...numbers: number[]];

/**
 * Copies what recall may ask for: versions that fail more than they succeed, and those used last. `upTo` is the number of the
 * newest event that they count.
 */
export function writeTallyFile(path: string, tallies: readonly Tally[], upTo: number): void {
  const used = tallies.filter(({ lastUsedAt }) => lastUsedAt > 0).sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  const failing = used.slice(RECENT).filter((tally) => tally.weightOfFailures > tally.weightOfSuccesses);
  const rows = [...used.slice(0, RECENT), ...failing].map(
    (tally): Row => [tally.name, tally.digest, tally.instructions, ...FIELDS.map((field) => tally[field])],
  );
  writeFileAtomically(path, JSON.stringify({ format: FORMAT, upTo, rows }), { sync: false });
}

interface TallyCopy extends TallyBook {
  /** The number of the newest event that it counts. */
  readonly upTo: number;
}

/** The tallies as last copied; none when there is no copy or it cannot be read. */
function readBook(path: string): TallyCopy {
  const { rows, upTo } = readCopy(path);
  // A turn asks for few of them, so that only those are made.
  const byName = new Map<string, Row[]>();
  for (const row of rows) {
    const own = byName.get(row[0]);
    if (own) own.push(row);
    else byName.set(row[0], [row]);
  }
  return { upTo, of: (name) => byName.get(name)?.map(toTally) ?? [] };
}

function readCopy(path: string): { readonly rows: readonly Row[]; readonly upTo: number } {
  const nothing = { rows: [], upTo: 0 };
  try {
    const copy = jsonIn(readFileSync(path, "utf8"));
    if (!isRecord(copy) || copy.format !== FORMAT || !Array.isArray(copy.rows)) return nothing;
    return { rows: copy.rows.filter(isRow), upTo: Number(copy.upTo) };
  } catch (error) {
    if (UNREADABLE.includes(codeOf(error))) return nothing;
    throw error;
  }
}

function isRow(value: unknown): value is Row {
  return Array.isArray(value) && value.length === FIELDS.length + 3 && typeof value[0] === "string";
}

function toTally([name, digest, instructions, ...numbers]: Row): Tally {
  const known = Object.fromEntries(FIELDS.map((field, index) => [field, Number(numbers[index])]));
  return { ...emptyTally(name, digest), instructions, ...known };
}
