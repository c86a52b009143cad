// Reads the sessions of the last month from the journal and the conversation, a piece at a time.

import {
  type ConversationStore,
  type JournalEvent,
  type JournalStore,
  type Rating,
  type SaidRecord,
  USE_KINDS,
} from "../journal/journal.ts";
import { breathe, inSlices } from "../library/library.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";
import { asksOtherwise } from "./corrections.ts";

export interface DreamTurn {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  readonly message: string;
  /** Undefined if the host did not say; empty if the message recalled none. */
  readonly recalled: readonly SkillName[] | undefined;
  readonly used: readonly SkillName[];
  readonly failed: readonly SkillName[];
  /** What the person said against the answer: corrections, and the notes of failures. */
  readonly corrections: readonly string[];
  /** The skills that are at fault: those that failed; if something was corrected, all that were used. */
  readonly blamed: readonly SkillName[];
  /** A failure or a correction was recorded for it, or the person's next message corrects it. */
  readonly endedBadly: boolean;
}

export interface DreamSession {
  readonly id: string;
  readonly at: number;
  readonly turns: readonly DreamTurn[];
  readonly used: readonly SkillName[];
  /** What was said against the session as a whole: with a low rating, or outside a turn that used a skill. */
  readonly remarks: readonly string[];
  readonly rating?: Rating | undefined;
}

/** Journal events that a dream learns from; its own calls and edits are left out. */
export const HISTORY_KINDS = [
  "recalled",
  "activated",
  "file_read",
  "script_run",
  "outcome",
  "feedback",
] as const;

interface OpenTurn {
  recalled: SkillName[] | undefined;
  readonly used: Set<SkillName>;
  readonly outcomes: Map<SkillName, string>;
  readonly corrections: Set<string>;
  readonly failureNotes: Set<string>;
}

interface OpenSession {
  readonly turns: Map<number, OpenTurn>;
  readonly used: Set<SkillName>;
  readonly remarks: string[];
  /** What the person said, in order. */
  readonly lines: SaidRecord[];
  rating?: Rating;
}

const PIECES = {
  /** Rows read at a time: some milliseconds. */
  rows: 1_000,
  /** The time that the first piece covers, and the most that one covers. */
  firstMs: 60 * 60 * 1000,
  mostMs: 4 * 24 * 60 * 60 * 1000,
} as const;

interface SessionNeeds {
  readonly journal: Pick<JournalStore, "query">;
  readonly conversation: Pick<ConversationStore, "query">;
}

