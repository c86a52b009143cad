// Takes a home folder over into the shared library: its learned skills with all their versions, and its journal. Doing it
// twice changes nothing.

import { exportSession, importLines, type JournalStore } from "../journal/journal.ts";
import type { BlobStore, VersionRecord, VersionStore } from "../learn/learn.ts";
import { placeOf } from "../learn/learn.ts";
import type { SkillName } from "../model/name.ts";

/** What is taken over, and where to. */
interface HomeStore {
  readonly versions: VersionStore;
  readonly blobs: BlobStore;
  readonly journal: JournalStore;
}

export interface HomeImportReport {
  readonly skills: readonly {
    readonly name: SkillName;
    /** `conflict`: the shared library has another skill of this name, which stays. */
    readonly result: "imported" | "same" | "conflict";
    readonly versions: number;
  }[];
  readonly events: number;
}

export async function importHome(
  from: HomeStore,
  to: HomeStore & { exclusive<T>(work: () => Promise<T>): Promise<T> },
  { dryRun = false }: { readonly dryRun?: boolean | undefined } = {},
): Promise<HomeImportReport> {
  // A skill in a project's folder belongs to that folder, and is pushed from there.
  const shared = (await from.versions.list({})).filter((version) => placeOf(version).root === undefined);
  const oldestFirst = [...shared].reverse();
  const counts = new Map<SkillName, number>();
  const conflicts = new Set<SkillName>();
  await to.exclusive(async () => {
    for (const name of new Set(oldestFirst.map((version) => version.name))) {
      const head = await to.versions.head({ name });
      const own = oldestFirst.filter((version) => version.name === name);
      if (head !== undefined && !own.some(({ id }) => id === head.id)) conflicts.add(name);
      counts.set(name, 0);
    }
    // In the order in which they were made, over all skills: undo goes back the same way.
    for (const version of oldestFirst) {
      const { name, id } = version;
      if (conflicts.has(name) || (await to.versions.get(id)) !== undefined) continue;
      counts.set(name, counts.get(name)! + 1);
      if (!dryRun) await take(from, to, version);
    }
  });
  const skills = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, versions]) => ({
      name,
      result: conflicts.has(name)
        ? ("conflict" as const)
        : versions > 0
          ? ("imported" as const)
          : ("same" as const),
      versions,
    }));
  return { skills, events: dryRun ? 0 : await takeEvents(from.journal, to.journal) };
}

async function take(from: HomeStore, to: HomeStore, version: VersionRecord): Promise<void> {
  for (const { sha256 } of version.files) {
    const bytes = await from.blobs.get(sha256);
    // A version whose bytes were lost at home says so there, too.
    if (bytes !== undefined) await to.blobs.put(bytes);
  }
  const head = await to.versions.head({ name: version.name });
  // What the version followed at home may not be among what is kept.
  await to.versions.add(head?.id === version.parent ? version : { ...version, parent: head?.id });
}

async function takeEvents(from: JournalStore, to: JournalStore): Promise<number> {
  let events = 0;
  for (const { session } of await from.sessions({ limit: Number.MAX_SAFE_INTEGER }))
    events += (await importLines(to, await exportSession(from, session))).imported;
  return events;
}
