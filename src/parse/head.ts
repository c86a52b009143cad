// Owns the part of a file that decides its manifest: the front matter and the first lines of the body.
// Decoding the whole of ten thousand bodies that nobody reads would be most of a scan's work.

import { Buffer, isUtf8 } from "node:buffer";

/** Enough of the body to see that there is one. */
const BODY_BYTES = 512;

/** The head of a file that has nothing unusual in it; undefined when the whole file must be looked at. */
export function headOf(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString("latin1", 0, 4) !== "---\n") return undefined;
  const close = buffer.indexOf("\n---\n", 3, "latin1");
  const end = close + 5 + BODY_BYTES;
  if (close < 0 || end >= buffer.length) return undefined;
  if (buffer.includes(0) || buffer.includes(0x0d) || !isUtf8(buffer)) return undefined;
  return buffer.subarray(0, characterStart(buffer, end));
}

/** Steps back from the middle of a UTF-8 character. */
function characterStart(buffer: Uint8Array, at: number): number {
  let start = at;
  while ((buffer[start]! & 0xc0) === 0x80) start--;
  return start;
}
