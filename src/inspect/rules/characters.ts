// Finds suspicious characters in raw text: invisible, reordering and look-alike ones, and text out of sight.

import { maskedLetters } from "../canonical-text.ts";
import { excerptOf } from "../excerpt.ts";
import { INSPECT_LIMITS } from "../limits.ts";
import type { FindingSeverity, RuleFinding } from "../types.ts";

const FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}/gu;
const TAG_RUN = /[\u{e0020}-\u{e007e}]{3,}/gu;
const SELECTOR_RUN = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;
const ZERO_WIDTH_IN_WORD = /[a-z][\u00ad\u200b-\u200f\u2060-\u2064\ufeff]{1,8}[a-z]/i;
const ZERO_WIDTH_RUN = /[\u200b-\u200f\u2060-\u2064\ufeff]{8,}/u;
const OVERRIDE = /[\u202d\u202e]/;
const REORDER = /[\u202a-\u202c\u2066-\u2069]/;
const FILLER = /[\u115f\u1160\u3164\uffa0]/;
const WORD = /[\p{L}\p{N}]{2,40}/gu;
/** What every line has in which one of the signs is: one of their characters, a letter that may be masked, or many blanks in a row. */
const MAY_SHOW =
  /[\u00ad\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\ufeff\uffa0\u0400-\u052f\u0531-\u058f]|[\ufe00-\ufe0f]|\udb40|[ \t\u00a0\u2000-\u200a\u3000]{160}/;
/** What every text has that holds a smuggled message: a variation selector, or the first half of a tag character. */
const MAY_SMUGGLE = /[\ufe00-\ufe0f\udb40]/;
/** Letters of the scripts in which most letters imitate ASCII. */
const MASKING = /[\u0400-\u052f\u0531-\u058f]/;
const FIX = "Retype the line with plain characters.";

interface Sign {
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly why: string;
  readonly test: (line: string) => boolean;
}

const SIGNS: readonly Sign[] = [
  {
    code: "characters-smuggled",
    severity: "high",
    why: "Contains a message in tag characters or variation selectors, which a model reads and a person does not see.",
    test: (line) =>
      line.replace(FLAG, "").search(TAG_RUN) >= 0 ||
      line.search(SELECTOR_RUN) >= 0 ||
      ZERO_WIDTH_RUN.test(line),
  },
  {
    code: "characters-reordered",
    severity: "high",
    why: "Reverses the reading direction, so that the visible text is not the text that runs.",
    test: (line) => OVERRIDE.test(line),
  },
  {
    code: "characters-reordered",
    severity: "medium",
    why: "Changes the reading direction inside a line.",
    test: (line) => REORDER.test(line) && !/[\u0590-\u08ff]/.test(line),
  },
  {
    code: "characters-invisible",
    severity: "medium",
    why: "Has invisible characters inside a word, which hides it from a search.",
    test: (line) => ZERO_WIDTH_IN_WORD.test(line) || FILLER.test(line),
  },
  {
    code: "characters-look-alike",
    severity: "medium",
    why: "Has letters of another script that look like ASCII letters inside a word.",
    test: (line) => hasMaskedWord(line),
  },
  {
    code: "characters-out-of-sight",
    severity: "medium",
    why: "Has text far to the right, outside the window of an editor.",
    test: (line) => pushedAside(line),
  },
];

export function characterFindings(path: string, lines: readonly string[]): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const counts = new Map<string, number>();
  const report = (sign: Pick<Sign, "code" | "severity" | "why">, line: number, text: string): void => {
    const count = (counts.get(sign.code) ?? 0) + 1;
    counts.set(sign.code, count);
    if (count > INSPECT_LIMITS.sameCodePerFile) return;
    findings.push({
      code: sign.code,
      severity: sign.severity,
      path,
      line,
      excerpt: excerptOf(text),
      message: sign.why,
      fix: FIX,
    });
  };
  let blank = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") {
      blank++;
      continue;
    }
    if (blank >= INSPECT_LIMITS.blankLines) {
      report(
        {
          code: "characters-out-of-sight",
          severity: "medium",
          why: `Continues after ${blank} blank lines, where readers do not expect more text.`,
        },
        index + 1,
        line,
      );
    }
    blank = 0;
    if (/^[\x21-\x7e\t ]*$/.test(line) && line.length < INSPECT_LIMITS.blankColumns) continue;
    if (!MAY_SHOW.test(line)) continue;
    const seen = new Set<string>();
    for (const sign of SIGNS) {
      if (seen.has(sign.code) || !sign.test(line)) continue;
      seen.add(sign.code);
      report(sign, index + 1, line);
    }
  }
  return findings;
}

/** The messages that are written in tag characters and variation selectors. */
export function smuggledTexts(text: string): string[] {
  if (!MAY_SMUGGLE.test(text)) return [];
  const texts: string[] = [];
  for (const match of text.replace(FLAG, "").matchAll(TAG_RUN))
    texts.push(String.fromCodePoint(...codesOf(match[0], 0xe0000).slice(0, 4_000)));
  for (const match of text.matchAll(SELECTOR_RUN)) {
    const bytes = [...match[0]].slice(0, 4_000).map((char) => {
      const code = char.codePointAt(0)!;
      return code < 0x10000 ? code - 0xfe00 : code - 0xe0100 + 16;
    });
    texts.push(Buffer.from(bytes).toString("utf8"));
  }
  return texts;
}

function codesOf(run: string, base: number): number[] {
  return [...run].map((char) => char.codePointAt(0)! - base);
}

function hasMaskedWord(line: string): boolean {
  // Bytes that are no text leave U+FFFD, and any letter beside it.
  if (!MASKING.test(line) || line.includes("\ufffd")) return false;
  for (const match of line.matchAll(WORD)) {
    const masked = maskedLetters(match[0]);
    if (masked.some((char) => MASKING.test(char))) return true;
  }
  return false;
}

function pushedAside(line: string): boolean {
  const at = line.search(/\S[ \t\u00a0\u2000-\u200a\u3000]{160,20000}\S/);
  return at >= 0 && !/^\s*[|#]/.test(line);
}
