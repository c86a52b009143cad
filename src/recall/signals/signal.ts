// Owns what a signal is, and the table of what each one is worth. Each signal has a file of its own beside this one.

import type { Skill } from "../../model/skill.ts";
import type { FrameChoice } from "../frames.ts";

/** What a signal knows about the turn. */
export interface Query {
  readonly message: string;
  readonly frame: FrameChoice;
  /** Files that the host says are open. */
  readonly files: readonly string[];
}

/**
 * What a signal says about one skill. A claim is evidence for the skill and stays within [0, 1] together with the
 * ranker's score; a boost is added afterwards.
 */
export interface Judgement {
  readonly kind: "claim" | "boost";
  readonly value: number;
  /** What a claim adds where the text speaks too; as much as `value` when not given. */
  readonly beside?: number;
  readonly note: string;
}

export interface Signal {
  readonly name: string;
  judge(skill: Skill, query: Query): Judgement | undefined;
}

/** The worth of each signal. The ranker's own weights stand in `rank.ts`. */
export const WORTH = {
  /** `/name`, `$name` or the name spelled out: nothing can be plainer. */
  mention: 1,
  /** The words of a name of several words stand together in the message. More costs recall in large libraries. */
  nameInWords: 0.2,
  /** A phrase or pattern that the author declared: enough to be recalled, not to outdo a skill whose text fits. */
  triggerPhrase: 0.35,
  /** One declared word or verb: just enough on its own in a short message. */
  triggerWord: 0.3,
  /**
   * What the two add where the text speaks too: authors declare common words, and many more of them than a message has.
   * In full they cost 0.8 points of Recall@3 and 0.7 of Recall@5, this 0.1.
   */
  triggerPhraseBeside: 0.12,
  triggerWordBeside: 0.05,
  /** A file that is open belongs to the skill's `paths`. */
  paths: 0.6,
  /** The boost for a skill made for this frame: enough to decide between equals, too little to carry a stranger. */
  frame: 0.2,
  /** The penalty after 5 activations of which more than 60% failed. */
  ineffective: -0.1,
} as const;

/** Evidence adds up without ever passing 1: two independent claims leave only the doubt that both are wrong. */
export function together(
  score: number,
  { value, beside = value }: Pick<Judgement, "value" | "beside">,
): number {
  return Math.max(value, 1 - (1 - score) * (1 - beside));
}
