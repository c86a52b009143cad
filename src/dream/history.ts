// Owns how journal events and said lines become sessions with turns. Pure; does not read the store.

import type { SaidRecord } from "../journal/journal.ts";
import { type JournalEvent, type Rating, USE_KINDS } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import type { DreamSession, DreamTurn } from "./material.ts";

interface OpenTurn {
  recalled: SkillName[] | undefined;
  readonly used: Set<SkillName>;
  readonly outcomes: Map<SkillName, string>;
  readonly corrections: string[];
}

interface OpenSession {
  readonly turns: Map<number, OpenTurn>;
  readonly used: Set<SkillName>;
  readonly corrections: string[];
  rating?: Rating;
}

/** Sessions, oldest first. `events` and `said` are in the order in which they happened. */
export function readHistory(input: {
  readonly events: readonly JournalEvent[];
  readonly said: readonly SaidRecord[];
}): DreamSession[] {
  const open = new Map<string, OpenSession>();
  for (const event of input.events)
    if (event.session !== undefined) note(sessionIn(open, event.session), event);
  const lines = new Map<string, SaidRecord[]>();
  for (const line of input.said) {
    if (line.role !== "user") continue;
    lines.set(line.session, [...(lines.get(line.session) ?? []), line]);
    sessionIn(open, line.session);
  }
  return [...open]
    .map(([id, session]) => close(id, session, lines.get(id) ?? []))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function note(session: OpenSession, event: JournalEvent): void {
  const turn = event.turn === undefined ? undefined : turnIn(session, event.turn);
  if (USE_KINDS.has(event.kind) && event.skill !== undefined) {
    session.used.add(event.skill);
    turn?.used.add(event.skill);
  }
  if (event.kind === "recalled" && turn) {
    turn.recalled ??= [];
    if (event.skill !== undefined && event.details.via === undefined) turn.recalled.push(event.skill);
  }
  if (event.kind === "outcome" && turn) turn.outcomes.set(event.skill ?? "", event.details.result);
  if (event.kind !== "feedback") return;
  if (event.details.type === "summary") session.rating = event.details.rating;
  else {
    session.corrections.push(event.details.text);
    turn?.corrections.push(event.details.text);
  }
}

function close(id: string, session: OpenSession, lines: readonly SaidRecord[]): DreamSession {
  const turns = lines.map((line): DreamTurn => {
    const turn = session.turns.get(line.turn);
    const outcomes = [...(turn?.outcomes ?? [])];
    const corrections = turn?.corrections ?? [];
    return {
      session: id,
      turn: line.turn,
      at: line.at,
      message: line.text,
      recalled: turn?.recalled,
      used: [...(turn?.used ?? [])],
      failed: outcomes.filter(([, result]) => result === "failure").map(([skill]) => skill),
      corrections,
      endedBadly: corrections.length > 0 || outcomes.some(([, result]) => result === "failure"),
    };
  });
  const { corrections, rating } = session;
  const at = lines[0]?.at ?? 0;
  return { id, at, turns, used: [...session.used].sort(), corrections, ...(rating && { rating }) };
}

function sessionIn(open: Map<string, OpenSession>, id: string): OpenSession {
  const known = open.get(id);
  if (known) return known;
  const made: OpenSession = { turns: new Map(), used: new Set(), corrections: [] };
  open.set(id, made);
  return made;
}

function turnIn(session: OpenSession, turn: number): OpenTurn {
  const known = session.turns.get(turn);
  if (known) return known;
  const made: OpenTurn = { recalled: undefined, used: new Set(), outcomes: new Map(), corrections: [] };
  session.turns.set(turn, made);
  return made;
}
