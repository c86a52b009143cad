// Shortens text to the line that an index shows for a learned skill.

import { firstSentence } from "./markdown.ts";

/** The words that fit on a line of an index beside the name. */
export const SUMMARY_WORDS = 15;

/** A sentence longer than this is cut before its words are counted. */
const SENTENCE_CHARS = 160;

/** The first sentence, at most `SUMMARY_WORDS` words. */
export function summaryOf(text: string): string {
  return firstWords(firstSentence(text, SENTENCE_CHARS));
}

/** The first `SUMMARY_WORDS` words, with an ellipsis if there are more. */
export function firstWords(text: string): string {
  const words = text.replace(/\s+/g, " ").trim().split(" ");
  if (words.length <= SUMMARY_WORDS) return words.join(" ");
  return `${words
    .slice(0, SUMMARY_WORDS)
    .join(" ")
    .replace(/[\s,;:.–—-]+$/, "")}…`;
}
