// The inbox of the journal: events and said lines that a process without a database leaves for the database.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, type Lines, readLines, unlessMissing } from "../../disk/disk.ts";
import { type NewEvent, type SaidRecord, toEvent } from "../../journal/journal.ts";
import { codeOf, isRepertoireError } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";
import type { SqliteConversation, SqliteJournal } from "./journal.ts";
import type { SqliteMeta } from "./proposals.ts";

type InboxLine = { readonly event: NewEvent } | { readonly said: SaidRecord };

const NUMBERS = {
  /** Lines taken over in one transaction: others wait for it no longer than for a save. */
  linesAtOnce: 500,
  /** Transactions for which a question waits; more than hooks leave between two questions of a busy day. */
  stepsAtOnce: 8,
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

  constructor(db: Connection, options: ReaderOptions) {
    this.db = db;
    this.options = options;
  }

  /**
   * Takes over what is new. Costs one look at a folder when nothing is. If there is very much, the rest follows in the
   * background, and whoever asks meanwhile is answered with what was taken so far.
   */
  take(): void {
    if (this.busy) return;
    const steps = this.steps();
    for (let left: number = NUMBERS.stepsAtOnce; left > 0; left--) if (steps.next().done) return;
    void this.run(steps, () => new Promise((goOn) => setImmediate(goOn))).catch((error: unknown) => {
      // The next question meets the same problem, and tells it.
      if (!isRepertoireError(error) && codeOf(error) === "") throw error;
    });
  }

  /** Takes over what is new, with pauses for others. */
  async catchUp(pause: () => Promise<unknown>): Promise<void> {
    if (!this.busy) await this.run(this.steps(), pause);
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
    const { values, torn, end } = inbox.read(file, Number(meta.get(key) ?? 0), NUMBERS.linesAtOnce);
    const events: NewEvent[] = [];
    let refused = torn;
    for (const value of values as { event?: unknown; said?: unknown }[]) {
      const event = toEvent(value.event);
      if (event) events.push(event);
      else if (isSaid(value.said)) conversation.append(value.said);
      else refused++;
    }
    journal.insert(events);
    meta.set(key, String(end));
    if (refused > 0) meta.set(REFUSED, String(this.refused() + refused));
    return values.length === NUMBERS.linesAtOnce;
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
