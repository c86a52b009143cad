// Notices when a new skill says nearly the same as one that is there.

import type { Library } from "../library/library.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { learnedName, nearDuplicates } from "./checks.ts";
import { type LearnedStep, type Notice, requestedDescription } from "./drafts.ts";

/** A paraphrase is among the first few skills that recall finds; more would only cost time. */
const CANDIDATES = 5;

interface SimilarNeeds {
  readonly library: () => Promise<Library>;
  readonly recall: (message: string, limit: number) => Promise<readonly SkillName[]>;
}

export async function similarNotices(
  step: LearnedStep,
  { library, recall }: SimilarNeeds,
): Promise<Notice[]> {
  if (!("save" in step)) return [];
  const name = learnedName(step.save.name);
  const { skills } = await library();
  if (skills.has(name)) return [];
  const description = requestedDescription(step.save);
  if (description === "") return [];
  try {
    const found = new Set(await recall(description, CANDIDATES));
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
