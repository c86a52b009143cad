// Reads prose: the first sentence of a description, the first paragraph of a body. Other Markdown is read in `src/text`.

import { LIMITS } from "./limits.ts";

const NO_SENTENCE_END = /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|dr|mr|mrs|ms|st)|\b[A-Z])\.$/i;

/** One line for a list: the first sentence, at most 80 characters, cut between words. */
export function briefOf(description: string): string {
  const head = description.slice(0, 240);
  const line = /[^\S ]| {2}/.test(head) ? head.replace(/\s+/g, " ") : head;
  return clipped(firstSentence(line.trim()), LIMITS.briefChars);
}

/** The text, cut between words and marked with an ellipsis when it is longer than `limit`. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = text.slice(0, limit - 1);
  const space = room.lastIndexOf(" ");
  const cut = text[limit - 1] === " " || space < limit / 2 ? room : room.slice(0, space);
  return `${cut.replace(/[\s,;:.–—-]+$/, "").replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * What stands in for a missing description: the first paragraph that is prose, else the first heading.
 * Headings, code, comments, images, tables, rules and quotes' marks are passed over.
 */
export function firstParagraph(body: string): string {
  let heading = "";
  let code = "";
  const paragraph: string[] = [];
  for (const raw of body
    .slice(0, LIMITS.descriptionChars * 8)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split("\n")) {
    const line = raw.trim();
    const fence = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (code !== "" || fence !== undefined) {
      if (paragraph.length > 0) break;
      code = code === "" ? (fence ?? "") : fence?.startsWith(code) ? "" : code;
      continue;
    }
    const title = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    heading ||= title ?? "";
    const prose = title === undefined && !/^(?:!\[|\[!\[|<|\||[-*_=]{3,}\s*$)/.test(line) ? line : "";
    if (prose !== "") paragraph.push(prose.replace(/^(?:>\s*|[-*+]\s+|\d+[.)]\s+)/, ""));
    else if (paragraph.length > 0) break;
  }
  const text = (paragraph.join(" ") || heading)
    .replace(/[\x00-\x1f\x7f]/g, " ")
    .replace(/(?<!\w)[*_`]{1,3}(?=\w)|(?<=\S)[*_`]{1,3}(?!\w)/g, "");
  return clipped(text.replace(/\s+/g, " ").trim(), LIMITS.descriptionChars);
}

function firstSentence(line: string): string {
  const end = /[.!?](?=\s)|[。！？]/g;
  for (let match = end.exec(line); match; match = end.exec(line)) {
    const sentence = line.slice(0, match.index + 1);
    if (!NO_SENTENCE_END.test(sentence.slice(-8))) return sentence;
  }
  return line;
}
