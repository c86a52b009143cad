// The journal's event about a change of a skill.

import { eventOf, type NewEvent } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import type { VersionRecord } from "./version-store.ts";

/** Undefined if there was no skill before and is none now. */
export function changeEvent(version: VersionRecord, parent: VersionRecord | undefined): NewEvent | undefined {
  const { name, at, author, reason, digest, data } = version;
  const turn = { at, agent: author };
  const more = { version: version.id, reason };
  if (digest !== undefined)
    return eventOf(turn, {
      kind: "edited",
      skill: { name, digest },
      details: { ...more, parent: parent?.digest },
    });
  if (parent?.digest === undefined) return undefined;
  const details = { ...more, into: data?.to as SkillName | undefined };
  return eventOf(turn, { kind: "archived", skill: { name, digest: parent.digest }, details });
}
