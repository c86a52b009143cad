// The inbox of the journal: events and said lines that a process without a database leaves for the database.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, type Lines, readLines, unlessMissing } from "../../disk/disk.ts";
import { type NewEvent, type SaidRecord, toEvent } from "../../journal/journal.ts";
import { codeOf, isRepertoireError } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";
import type { SqliteConversation, SqliteJournal } from "./journal.ts";
import type { SqliteMeta } from "./proposals.ts";

type InboxLine =
  | { readonly event: NewEvent }
  | { readonly said: SaidRecord }
  /** What could not be brought to a shared database, under the id that it may have there already. */
  | { readonly batch: string; readonly events: readonly NewEvent[]; readonly said: readonly SaidRecord[] };

const NUMBERS = {
  /** Lines taken over in the first transaction, and in any. */
  firstLines: 100,
  fewestLines: 10,
  mostLines: 500,
  /** What a transaction should take; in a journal of millions of events a line takes ten times as long as in a new one. */
  transactionMs: 10,
  /** Transactions for which a question waits; more than hooks leave between two questions of a busy day. */
  stepsAtOnce: 40,
} as const;

/** A file is written to on one day only; a day later no writer can still hold it. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/** The files: one per day, only ever appended to. */
export class Inbox {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Adds the lines in one write. The day only spreads them over files. */
  add(lines: readonly InboxLine[], now: Date): void {
    if (lines.length > 0) appendLines(join(this.directory, `${now.toISOString().slice(0, 10)}.jsonl`), lines);
  }

  /** The files and their sizes, oldest day first. */
  files(): { readonly file: string; readonly size: number }[] {
    const names = unlessMissing(() => readdirSync(this.directory)) ?? [];
    return names.sort().map((file) => ({
      file,
      size: statSync(join(this.directory, file), { throwIfNoEntry: false })?.size ?? 0,
    }));
  }

  read(file: string, from: number, most: number): Lines {
    return readLines(join(this.directory, file), from, most);
  }

  /** Removes a file that was taken over, once it is too old for anybody to add to it; says whether it is gone. */
  retire(file: string, now: number): boolean {
    const path = join(this.directory, file);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs < KEEP_MS) return false;
    rmSync(path, { force: true });
    return true;
  }
}

const TAKEN = "inbox.taken:";
const REFUSED = "inbox.refused";

interface ReaderOptions {
  readonly inbox: Inbox;
  readonly meta: SqliteMeta;
  readonly journal: SqliteJournal;
  readonly conversation: SqliteConversation;
  readonly now: () => Date;
}

/** Moves the lines into the database: each line once, in order, whichever process comes first. */
export class InboxReader {
  private readonly db: Connection;
  private readonly options: ReaderOptions;
  /** Sizes at which this process has seen the files taken; saves asking the database. */
  private readonly known = new Map<string, number>();
  private busy = false;
  private closed = false;
  /** Whether all was taken over once: from then on a question waits for one transaction only. */
  private isCaughtUp = false;
  private linesAtOnce: number = NUMBERS.firstLines;

  constructor(db: Connection, options: ReaderOptions) {
    this.db = db;
    this.options = options;
  }

  /**
   * Takes over what is new. Costs one look at a folder when nothing is. If there is very much, the rest follows in the
   * background, and whoever asks meanwhile is answered with what was taken so far.
   */
  take(): void {
    // After the first catch-up, a busy database is not waited for: the lines are taken over a little later.
    if (this.busy || (this.isCaughtUp && this.db.isBusy())) return;
    const steps = this.steps();
    for (let left = this.isCaughtUp ? 1 : NUMBERS.stepsAtOnce; left > 0; left--)
      if (steps.next().done) return;
    void this.run(steps, () => new Promise((goOn) => setImmediate(goOn))).catch((error: unknown) => {
      // The next question meets the same problem, and tells it.
      if (!isRepertoireError(error) && codeOf(error) === "") throw error;
    });
  }

