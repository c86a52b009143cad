// Notices that a new skill describes nearly the same as another one.

import type { Library } from "../library/library.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";
import { learnedName } from "./checks.ts";
import { type LearnedStep, type Notice, requestedDescription } from "./drafts.ts";

const NUMBERS = {
  /** A paraphrase is among the first few skills that recall finds; more would only cost time. */
  candidates: 5,
  /** Share of all their words that two descriptions have in common; paraphrases lie above, neighbours below. */
  overlap: 0.5,
  /** A description with fewer words is too short to compare. */
  words: 4,
} as const;

interface Described {
  readonly name: SkillName;
  readonly description: string;
}

interface Search {
  readonly library: () => Promise<Library>;
  /** The names of the skills that recall finds for a message, at most `limit` and their duplicates. */
  readonly recall: (message: string, limit: number) => Promise<readonly SkillName[]>;
}

/** A notice if the step saves a new skill that describes nearly the same as another one. */
export async function duplicatesOf(step: LearnedStep, { library, recall }: Search): Promise<Notice[]> {
  if (!("save" in step)) return [];
  const name = learnedName(step.save.name);
  const { skills } = await library();
  if (skills.has(name)) return [];
  const description = requestedDescription(step.save);
  if (description === "") return [];
  try {
    const found = new Set(await recall(description, NUMBERS.candidates));
    const candidates = [...found].flatMap((each) => skills.get(each) ?? []);
    const similar = nearDuplicates(
      { name, description },
      candidates.map((each) => ({ name: each.name, description: each.manifest.description })),
    );
    if (similar.length === 0) return [];
    const message = `"${name}" describes nearly the same as ${similar.map((each) => `"${each}"`).join(", ")}. Consider updating that skill instead, and deleting this one.`;
    return [{ code: "near-duplicate", message }];
  } catch (error) {
    const message = `The search for similar skills failed: ${messageOf(error)}.`;
    return [{ code: "duplicates-unchecked", message }];
  }
}

/** The candidates that describe nearly the same, the closest first. */
function nearDuplicates(skill: Described, candidates: readonly Described[]): SkillName[] {
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
