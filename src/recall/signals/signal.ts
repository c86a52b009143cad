// Defines what a signal is, and the table of what each signal adds to a score.

import type { Skill } from "../../model/skill.ts";
import type { FrameChoice } from "../frames.ts";

/** The turn as signals see it. */
export interface Query {
  readonly message: string;
  readonly frame: FrameChoice;
  /** Files that the host says are open. */
  readonly files: readonly string[];
}

/**
 * A signal's result for one skill. A claim is combined with the ranker's score within [0, 1], a doubt takes its share of
 * the score away, a boost is added afterwards.
 */
export interface Judgement {
  readonly kind: "claim" | "doubt" | "boost";
  readonly value: number;
  /** How much a claim adds if the text of the skill fits too; `value` by default. */
  readonly beside?: number | undefined;
  /** Set if `beside` counts only as far as the text of the skill fits. */
  readonly needsFit?: boolean | undefined;
  /** Set if the message names the skill and means it. */
  readonly named?: boolean | undefined;
  /** Set if the message has the skill's name to the letter. */
  readonly spelled?: boolean | undefined;
  /** Set if the message has a whole phrase of several words that the skill declares. */
  readonly phrase?: boolean | undefined;
  readonly note: string;
}

export interface Signal {
  readonly name: string;
  judge(skill: Skill, query: Query): Judgement | undefined;
}

/** The value of each signal. The ranker's own weights are in `rank.ts`. */
export const WORTH = {
  /** `/name`, `$name`, "use the X skill": strong evidence. Not 1, because people also name what they do not want. */
  mention: 0.95,
  /** A name with a hyphen in running text. Adjectives, routes and files look like names too, so the text must fit. */
  spelledName: 0.5,
  /** The words of a name of several words are together in the message. A higher value costs recall in large libraries. */
  nameInWords: 0.2,
  /** A whole declared phrase of several words, in the author's order: strong evidence, before most texts that fit. */
  exactPhrase: 0.6,
  exactPhraseBeside: 0.3,
  /** A pattern that the author declared: enough to be recalled, but less than a skill whose text fits. */
  triggerPattern: 0.35,
  /** One declared word or verb: just enough to be recalled for a short message. */
  triggerWord: 0.3,
  /**
   * How much patterns and words add if the text fits too. Authors declare many common words: full values cost 0.8 points
   * of Recall@3 and 0.7 of Recall@5, these values 0.1.
   */
  triggerPatternBeside: 0.12,
  triggerWordBeside: 0.05,
  /** An open file matches the skill's `paths`. */
  paths: 0.6,
  /** The boost for a skill made for this frame: decides between equals, but does not lift an unrelated skill. */
  frame: 0.2,
  /** The boost for a skill that the message names and means: more than any evidence and the frame's boost together. */
  named: 1.5,
  /** The penalty after 5 activations of which more than 60% failed. */
  ineffective: -0.1,
  /** The doubt that one success with the same message leaves: enough to be recalled, and two come before most texts. */
  useFor: 0.3,
  /** The share of the score that one failure with the same message leaves: a clear match is still recalled. */
  useAgainst: 0.6,
} as const;

/** A text that fits this well makes a claim that needs it count in full. */
const FITTING = 0.25;

/** Combines a claim with a score as independent probabilities, so that the result never exceeds 1. */
export function combineClaim(
  score: number,
  { value, beside = value, needsFit }: Pick<Judgement, "value" | "beside" | "needsFit">,
): number {
  const counts = needsFit ? Math.min(1, score / FITTING) : 1;
  return Math.max(value, 1 - (1 - score) * (1 - counts * beside));
}
