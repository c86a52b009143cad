// An agent's working memory: the cards of the skills that a session recalled lately, the same as in a section of cards.

import type { SessionState } from "../journal/journal.ts";
import { type NamedTools, namedTools } from "../model/agent-tool-alias.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Budget, Match } from "../model/turn.ts";
import { limitOf } from "./budget.ts";
import { ownNames, select } from "./select.ts";
import { cardsOf } from "./styles/cards.ts";

export interface MemoryItem {
  readonly refId: SkillName;
  readonly refType: "skill";
  /** The skill's card. */
  readonly content: string;
  /** Between 0 and 1. */
  readonly relevance: number;
}

interface MemoryRequest {
  /** Every skill that still exists. */
  readonly skills: readonly Skill[];
  readonly budget?: Budget | undefined;
  readonly bodyOf: (skill: Skill) => string | undefined;
  /** The tools that a card may name; the default ones unless given. */
  readonly tools?: NamedTools | undefined;
}

/** The items of working memory: of the last turn, then the others, each most relevant first. */
export function workingMemory(
  state: Pick<SessionState, "relevant" | "recalled">,
  { skills, budget, bodyOf, tools = namedTools() }: MemoryRequest,
): readonly MemoryItem[] {
  const relevance = new Map(state.relevant.map((one) => [one.name, one.relevance]));
  // What came along with another skill has no relevance of its own.
  const matches = state.recalled.map((name): Match => {
    const match = memoryMatch(name, relevance.get(name) ?? 0);
    return relevance.has(name) ? match : { ...match, via: "" };
  });
  const selection = select({ skills, matches, kept: keptFrom(state, matches) });
  return cardsOf({ selection, limit: limitOf("cards", budget), bodyOf, tools }).cards.map(
    ({ skill, text }) => ({
      refId: skill.name,
      refType: "skill",
      content: text,
      relevance: relevance.get(skill.name) ?? 0,
    }),
  );
}

/** What a session recalled in earlier turns and has not forgotten, with its relevance as the score. */
export function keptFrom({ relevant }: Pick<SessionState, "relevant">, matches: readonly Match[]): Match[] {
  const now = ownNames(matches);
  return relevant
    .filter(({ name }) => !now.has(name))
    .map(({ name, relevance }) => memoryMatch(name, relevance));
}

function memoryMatch(name: SkillName, relevance: number): Match {
  return { name, score: relevance, evidence: relevance, boosts: 0, reasons: [] };
}
