// Owns finding requests that recur and that no skill answers. A group that one skill was used for is that skill's
// trouble and no gap: `evidence-use.ts` reports it.

import { compareNames } from "../model/name.ts";
import { stem } from "../text/stem.ts";
import { fold } from "../text/tokens.ts";
import type { Gap } from "./evidence.ts";
import { EVIDENCE, SIMILARITY } from "./limits.ts";
import type { DreamTurn, Material } from "./material.ts";
import { type Bag, bagsOf, clusters, likeness, nearness } from "./similarity.ts";

interface Candidate extends DreamTurn {
  readonly bag: Bag;
  readonly vector?: Float32Array | undefined;
}

/** Most sessions first. */
export function findGaps(material: Material): Gap[] {
  const turns = material.sessions
    .flatMap((session) => session.turns)
    .filter((turn) => isMissed(turn, material))
    .slice(-EVIDENCE.messages);
  const bags = bagsOf(turns.map(({ message }) => message));
  const candidates = turns
    .map((turn, at): Candidate => ({ ...turn, bag: bags[at]!, vector: material.meaning.get(turn.message) }))
    .filter(({ bag }) => bag.size >= SIMILARITY.messageWords);
  const least = material.meaning.size > 0 ? SIMILARITY.message : SIMILARITY.messageWordsOnly;
  return clusters(candidates, alike, least)
    .filter((group) => isGap(group))
    .map(toGap)
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(a.messages[0]!, b.messages[0]!))
    .slice(0, EVIDENCE.items);
}

function isMissed(turn: DreamTurn, { isUnmet }: Material): boolean {
  if (turn.endedBadly) return true;
  return turn.recalled?.length === 0 && turn.used.length === 0 && isUnmet(turn);
}

function alike(a: Candidate, b: Candidate): number {
  const words = likeness(a.bag, b.bag);
  return a.vector && b.vector ? (words + nearness(a.vector, b.vector)) / 2 : words;
}

function isGap(group: readonly Candidate[]): boolean {
  if (new Set(group.map(({ session }) => session)).size < EVIDENCE.minSessions) return false;
  const served = group.filter(({ used }) => used.length > 0).length;
  if (served * 2 >= group.length) return false;
  return group.length > 2 || alike(group[0]!, group[1]!) >= SIMILARITY.messagePair;
}

function toGap(group: readonly Candidate[]): Gap {
  const weight = new Map<string, { count: number; sum: number }>();
  for (const { bag } of group) {
    for (const [word, value] of bag) {
      const known = weight.get(word) ?? { count: 0, sum: 0 };
      weight.set(word, { count: known.count + 1, sum: known.sum + value });
    }
  }
  const topic = [...weight]
    .filter(([, { count }]) => count > 1)
    .sort(([a, m], [b, n]) => n.count - m.count || n.sum - m.sum || compareNames(a, b))
    .slice(0, 5)
    .map(([word]) => spellingOf(word, group));
  return {
    topic,
    messages: [...new Set(group.map(({ message }) => message))].slice(-EVIDENCE.quotes),
    sessions: [...new Set(group.map(({ session }) => session))],
  };
}

/** The first word of the messages that the term stands for. */
function spellingOf(term: string, group: readonly Candidate[]): string {
  const words = group.flatMap(({ message }) => message.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  return words.map(fold).find((word) => stem(word) === term) ?? term;
}
