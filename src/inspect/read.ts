// Turns the bytes of a file into lines, within a budget.

import { INSPECT_LIMITS } from "./limits.ts";

export interface TextFile {
  readonly lines: readonly string[];
  /** Whether the lines are the printable strings of a binary file. */
  readonly binary: boolean;
  /** Characters counted against the package's budget. */
  readonly size: number;
  /** Characters that are not in `lines`. */
  readonly unread: number;
}

/** The lines of any bytes: UTF-8, UTF-16 with a byte order mark, or the printable strings of a binary file. */
export function fileLines(bytes: Uint8Array, budget: number): TextFile {
  const most = Math.max(0, Math.min(budget, INSPECT_LIMITS.textPerFile));
  const cap = most + INSPECT_LIMITS.tailPerFile;
  const binary = isBinary(bytes);
  const squeezed = squeeze(binary ? strings(bytes) : decode(bytes));
  if (squeezed.length <= cap) return { lines: cut(squeezed), binary, size: squeezed.length, unread: 0 };
  const kept = `${squeezed.slice(0, most)}\n${squeezed.slice(-INSPECT_LIMITS.tailPerFile)}`;
  return { lines: cut(kept), binary, size: kept.length, unread: binary ? 0 : squeezed.length - kept.length };
}

function cut(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029\u0085]/);
}

/** Shortens very long runs of blanks, to a length that is still reported as `characters-out-of-sight`. */
function squeeze(text: string): string {
  if (text.length <= INSPECT_LIMITS.textPerFile) return text;
  const columns = " ".repeat(INSPECT_LIMITS.blankColumns + 1);
  const rows = "\n".repeat(INSPECT_LIMITS.blankLines + 2);
  return text.replace(/[ \t]{400,}/g, columns).replace(/(?:\r?\n){400,}/g, rows);
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8").decode(bytes);
}

function isBinary(bytes: Uint8Array): boolean {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return false;
  const head = bytes.subarray(0, 8_192);
  let odd = 0;
  for (const byte of head)
    if (byte === 0 || (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27))
      odd++;
  return odd * 50 > head.length;
}

function strings(bytes: Uint8Array): string {
  const latin = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, INSPECT_LIMITS.textPerFile),
  ).toString("latin1");
  return (latin.match(/[\x20-\x7e\t]{12,4000}/g) ?? []).join("\n");
}
