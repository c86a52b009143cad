// Writes to standard output at once, without Node's stream: setting one up for a pipe loads a tenth of Node, too much for a
// process that answers one message.

import { writeSync } from "node:fs";
import { codeOf } from "../model/errors.ts";

const STANDARD_OUTPUT = 1;
/** How long to wait before writing to a full pipe again. */
const RETRY_MS = 5;

/** Waits for a slow reader, and stops when nobody reads any more. */
export function writeOut(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STANDARD_OUTPUT, bytes, done);
    } catch (thrown) {
      if (codeOf(thrown) === "EPIPE") return;
      if (codeOf(thrown) !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
