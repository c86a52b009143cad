// Owns the words that come up in the first messages of several sessions.

import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { fold } from "../text/tokens.ts";
import type { Term } from "./evidence.ts";
import { EVIDENCE } from "./limits.ts";
import type { DreamSession } from "./material.ts";

/** Most sessions first, then by the alphabet. Shown in the spelling that is used most. */
export function recurringTerms(sessions: readonly DreamSession[]): Term[] {
  const found = new Map<string, { spellings: Map<string, number>; sessions: Set<string> }>();
  for (const { id, turns } of sessions) {
    for (const word of wordsOf(turns[0]?.message ?? "")) {
      const entry = found.get(stem(word)) ?? { spellings: new Map(), sessions: new Set() };
      entry.spellings.set(word, (entry.spellings.get(word) ?? 0) + 1);
      entry.sessions.add(id);
      found.set(stem(word), entry);
    }
  }
  return [...found.values()]
    .filter((entry) => entry.sessions.size >= EVIDENCE.minSessions)
    .map((entry) => ({ term: commonest(entry.spellings), sessions: [...entry.sessions] }))
    .sort((a, b) => b.sessions.length - a.sessions.length || (a.term < b.term ? -1 : 1))
    .slice(0, EVIDENCE.terms);
}

function wordsOf(message: string): string[] {
  const words = message.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.map(fold).filter((word) => [...word].length >= EVIDENCE.termLetters && !isStopWord(word));
}

function commonest(spellings: ReadonlyMap<string, number>): string {
  return [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]![0];
}
