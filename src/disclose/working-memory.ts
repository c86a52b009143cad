// Chooses an agent's working memory: the cards of recently recalled skills, within the budget of the frame.

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
  /** A task needs the steps of several skills at the same time. */
  task: 800,
  /** Debugging switches between skills. */
  debug: 800,
  /** A decision compares a few. */
  decision: 600,
  /** Creative work needs room for the user's own words. */
  creative: 600,
  /** An answer needs one or two. */
  question: 400,
  /** A conversation needs almost none. */
  conversation: 200,
};

/** The items of working memory, most relevant first. `cardOf` returns undefined for a skill that no longer exists. */
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
