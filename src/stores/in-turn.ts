// Runs the works of one process one after the other. `process-lock.ts` does so over all processes.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";

export class InTurn {
  private last: Promise<unknown> = Promise.resolve();
  private readonly inside = new AsyncLocalStorage<true>();

  /** Runs the work after all that came before it, whether those went well or not. */
  run<T>(work: () => Awaitable<T>): Promise<T> {
    if (this.inside.getStore()) {
      return Promise.reject(
        new RepertoireError(
          "exclusive-within-exclusive",
          "Exclusive work asked for the lock that it holds already, and would wait for ever. Call the inner work directly.",
        ),
      );
    }
    const result = this.last.then(() => this.inside.run(true, work));
    this.last = result.then(
      () => {},
      () => {},
    );
    return result;
  }
}
