// Decides when two skills look like the same one: most words that describe one also describe the other.

import type { SkillName } from "../model/name.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";

const NUMBERS = {
  /** Share of all their words that two descriptions have in common; paraphrases lie above, neighbours below. */
  overlap: 0.5,
  /** A description with fewer words is too short to compare. */
  words: 4,
} as const;

interface Described {
  readonly name: SkillName;
  readonly description: string;
}

/** The candidates that describe nearly the same, the closest first. */
export function nearDuplicates(skill: Described, candidates: readonly Described[]): SkillName[] {
  const words = wordsOf(skill);
  if (words.size < NUMBERS.words) return [];
  return candidates
    .filter(({ name }) => name !== skill.name)
    .map((candidate) => ({ name: candidate.name, overlap: overlap(words, wordsOf(candidate)) }))
    .filter((each) => each.overlap >= NUMBERS.overlap)
    .sort((a, b) => b.overlap - a.overlap || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function wordsOf({ name, description }: Described): Set<string> {
  const words = tokenize(`${name.replace(/[/-]/g, " ")} ${description}`);
  return new Set(words.filter((word) => !isStopWord(word)).map(stem));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common || 1);
}
