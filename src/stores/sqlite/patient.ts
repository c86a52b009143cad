// The store of a process that must not block: before it writes, it waits for the transactions of other processes
// without blocking. SQLite itself can only wait by blocking; readers never have to.

import { overridden } from "../observed.ts";
import type { Store } from "../store.ts";

/** The calls that write to the database. */
const WRITES: { readonly [Port in keyof Store]?: readonly (keyof Store[Port])[] } = {
  journal: ["append"],
  conversation: ["append"],
  tasks: ["start", "end", "consent"],
  trust: ["add", "revoke"],
  remembered: ["add", "forget"],
  proposals: ["add", "decide"],
  meta: ["set", "remove"],
  versions: ["begin", "commit", "abandon", "add"],
};

/** The same store. `whenFree` waits until no other process is writing. */
export function patientStore(store: Store, whenFree: () => Promise<void>): Store {
  const ports = Object.entries(WRITES).map(([port, calls]) => {
    const target = Reflect.get(store, port) as Record<string, (...args: unknown[]) => unknown>;
    const waiting = calls.map((call: string) => [
      call,
      async (...args: unknown[]) => {
        await whenFree();
        return target[call]!(...args);
      },
    ]);
    return [port, overridden(target, Object.fromEntries(waiting))];
  });
  return overridden(store, Object.fromEntries(ports));
}
