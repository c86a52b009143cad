// Exports and imports the journal as JSON lines that other tools can read (`skillName`, `sessionId`, `timestamp` first).

import { jsonIn } from "../text/json.ts";
import { EVENT_KINDS, type EventKind, type NewEvent, toEvent } from "./events.ts";
import type { JournalStore } from "./journal-store.ts";

/** The events of one session, in order, one per line. */
export async function exportSession(journal: JournalStore, session: string): Promise<string> {
  const events = await journal.query({ session });
  return events.map((event) => `${toLine(event)}\n`).join("");
}

export interface ImportReport {
  readonly imported: number;
  /** Events that the journal had already. */
  readonly known: number;
  /** Lines that are not JSON: what a crash left. */
  readonly torn: number;
  /** JSON that is not a journal event. */
  readonly foreign: number;
}

/** Takes in lines of this format or the short one (`skillName`, `sessionId`, `timestamp`: an activation). */
export async function importLines(journal: JournalStore, text: string): Promise<ImportReport> {
  const events: NewEvent[] = [];
  let torn = 0;
  let foreign = 0;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const value = jsonIn(line);
    const event = value === undefined ? undefined : fromLine(value);
    if (event) events.push(event);
    else if (value === undefined) torn++;
    else foreign++;
  }
  const fresh = await withoutKnown(journal, events);
  await journal.append(fresh);
  return { imported: fresh.length, known: events.length - fresh.length, torn, foreign };
}

function toLine(event: NewEvent): string {
  const { skill, session, at, kind, turn, agent, host, digest, details } = event;
  return JSON.stringify({
    skillName: skill,
    sessionId: session,
    timestamp: new Date(at).toISOString(),
    kind,
    turn,
    agent,
    host,
    digest,
    ...(Object.keys(details).length > 0 && { details }),
  });
}

function fromLine(value: unknown): NewEvent | undefined {
  const line = (value ?? {}) as Record<string, unknown>;
  const { skillName: skill, sessionId: session, timestamp, kind = "activated" } = line;
  const at = typeof timestamp === "number" ? timestamp : Date.parse(String(timestamp));
  // The short format knows activations only, and those need their skill and session.
  if (line.kind === undefined && (typeof skill !== "string" || typeof session !== "string")) return undefined;
  if (!EVENT_KINDS.includes(kind as EventKind)) return undefined;
  const { turn, agent, host, digest, details } = line;
  return toEvent({ kind, at, skill, session, turn, agent, host, digest, details });
}

/** Leaves out what the journal has, as often as it has it: to import a file twice changes nothing. */
async function withoutKnown(journal: JournalStore, events: readonly NewEvent[]): Promise<NewEvent[]> {
  const known = new Map<string, number>();
  for (const session of new Set(events.map((event) => event.session))) {
    const kept = session === undefined ? await journal.query({}) : await journal.query({ session });
    for (const event of kept) {
      if (event.session !== session) continue;
      known.set(toLine(event), (known.get(toLine(event)) ?? 0) + 1);
    }
  }
  return events.filter((event) => {
    const line = toLine(event);
    const times = known.get(line) ?? 0;
    if (times > 0) known.set(line, times - 1);
    return times === 0;
  });
}
