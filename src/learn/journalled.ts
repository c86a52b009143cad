// Owns that the journal hears of every change of a learned skill. A change that it could not take is still made; the
// caller hears of that.

import type { NewEvent } from "../journal/journal.ts";
import { eventOf } from "../journal/journal.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Store } from "../stores/stores.ts";
import type { Changed } from "./learned-skills.ts";

/** Tells the journal, and returns what was done, with a notice where telling failed. */
export async function journalled(store: Store, done: Changed | Changed[] | string): Promise<unknown> {
  if (typeof done === "string") return done;
  const all = Array.isArray(done) ? done : [done];
  try {
    const events = await Promise.all(all.map(({ version }) => eventFor(store, version)));
    await store.journal.append(events.flatMap((event) => event ?? []));
    return done;
  } catch (error) {
    const notice = { code: "journal-failed", message: `The journal was not written: ${messageOf(error)}.` };
    const told = all.map((each) => ({ ...each, notices: [...each.notices, notice] }));
    return Array.isArray(done) ? told : told[0];
  }
}

async function eventFor(store: Store, id: string | undefined): Promise<NewEvent | undefined> {
  const version = id === undefined ? undefined : await store.versions.get(id);
  if (version === undefined) return undefined;
  const { name, at, author, reason, digest } = version;
  const parent = version.parent === undefined ? undefined : await store.versions.get(version.parent);
  const turn = { at, agent: author };
  const more = { version: version.id, ...(reason !== undefined && { reason }) };
  if (digest !== undefined) {
    const details = { ...more, ...(parent?.digest !== undefined && { parent: parent.digest }) };
    return eventOf(turn, { kind: "edited", skill: { name, digest }, details });
  }
  if (parent?.digest === undefined) return undefined;
  const into = version.data?.to as SkillName | undefined;
  const details = { ...more, ...(into !== undefined && { into }) };
  return eventOf(turn, { kind: "archived", skill: { name, digest: parent.digest }, details });
}
