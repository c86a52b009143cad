// The store of a process that must not block: before it writes, it waits for the transactions of other processes
// without blocking, and large reads are made in slices. SQLite itself can only wait by blocking.

import type { Tally } from "../../journal/journal.ts";
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

interface Patience {
  /** Waits until no other process is writing. */
  readonly whenFree: () => Promise<void>;
  readonly allTallies: () => Promise<readonly Tally[]>;
}

export function patientStore(store: Store, { whenFree, allTallies }: Patience): Store {
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
  const patient = overridden(store, Object.fromEntries(ports));
  const journal = overridden(patient.journal, {
    tallies: (name) => (name === undefined ? allTallies() : store.journal.tallies(name)),
  });
  return overridden(patient, { journal });
}