/** The sessions since then, oldest first. */
export async function readSessions(
  { journal, conversation }: SessionNeeds,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<DreamSession[]> {
  const open = new Map<string, OpenSession>();
  const events = (between: Between) => journal.query({ ...between, kinds: HISTORY_KINDS });
  for await (const piece of inPieces(events, since, now))
    for (const event of piece)
      if (event.session !== undefined) addEvent(sessionIn(open, event.session), event);
  const said = (between: Between) => conversation.query({ ...between, role: "user" });
  for await (const piece of inPieces(said, since, now))
    for (const line of piece) sessionIn(open, line.session).lines.push(line);
  return inSlices(closing(open));
}

interface Between {
  readonly since: number;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

/** All rows since then, a piece of time at a time. A piece with too many rows ends where they ended, or is cut smaller. */
async function* inPieces<T extends { readonly at: number }>(
  ask: (between: Between) => Awaitable<readonly T[]>,
  since: number,
  now: number,
): AsyncGenerator<readonly T[], void> {
  let span: number = PIECES.firstMs;
  for (let from: number | undefined = since; from !== undefined; ) {
    // The clocks of others may be ahead of ours, so the last piece has no end.
    const until: number | undefined = from + span > now ? undefined : from + span;
    const limit = span > 1 ? PIECES.rows : undefined;
    const rows = await ask({ since: from, until, limit });
    await breathe();
    if (rows.length === limit) {
      const reached = rows.at(-1)!.at - from;
      span = reached > 0 && reached < span ? reached : Math.ceil(span / 4);
      continue;
    }
    yield rows;
    from = until;
    if (rows.length < PIECES.rows / 4) span = Math.min(2 * span, PIECES.mostMs);
  }
}

function* closing(open: ReadonlyMap<string, OpenSession>): Generator<undefined, DreamSession[]> {
  const sessions: DreamSession[] = [];
  for (const [id, session] of open) {
    sessions.push(closed(id, session));
    yield;
  }
  return sessions.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function addEvent(session: OpenSession, event: JournalEvent): void {
  const turn = event.turn === undefined ? undefined : turnIn(session, event.turn);
  if (USE_KINDS.has(event.kind) && event.skill !== undefined) {
    session.used.add(event.skill);
    turn?.used.add(event.skill);
  }
  if (event.kind === "recalled" && turn) {
    turn.recalled ??= [];
    if (event.skill !== undefined && event.details.via === undefined) turn.recalled.push(event.skill);
  }
  if (event.kind === "outcome" && turn) {
    const { result, note } = event.details;
    turn.outcomes.set(event.skill ?? "", result);
    if (result === "failure" && note) turn.failureNotes.add(note);
  }
  if (event.kind !== "feedback") return;
  const { details } = event;
  if (details.type === "correction") {
    if (turn) turn.corrections.add(details.text);
    else session.remarks.push(details.text);
  } else {
    session.rating = details.rating;
    if (isPoor(details.rating) && details.text) session.remarks.push(details.text);
  }
}

export function isPoor(rating: Rating | undefined): boolean {
  return rating === "poor" || rating === "fair";
}

/** How many turns after its instructions were loaded a skill is still followed. */
export const FOLLOWED_TURNS = 3;

/** Adds the messages that correct an answer to the turn whose skills the answer followed. */
function addCorrections({ turns, lines }: OpenSession): void {
  for (const { turn: number, text } of lines.slice(1)) {
    if (!asksOtherwise(text)) continue;
    for (let earlier = number - 1; earlier >= Math.max(1, number - FOLLOWED_TURNS); earlier--) {
      const turn = turns.get(earlier);
      if (!turn || turn.used.size === 0) continue;
      turn.corrections.add(text);
      break;
    }
  }
}

function closed(id: string, session: OpenSession): DreamSession {
  addCorrections(session);
  const { lines } = session;
  const turns = lines.map((line) => closedTurn(id, line, session.turns.get(line.turn)));
  // A correction in a turn without a skill is about the session.
  const stray = turns.filter(({ used }) => used.length === 0).flatMap(({ corrections }) => corrections);
  const at = lines[0]?.at ?? 0;
  const remarks = [...session.remarks, ...stray];
  return { id, at, turns, used: [...session.used].sort(), remarks, rating: session.rating };
}

function closedTurn(session: string, line: SaidRecord, turn: OpenTurn | undefined): DreamTurn {
  const outcomes = [...(turn?.outcomes ?? [])];
  const failed = outcomes.filter(([, result]) => result === "failure").map(([skill]) => skill);
  const used = [...(turn?.used ?? [])];
  const isCorrected = turn !== undefined && turn.corrections.size > 0;
  return {
    session,
    turn: line.turn,
    at: line.at,
    message: line.text,
    recalled: turn?.recalled,
    used,
    failed,
    corrections: [...new Set([...(turn?.corrections ?? []), ...(turn?.failureNotes ?? [])])],
    blamed: isCorrected || failed.includes("") ? used : failed,
    endedBadly: isCorrected || failed.length > 0,
  };
}

function sessionIn(open: Map<string, OpenSession>, id: string): OpenSession {
  const known = open.get(id) ?? { turns: new Map(), used: new Set(), remarks: [], lines: [] };
  open.set(id, known);
  return known;
}

function turnIn({ turns }: OpenSession, turn: number): OpenTurn {
  const empty: OpenTurn = {
    recalled: undefined,
    used: new Set(),
    outcomes: new Map(),
    corrections: new Set(),
    failureNotes: new Set(),
  };
  const known = turns.get(turn) ?? empty;
  turns.set(turn, known);
  return known;
}
