// Decodes the bytes of a SKILL.md: size, encodings, byte order marks, NUL bytes, line endings.

import { Buffer, isAscii, isUtf8 } from "node:buffer";
import type { Report } from "./codes.ts";
import { LIMITS } from "./limits.ts";

/** The text with LF line endings and without a byte order mark, or undefined when there is none to read. */
export function decode(input: string | Uint8Array, report: Report): string | undefined {
  const size = typeof input === "string" ? byteLength(input) : input.byteLength;
  if (size > LIMITS.fileBytes) {
    report.add("file-too-large", `The file has ${size} bytes; ${LIMITS.fileBytes} are read at most.`);
    return undefined;
  }
  const {
    text: decoded,
    hasNul,
    hasReturn,
  } = typeof input === "string" ? inspect(input) : decodeBytes(input, report);
  let text = decoded;
  if (text.charCodeAt(0) === 0xfeff) {
    report.add("byte-order-mark", "The file starts with a byte order mark.", 1);
    text = text.slice(1);
  }
  if (hasNul) {
    if (!/^\s*---/.test(text)) {
      report.add("file-binary", "The file holds NUL bytes and no front matter; it is not text.");
      return undefined;
    }
    report.add("nul-bytes", "The file holds NUL bytes; they were left out.", lineOf(text, "\0"));
    text = text.replaceAll("\0", "");
  }
  if (hasReturn) {
    report.add("line-endings", "The file has CRLF or CR line endings; they are read as LF.");
    text = text.replace(/\r\n?/g, "\n");
  }
  if (!/\S/.test(text)) {
    report.add("file-empty", "The file is empty.");
    return undefined;
  }
  return text;
}

interface Decoded {
  readonly text: string;
  readonly hasNul: boolean;
  readonly hasReturn: boolean;
}

function inspect(text: string): Decoded {
  return { text, hasNul: text.includes("\0"), hasReturn: text.includes("\r") };
}

function byteLength(text: string): number {
  return text.length * 3 <= LIMITS.fileBytes ? text.length : Buffer.byteLength(text);
}

function decodeBytes(bytes: Uint8Array, report: Report): Decoded {
  const order = utf16Order(bytes);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (order !== undefined) {
    report.add("encoding-utf-16", `The file is UTF-16 (${order} endian), not UTF-8.`);
    const even = buffer.subarray(0, buffer.length & ~1);
    const text = (order === "little" ? even : Buffer.from(even).swap16()).toString("utf16le");
    return inspect(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }
  // Looking at bytes is quicker than looking at text, and plain ASCII is quicker to decode.
  const text = buffer.toString(isAscii(buffer) ? "latin1" : "utf8");
  if (!isUtf8(buffer)) {
    report.add("encoding-invalid", "The file has bytes that are not UTF-8.", lineOf(text, "\uFFFD"));
  }
  return { text, hasNul: buffer.includes(0), hasReturn: buffer.includes(0x0d) };
}

/** Which half of each pair is zero gives UTF-16 away when no byte order mark does. */
function utf16Order(bytes: Uint8Array): "little" | "big" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "little";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "big";
  if (bytes.length < 4 || (bytes[0] !== 0 && bytes[1] !== 0)) return undefined;
  const pairs = Math.min(bytes.length >> 1, 128);
  let evenZeros = 0;
  let oddZeros = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[2 * pair] === 0) evenZeros++;
    if (bytes[2 * pair + 1] === 0) oddZeros++;
  }
  if (oddZeros > pairs * 0.6 && evenZeros < pairs * 0.1) return "little";
  if (evenZeros > pairs * 0.6 && oddZeros < pairs * 0.1) return "big";
  return undefined;
}

function lineOf(text: string, needle: string): number {
  return text.slice(0, Math.max(0, text.indexOf(needle))).split(/\r\n?|\n/).length;
}

/** Enough of the body to see that there is one. */
const BODY_BYTES = 512;

/**
 * The front matter and the first lines of the body, which decide the manifest: decoding whole bodies would be most of
 * a scan's work. Undefined if the file has something unusual and must be read whole.
 */
export function headOf(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString("latin1", 0, 4) !== "---\n") return undefined;
  const close = buffer.indexOf("\n---\n", 3, "latin1");
  let end = close + 5 + BODY_BYTES;
  if (close < 0 || end >= buffer.length) return undefined;
  if (buffer.includes(0) || buffer.includes(0x0d) || !isUtf8(buffer)) return undefined;
  // Not in the middle of a UTF-8 character.
  while ((buffer[end]! & 0xc0) === 0x80) end--;
  return buffer.subarray(0, end);
}
