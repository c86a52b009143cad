// Owns writing to standard output at once, without Node's stream: setting one up for a pipe loads a tenth of Node, which a
// process that lives for one message would pay for each time.

import { writeSync } from "node:fs";
import { codeOf } from "../model/errors.ts";

const STANDARD_OUTPUT = 1;
/** A full pipe is looked at again this often. */
const RETRY_MS = 5;

/** Waits where the reader is slow; stops where nobody reads any more. */
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
