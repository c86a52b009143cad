// Makes text of others safe for a terminal: what could control, reorder or hide text is shown as an escape.

import { lazyPattern } from "./patterns.ts";

const PLAIN = /^[\t\n -~]*$/;

/** The letters of scripts that need joiners to be written right. */
const JOINING =
  "\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Telu}\\p{scx=Sinh}";

/** Joiners and variation selectors inside an emoji or a word that needs them. They can hide nothing. */
const HARMLESS = [
  "(?<=\\p{ExtPict})\\uFE0F",
  "(?<=[0-9#*])\\uFE0F(?=\\u20E3)",
  "(?<=\\p{ExtPict}|\\p{ExtPict}\\uFE0F|\\p{EMod})\\u200D(?=\\p{ExtPict})",
  `(?<=[${JOINING}]\\p{M}?)[\\u200C\\u200D](?=[${JOINING}])`,
].join("|");

/**
 * Control characters except line feed and tab, line separators, bidi and tag characters, whatever else is invisible, halves
 * of surrogate pairs, and code points that are not characters.
 */
const hidden = lazyPattern(
  `(?!${HARMLESS})[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\p{Zl}\\p{Zp}\\p{DI}\\p{Cs}\\p{NChar}\\u2800\\uFFF9-\\uFFFB]`,
  "gu",
);

/**
 * For a terminal: every character that would act instead of being shown is written as an escape.
 *
 * @example
 * visibly("a\u001b[2Jb"); // a\u{1b}[2Jb
 */
export function visibly(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(hidden(), (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
}

/** The same for a text that must stay on its line, such as a file name. */
export function lineVisibly(text: string): string {
  return visibly(text).replaceAll("\n", "\\u{a}");
}

/** The same for a JSON text, which stays JSON and keeps its meaning. */
export function jsonVisibly(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(hidden(), (found) =>
    Array.from({ length: found.length }, (_, at) => {
      return `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}
