// Owns what happens to the rest of a body that was refused: a client that is still sending hears the answer only when
// somebody reads on, for a while. Does not own what is refused.

import type { IncomingMessage } from "node:http";

/** Whether the rest has come within the time; if not, the connection cannot be used again. */
export function readAway(incoming: IncomingMessage, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      resolve(incoming.complete);
    };
    const timer = setTimeout(over, ms);
    incoming.once("end", over).once("close", over).once("error", over);
    // Who read it until now would hold it back, or keep it in memory.
    incoming.removeAllListeners("data").removeAllListeners("readable").resume();
  });
}
