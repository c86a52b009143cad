// Asks recall which skills a message leads to in an index, without any session.

import type { SkillName } from "../model/name.ts";
import type { Skill, SkillState } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import {
  type BackgroundIdf,
  type Embedder,
  NOTHING_KNOWN,
  type RecallIndex,
  type RecallOptions,
  recall,
} from "../recall/recall.ts";
import { GATE } from "./limits.ts";

/** The skills that a message leads to, best first, at most three. */
export type Reach = (message: string) => Promise<readonly SkillName[]>;

export interface ReachNeeds {
  /** What compares meanings, and how rare words are in general; opened once. */
  readonly meaning: () => Promise<{ readonly embedder: Embedder; readonly background: BackgroundIdf }>;
  /** The configured settings of recall. */
  readonly recall: Pick<RecallOptions, "threshold">;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** Judges whether skills can be used now; a new judge looks at requirements again. */
  readonly visibility: () => (skill: Skill) => { readonly state: SkillState };
}

/** Asks each message once; make a new one after the index has changed. */
export async function reachIn(index: RecallIndex, needs: ReachNeeds): Promise<Reach> {
  const stateOf = needs.visibility();
  const precedence = new Map(needs.sources.map(({ id }, place) => [id, place]));
  const options: RecallOptions = {
    ...needs.recall,
    ...(await needs.meaning()),
    index,
    effectiveness: NOTHING_KNOWN,
    isVisible: (skill) => stateOf(skill).state === "active",
    precedence: (skill) => precedence.get(skill.source) ?? 0,
    limit: GATE.top,
  };
  const ask: Reach = async (message) => {
    if (message.trim() === "") return [];
    const { matches } = await recall({ message }, options);
    return matches
      .filter(({ via }) => via === undefined)
      .flatMap(({ name, duplicates = [] }) => [name, ...duplicates]);
  };
  const known = new Map<string, ReturnType<Reach>>();
  return (message) => {
    const found = known.get(message) ?? ask(message);
    known.set(message, found);
    return found;
  };
}
