// Converts events to rows of PostgreSQL, and rows to events.

import { EVENT_KINDS, type EventKind, type JournalEvent } from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { jsonIn } from "../../text/json.ts";

const NUMBER_OF = new Map(EVENT_KINDS.map((kind, index) => [kind as EventKind, index]));
export const EVENT_COLUMNS = "seq, at, kind, session, agent, host, turn, skill, digest, details";

/** How a row of `events` comes out of the database; empty columns are left out. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: number;
  readonly session: string;
  readonly agent: string;
  readonly host: string;
  readonly turn?: number;
  readonly skill?: SkillName;
  readonly digest: string;
  readonly details?: string;
}

/** Rows as JSON that PostgreSQL takes apart: its texts hold neither a zero character nor half a character. */
export function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value,
  );
}

export function kindNumber(kind: EventKind): number {
  return NUMBER_OF.get(kind)!;
}

export function toJournalEvent({ kind, details, ...row }: EventRow): JournalEvent {
  const event: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row)) if (value !== "") event[field] = value;
  event.kind = EVENT_KINDS[kind];
  event.details = jsonIn(details ?? "{}") ?? {};
  return event as unknown as JournalEvent;
}
