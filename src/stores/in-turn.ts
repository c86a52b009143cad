// Runs the works of one process one after the other. `process-lock.ts` does so over all processes.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";

/** What the running work is in. One for all: Node keeps each of these for ever, and every promise then costs more. */
const holders = new AsyncLocalStorage<readonly InTurn[]>();

export class InTurn {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all that came before it, whether those went well or not. */
  run<T>(work: () => Awaitable<T>): Promise<T> {
    const held = holders.getStore() ?? [];
    if (held.includes(this)) {
      return Promise.reject(
        new RepertoireError(
          "exclusive-within-exclusive",
          "Exclusive work asked for the lock that it holds already, and would wait for ever. Call the inner work directly.",
        ),
      );
    }
    const result = this.last.then(() => holders.run([...held, this], work));
    this.last = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}
