// Writes to standard output or error without Node's streams.

import { writeSync } from "node:fs";
import { codeOf } from "../model/errors.ts";

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;
/** How long to wait before writing to a full pipe again. */
const RETRY_MS = 5;

/**
 * Writes to standard output or error at once: setting up Node's stream for a pipe loads a tenth of Node, too much for a process
 * that answers one message. Waits for a slow reader, and stops when nobody reads any more.
 */
export function writeOut(text: string, to = STANDARD_OUTPUT): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(to, bytes, done);
    } catch (thrown) {
      if (codeOf(thrown) === "EPIPE") return;
      if (codeOf(thrown) !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
