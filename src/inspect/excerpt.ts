// Owns the one safe line that a finding shows. Does not own where the finding is.
import { LIMITS } from "./limits.ts";
import type { Span } from "./match.ts";

const LEAD = 24;

/** The text around `span`: printable ASCII, everything else as `\u{...}`, never longer than the limit. */
export function excerptOf(text: string, span: Span = { start: 0, end: text.length }): string {
  const start = Math.max(0, span.start - LEAD);
  let line = start > 0 ? "..." : "";
  for (const char of text.slice(start, start + 2 * LIMITS.excerpt)) {
    const shown = printable(char);
    if (line.length + shown.length > LIMITS.excerpt) return `${line.slice(0, LIMITS.excerpt - 3)}...`;
    line += shown;
  }
  return line.trim();
}

function printable(char: string): string {
  if (/^[\s]$/.test(char)) return " ";
  if (/^[\x20-\x7e]$/.test(char)) return char;
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}