  /** Takes over what is new, with pauses for others. */
  async catchUp(pause: () => Promise<unknown>): Promise<void> {
    if (!this.busy) await this.run(this.steps(), pause);
    this.isCaughtUp = true;
  }

  /** Takes over nothing any more. */
  close(): void {
    this.closed = true;
  }

  private async run(steps: Generator<undefined, void>, pause: () => Promise<unknown>): Promise<void> {
    try {
      while (!this.closed && !steps.next().done) await pause();
    } finally {
      steps.return();
    }
  }

  /** Each step is a transaction of its own. */
  private *steps(): Generator<undefined, void> {
    const files = this.options.inbox.files().filter(({ file, size }) => this.known.get(file) !== size);
    if (files.length === 0) return;
    this.busy = true;
    try {
      for (const { file, size } of files) {
        while (this.db.write(() => this.takeSome(file))) yield;
        this.known.set(file, size);
      }
    } catch (error) {
      // It stays where it is, and whoever asks is answered with what was taken so far.
      if (isRepertoireError(error) && error.code === "store-unusable") return;
      throw error;
    } finally {
      this.busy = false;
    }
    this.retire();
  }

  /** Lines so far that were no event: torn by a crash, or not ours. */
  refused(): number {
    return Number(this.options.meta.get(REFUSED) ?? 0);
  }

  /** Says whether there may be more. */
  private takeSome(file: string): boolean {
    const { inbox, meta, journal, conversation } = this.options;
    const key = TAKEN + file;
    const started = performance.now();
    const most = this.linesAtOnce;
    const { values, torn, end } = inbox.read(file, Number(meta.get(key) ?? 0), most);
    const events: NewEvent[] = [];
    let refused = torn;
    for (const line of values) {
      const taken = fromLine(line);
      events.push(...taken.events);
      for (const said of taken.said) conversation.append(said);
      refused += taken.refused;
    }
    journal.insert(events);
    meta.set(key, String(end));
    if (refused > 0) meta.set(REFUSED, String(this.refused() + refused));
    const { transactionMs, fewestLines, mostLines } = NUMBERS;
    const fitting = most * (transactionMs / Math.max(1, performance.now() - started));
    // Grows slowly: the commit is not measured.
    this.linesAtOnce = Math.round(Math.max(fewestLines, Math.min(fitting, 1.5 * most, mostLines)));
    return values.length === most;
  }

  /** After the lines are safe in the database, never before. */
  private retire(): void {
    const { inbox, meta, now } = this.options;
    for (const key of meta.keys(TAKEN)) {
      const file = key.slice(TAKEN.length);
      if (!inbox.retire(file, now().getTime())) continue;
      meta.remove(key);
      this.known.delete(file);
    }
  }
}

/** What a line of the inbox says. */
export function fromLine(value: unknown): {
  readonly batch?: string | undefined;
  readonly events: readonly NewEvent[];
  readonly said: readonly SaidRecord[];
  /** Parts of it that are neither an event nor a line of a conversation. */
  readonly refused: number;
} {
  const line = value as { batch?: unknown; event?: unknown; events?: unknown; said?: unknown };
  const found = Array.isArray(line.events) ? line.events : line.event === undefined ? [] : [line.event];
  const lines = Array.isArray(line.said) ? line.said : line.said === undefined ? [] : [line.said];
  const events = found.flatMap((each) => toEvent(each) ?? []);
  const said = lines.filter(isSaid);
  const refused = Math.max(found.length + lines.length, 1) - events.length - said.length;
  return { batch: typeof line.batch === "string" ? line.batch : undefined, events, said, refused };
}

function isSaid(value: unknown): value is SaidRecord {
  const said = (value ?? {}) as Partial<SaidRecord>;
  return (
    typeof said.session === "string" &&
    Number.isSafeInteger(said.turn) &&
    (said.role === "user" || said.role === "assistant") &&
    typeof said.text === "string" &&
    Number.isSafeInteger(said.at)
  );
}
