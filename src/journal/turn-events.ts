// Owns how what happens in a turn becomes journal events. Does not keep them: a `JournalStore` or a hook's inbox does.

import type { SkillName } from "../model/name.ts";
import type { ShownLevel } from "../model/turn.ts";
import type { EventDetails, EventKind, JournalEvent, NewEvent, Outcome } from "./events.ts";
import type { JournalStore } from "./journal-store.ts";

/** Who is in which turn, and when. */
export interface TurnContext {
  readonly at: number;
  readonly session?: string;
  readonly turn?: number;
  readonly agent?: string;
  readonly host?: string;
}

/** A skill with the content that was meant. */
export interface SkillVersion {
  readonly name: SkillName;
  readonly digest: string;
}

/** One event; with a skill where it is about one. */
export function eventOf<K extends EventKind>(
  turn: TurnContext,
  happened: {
    readonly kind: K;
    readonly details: EventDetails[K];
    readonly skill?: SkillVersion | undefined;
  },
): NewEvent {
  const { kind, details, skill } = happened;
  return { ...turn, kind, details, ...(skill && { skill: skill.name, digest: skill.digest }) } as NewEvent;
}

/** The skills recalled for a turn, best first. None is an event too: a gap in the library shows that way. */
export function recalledEvents(
  turn: TurnContext,
  matches: readonly (SkillVersion & { readonly score: number; readonly via?: SkillName | undefined })[],
): readonly NewEvent[] {
  if (matches.length === 0) return [eventOf(turn, { kind: "recalled", details: {} })];
  return matches.map((skill, index) => {
    const details = {
      score: skill.score,
      rank: index + 1,
      ...(skill.via !== undefined && { via: skill.via }),
    };
    return eventOf(turn, { kind: "recalled", skill, details });
  });
}

export function shownEvents(
  turn: TurnContext,
  shown: readonly (SkillVersion & { readonly level: ShownLevel })[],
): readonly NewEvent[] {
  return shown.map((skill) => eventOf(turn, { kind: "shown", skill, details: { level: skill.level } }));
}

/** Records how a turn ended, and returns the skills that it counts for: those activated in it. */
export async function recordOutcome(
  journal: JournalStore,
  turn: TurnContext & { readonly session: string; readonly turn: number },
  outcome: { readonly result: Outcome; readonly note?: string },
): Promise<readonly SkillName[]> {
  const kept = await journal.append([eventOf(turn, { kind: "outcome", details: outcome })]);
  return kept.flatMap(({ skill }: JournalEvent) => skill ?? []);
}
