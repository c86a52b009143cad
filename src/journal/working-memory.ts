// Owns what stays in a session's working memory: what comes in, what fades, what leaves. Does not own the cards
// (`disclose/`) or where they are kept (`SessionStore`).

import type { Frame } from "../model/frame.ts";
import { estimateTokens } from "../text/estimate.ts";
import type { MemoryItem } from "./session.ts";

/** Tokens that working memory may hold in each frame; three compact cards are about 400. */
export const MEMORY_BUDGETS: Readonly<Record<Frame, number>> = {
  /** Doing needs the steps of several skills side by side. */
  task: 800,
  /** Fixing goes back and forth between them. */
  debug: 800,
  /** Choosing weighs a few. */
  decision: 600,
  /** Making wants room for the user's own words. */
  creative: 600,
  /** An answer rests on one or two. */
  question: 400,
  /** Talk needs next to nothing. */
  conversation: 200,
};

/** What was not recalled again keeps this much of its relevance: gone from the front after two or three turns. */
const FADE = 0.7;

export interface Remembered {
  /** Most relevant first. */
  readonly items: readonly MemoryItem[];
  readonly evicted: readonly MemoryItem[];
}

/** Takes this turn's items into memory; the least relevant leave until the frame's budget holds. */
export function remember(
  before: readonly MemoryItem[],
  incoming: readonly MemoryItem[],
  frame: Frame,
): Remembered {
  const byRef = new Map<string, MemoryItem>();
  for (const item of before) byRef.set(refOf(item), { ...item, relevance: item.relevance * FADE });
  for (const item of incoming) byRef.set(refOf(item), item);
  const ranked = [...byRef.values()].sort(
    (a, b) => b.relevance - a.relevance || (refOf(a) < refOf(b) ? -1 : 1),
  );
  const items: MemoryItem[] = [];
  const evicted: MemoryItem[] = [];
  let room = MEMORY_BUDGETS[frame];
  for (const item of ranked) {
    const cost = estimateTokens(item.content);
    // Once one had to leave, the less relevant leave too: a small item must not outlive a better one.
    const stays = evicted.length === 0 && cost <= room;
    (stays ? items : evicted).push(item);
    if (stays) room -= cost;
  }
  return { items, evicted };
}

function refOf({ refType, refId }: MemoryItem): string {
  return `${refType}\n${refId}`;
}
