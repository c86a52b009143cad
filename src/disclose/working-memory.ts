// Chooses what an agent keeps in its working memory: the cards of the skills recalled lately, within the frame's budget.

import type { SessionState } from "../journal/journal.ts";
import type { Frame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";
import { estimateTokens } from "../text/estimate.ts";

export interface MemoryItem {
  readonly refId: SkillName;
  readonly refType: "skill";
  /** The skill's card. */
  readonly content: string;
  /** Between 0 and 1. */
  readonly relevance: number;
}

/** Tokens that working memory may hold in each frame; three compact cards are about 400. */
export const MEMORY_BUDGETS: Readonly<Record<Frame, number>> = {
  /** Doing needs the steps of several skills side by side. */
  task: 800,
  /** Fixing goes back and forth between them. */
  debug: 800,
  /** Choosing weighs a few. */
  decision: 600,
  /** Making needs room for the user's own words. */
  creative: 600,
  /** An answer rests on one or two. */
  question: 400,
  /** Talk needs next to nothing. */
  conversation: 200,
};

/** Most relevant first. `cardOf` returns nothing for a skill that no longer exists. */
export function workingMemory(
  { relevant, frame = "task" }: Pick<SessionState, "relevant" | "frame">,
  cardOf: (name: SkillName) => string | undefined,
): readonly MemoryItem[] {
  const items: MemoryItem[] = [];
  let room = MEMORY_BUDGETS[frame];
  for (const { name, relevance } of relevant) {
    const content = cardOf(name);
    if (content === undefined) continue;
    room -= estimateTokens(content);
    // A small card must not take the place of a more relevant one that does not fit.
    if (room < 0) break;
    items.push({ refId: name, refType: "skill", content, relevance });
  }
  return items;
}
