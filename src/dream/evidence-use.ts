// Owns what the use of skills tells: used together, used where things went wrong, too thin, in each other's way.

import { compareNames, type SkillName } from "../model/name.ts";
import type { AtRiskSkill, Conflict, CoUsePair, SparseSkill } from "./evidence.ts";
import { EVIDENCE } from "./limits.ts";
import type { DreamSession, Material } from "./material.ts";

const POOR: readonly string[] = ["poor", "fair"];

/** Pairs that several sessions used, most sessions first. */
export function findCoUse({ sessions, skills }: Material): CoUsePair[] {
  const known = new Set(skills.map(({ name }) => name));
  const pairs = new Map<string, CoUsePair & { sessions: string[] }>();
  for (const { id, used } of sessions) {
    const names = used.filter((name) => known.has(name)).sort(compareNames);
    for (const [at, a] of names.entries()) {
      for (const b of names.slice(at + 1)) {
        const pair = pairs.get(`${a}\n${b}`) ?? { a, b, sessions: [] };
        pair.sessions.push(id);
        pairs.set(`${a}\n${b}`, pair);
      }
    }
  }
  return [...pairs.values()]
    .filter((pair) => pair.sessions.length >= EVIDENCE.minSessions)
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(`${a.a} ${a.b}`, `${b.a} ${b.b}`))
    .slice(0, EVIDENCE.pairs);
}

/** Used in a session with a correction or a poor or fair rating; most sessions first. */
export function findAtRisk({ sessions, skills }: Material): AtRiskSkill[] {
  const known = new Set(skills.map(({ name }) => name));
  const found = new Map<SkillName, DreamSession[]>();
  for (const session of sessions) {
    for (const name of blamed(session))
      if (known.has(name)) found.set(name, [...(found.get(name) ?? []), session]);
  }
  return [...found]
    .map(([name, bad]) => toAtRisk(name, bad))
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(a.name, b.name))
    .slice(0, EVIDENCE.items);
}

/** Those of the corrected turns; where the session as a whole went badly, all that it used. */
function blamed(session: DreamSession): readonly SkillName[] {
  const wasRatedLow = session.rating !== undefined && POOR.includes(session.rating);
  const corrected = session.turns.filter(({ corrections }) => corrections.length > 0);
  const inTurns = corrected.flatMap(({ used }) => used);
  if (wasRatedLow) return session.used;
  return inTurns.length > 0 ? [...new Set(inTurns)] : session.corrections.length > 0 ? session.used : [];
}

function toAtRisk(name: SkillName, bad: readonly DreamSession[]): AtRiskSkill {
  const turns = bad.flatMap((session) => session.turns).filter(({ used }) => used.includes(name));
  return {
    name,
    sessions: bad.map(({ id }) => id),
    corrections: bad.flatMap(({ corrections }) => corrections).slice(-EVIDENCE.quotes),
    ratings: bad.flatMap(({ rating }) => (rating && POOR.includes(rating) ? [rating] : [])),
    messages: turns.map(({ message }) => message).slice(-EVIDENCE.quotes),
  };
}

/** Learned skills with hardly any text, a week after they were made. */
export function findSparse({ skills, sessions, now }: Material): SparseSkill[] {
  return skills
    .filter(
      ({ learned, body, createdAt }) =>
        learned && charsOf(body) < EVIDENCE.sparseChars && now - createdAt > EVIDENCE.sparseAgeMs,
    )
    .map(({ name, body }) => ({
      name,
      chars: charsOf(body),
      sessions: sessions.filter(({ used }) => used.includes(name)).map(({ id }) => id),
    }))
    .sort((a, b) => a.chars - b.chars || compareNames(a.name, b.name))
    .slice(0, EVIDENCE.items);
}

function charsOf(body: string): number {
  return body.trim().length;
}

/** Two skills that were recalled for the same messages and took turns in being used. */
export function findConflicts({ sessions, skills }: Material): Conflict[] {
  const known = new Set(skills.map(({ name }) => name));
  const pairs = new Map<
    string,
    { a: SkillName; b: SkillName; chosen: Set<SkillName>; messages: string[]; sessions: Set<string> }
  >();
  for (const turn of sessions.flatMap((session) => session.turns)) {
    const names = (turn.recalled ?? []).filter((name) => known.has(name)).sort(compareNames);
    for (const [at, a] of names.entries()) {
      for (const b of names.slice(at + 1)) {
        const used = turn.used.filter((name) => name === a || name === b);
        if (used.length !== 1) continue;
        const pair = pairs.get(`${a}\n${b}`) ?? {
          a,
          b,
          chosen: new Set(),
          messages: [],
          sessions: new Set(),
        };
        pair.chosen.add(used[0]!);
        pair.messages.push(turn.message);
        pair.sessions.add(turn.session);
        pairs.set(`${a}\n${b}`, pair);
      }
    }
  }
  return [...pairs.values()]
    .filter(
      ({ chosen, messages, sessions: where }) =>
        chosen.size === 2 && messages.length >= EVIDENCE.conflictTurns && where.size >= EVIDENCE.minSessions,
    )
    .map(({ a, b, messages, sessions: where }) => ({
      a,
      b,
      messages: messages.slice(-EVIDENCE.quotes),
      sessions: [...where],
    }))
    .sort((x, y) => y.sessions.length - x.sessions.length || compareNames(`${x.a} ${x.b}`, `${y.a} ${y.b}`))
    .slice(0, EVIDENCE.items);
}
