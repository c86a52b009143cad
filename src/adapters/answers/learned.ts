// Owns the answers about learned skills, the journal and tools of a task as programs get them, for the command line and
// the HTTP API alike. Does not own how a person reads them.

import type { Repertoire, Workshop } from "../../engine/engine.ts";
import { libraryStats, skillStats } from "../../journal/journal.ts";
import { lookupKey } from "../../model/name.ts";

export async function libraryStatsAnswer({ store, dreams }: Pick<Workshop, "store" | "dreams">) {
  return { skills: await libraryStats(store.journal), dreams: await dreams.account() };
}

export function skillStatsAnswer(engine: Repertoire, { store }: Pick<Workshop, "store">, name: string) {
  const skill = engine.library.find(name)?.name ?? lookupKey(name);
  return skillStats(store.journal, skill, { now: engine.clock.now().getTime() });
}
