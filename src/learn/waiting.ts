// Says of a change that it waits on this machine for a database that is away.

import type { Notice } from "./drafts.ts";
import type { VersionStore } from "./version-store.ts";

const WAITING: Notice = {
  code: "save-spooled",
  message:
    "The shared database is away. The change is kept on this machine, where it counts already, and is brought to the others once the database is back.",
};

/** The same changes, with a notice where it applies. */
export function withWaiting<
  T extends { readonly version?: string | undefined; readonly notices: readonly Notice[] },
>(changed: readonly T[], versions: VersionStore): Promise<T[]> {
  return Promise.all(
    changed.map(async (each) =>
      each.version !== undefined && (await versions.waits?.(each.version))
        ? { ...each, notices: [...each.notices, WAITING] }
        : each,
    ),
  );
}
