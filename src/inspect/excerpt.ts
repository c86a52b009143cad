// Makes the excerpt of a finding: one printable line.

import { INSPECT_LIMITS } from "./limits.ts";
import type { Span } from "./match.ts";

const LEAD = 24;

/** The text around `span` as printable ASCII, with other characters as `\u{...}`, cut to the limit. */
export function excerptOf(text: string, span: Span = { start: 0, end: text.length }): string {
  const start = Math.max(0, span.start - LEAD);
  let line = start > 0 ? "..." : "";
  for (const char of text.slice(start, start + 2 * INSPECT_LIMITS.excerpt)) {
    const shown = printable(char);
    if (line.length + shown.length > INSPECT_LIMITS.excerpt)
      return `${line.slice(0, INSPECT_LIMITS.excerpt - 3)}...`;
    line += shown;
  }
  return line.trim();
}

function printable(char: string): string {
  if (/^[\s]$/.test(char)) return " ";
  if (/^[\x20-\x7e]$/.test(char)) return char;
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}
