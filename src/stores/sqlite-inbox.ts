// Owns taking over into the database what hooks left in the inbox: each line once, in its order, whoever comes first.

import type { SaidRecord } from "../journal/journal.ts";
import { type NewEvent, toEvent } from "../journal/journal.ts";
import type { Connection } from "./connection.ts";
import type { Spool } from "./spool.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";
import type { SqliteConversation, SqliteMeta } from "./sqlite-records.ts";

const TAKEN = "inbox.taken:";
const REFUSED = "inbox.refused";

export interface InboxOptions {
  readonly spool: Spool;
  readonly meta: SqliteMeta;
  readonly journal: SqliteJournal;
  readonly conversation: SqliteConversation;
  readonly now: () => Date;
}

export class SqliteInbox {
  private readonly db: Connection;
  private readonly options: InboxOptions;
  /** Sizes at which this process has seen the files taken; saves asking the database. */
  private readonly known = new Map<string, number>();
  private busy = false;

  constructor(db: Connection, options: InboxOptions) {
    this.db = db;
    this.options = options;
  }

  /** Takes over what is new. Costs one look at a folder when nothing is. */
  take(): void {
    if (this.busy) return;
    const files = this.options.spool.files().filter(({ file, size }) => this.known.get(file) !== size);
    if (files.length === 0) return;
    this.busy = true;
    try {
      this.db.write(() => {
        for (const { file } of files) this.takeFile(file);
      });
    } finally {
      this.busy = false;
    }
    for (const { file, size } of files) this.known.set(file, size);
    this.retire();
  }

  /** Lines so far that were no event: torn by a crash, or not ours. */
  refused(): number {
    return Number(this.options.meta.get(REFUSED) ?? 0);
  }

  private takeFile(file: string): void {
    const { spool, meta, journal, conversation } = this.options;
    const key = TAKEN + file;
    const { values, torn, end } = spool.read(file, Number(meta.get(key) ?? 0));
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
  }

  /** After the lines are safe in the database, never before. */
  private retire(): void {
    const { spool, meta, now } = this.options;
    for (const key of meta.keys(TAKEN)) {
      const file = key.slice(TAKEN.length);
      if (!spool.retire(file, now().getTime())) continue;
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
