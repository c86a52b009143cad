// Reads the rest of a refused body for a while: a client that is still sending does not read the answer before.

import type { IncomingMessage } from "node:http";

/** Returns whether the rest arrived in time; if not, the connection cannot be used again. */
export function readAway(incoming: IncomingMessage, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      resolve(incoming.complete);
    };
    const timer = setTimeout(over, ms);
    incoming.once("end", over).once("close", over).once("error", over);
    // Earlier listeners would block the stream or keep the data in memory.
    incoming.removeAllListeners("data").removeAllListeners("readable").resume();
  });
}
