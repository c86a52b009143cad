// Escapes text of a skill for its target: a Markdown line, XML text, an XML attribute, or a body inside an envelope.

import { lazyPattern } from "./patterns.ts";

/** The elements that Repertoire wraps around text of a skill. A body may neither open nor close one of them. */
export const ENVELOPES = [
  "skill_content",
  "available_skills",
  "skill_files",
  "sub_skills",
  "sub_skill",
  "skill",
] as const;

/** Invisible characters that can hide or reorder text: zero-width, bidi, tags, fillers, annotations. */
const invisible = lazyPattern("[\\p{DI}\\uFFF9-\\uFFFB]+", "gu");
const LONE_SURROGATE = /[\uD800-\uDFFF]/gu;
/** Not allowed in XML 1.0, escaped or not. */
const noncharacter = lazyPattern("[\\p{NChar}]", "gu");
/** All white space and control characters, line separators included. */
const blank = lazyPattern("[\\p{Z}\\p{Cc}]+", "gu");
/** The start of a tag, a comment or a processing instruction. */
const TAG_START = /<(?=\s?[/!?A-Za-z])/g;

/** Characters removed from a body: control, bidi and tag characters, but not line feeds, tabs and joiners. */
const BODY_CONTROL =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;

// Matches a tag even with invisible characters between its letters, and blanks and slashes before them.
// No two adjacent runs share a character, so matching stays linear.
const GAP = "\\p{DI}\\p{Cc}\\p{Z}";
const envelopeTag = lazyPattern(`<(?=[${GAP}/\\\\_-]*(?:${ENVELOPES.map(looseName).join("|")}))`, "giu");
const cardHead = lazyPattern(
  "^([\\p{DI}\\p{Zs}\\t]*)\\[(?=[\\p{DI}\\p{Zs}\\t]*skill[\\p{DI}\\p{Zs}\\t]*:)",
  "gimu",
);

function looseName(name: string): string {
  const words = name.split("_").map((word) => [...word].join(`[${GAP}]*`));
  return words.join(`[${GAP}_-]*`);
}

/** One visible line: without line breaks, control and invisible characters, and with single spaces. */
export function oneLine(text: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text;
  return text
    .replace(LINE_BREAK, " ")
    .replace(invisible(), "")
    .replace(LONE_SURROGATE, "\uFFFD")
    .replace(noncharacter(), "\uFFFD")
    .replace(blank(), " ")
    .trim();
}

/** For an entry of a Markdown list: one line without tags. */
export function forLine(text: string): string {
  return oneLine(text).replace(TAG_START, "&lt;");
}

/** For a code span in a Markdown line, such as a path. */
export function forCode(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

/** For the text of an XML element: one line, escaped. */
export function forXmlText(text: string): string {
  return oneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** For an XML attribute in either kind of quotes. */
export function forXmlAttribute(text: string): string {
  return forXmlText(text).replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** For a body inside an envelope: Markdown as written, with the tags of envelopes escaped. */
export function forEnvelope(body: string): string {
  return plainBody(body).replace(envelopeTag(), "&lt;");
}

/** For a part of a body on a card: as in an envelope, with lines that look like the head of a card escaped. */
export function forCard(body: string): string {
  return forEnvelope(body).replace(cardHead(), "$1\\[");
}

function plainBody(body: string): string {
  return body.replace(LINE_BREAK, "\n").replace(BODY_CONTROL, "").replace(LONE_SURROGATE, "\uFFFD");
}
