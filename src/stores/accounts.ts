// Owns which accounts an event changes, for every store alike: weeks, episodes, and whom an outcome is for.
// Does not own where the accounts are kept, nor the tally itself: `model/tally.ts` does.

import type { EarlierOutcome, WeekCount } from "../journal/journal.ts";
import { type NewEvent, USE_KINDS } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const FIRST_MONDAY = Date.UTC(1970, 0, 5);

export type WeekField = Exclude<keyof WeekCount, "week">;

export interface WeekChange {
  readonly week: number;
  readonly field: WeekField;
  readonly by: 1 | -1;
}

export interface ActivatedVersion {
  readonly skill: SkillName;
  readonly digest?: string;
}

/** Whether an outcome still has to find its skills. */
export function isOpenOutcome(event: NewEvent): event is NewEvent & { session: string; turn: number } {
  return (
    event.kind === "outcome" &&
    event.skill === undefined &&
    event.session !== undefined &&
    event.turn !== undefined
  );
}

/** The outcome once for each skill of its turn; as it is when there was none. */
export function attach(outcome: NewEvent, activated: readonly ActivatedVersion[]): readonly NewEvent[] {
  return activated.length === 0 ? [outcome] : activated.map((version) => ({ ...outcome, ...version }));
}

/** Whether an earlier outcome of the same skill and turn may be overruled by this event. */
export function mayOverrule(event: NewEvent): event is NewEvent & { session: string; turn: number } {
  return event.kind === "outcome" && event.session !== undefined && event.turn !== undefined;
}

export function isUse(event: NewEvent): event is NewEvent & { session: string; skill: SkillName } {
  return USE_KINDS.has(event.kind) && event.session !== undefined && event.skill !== undefined;
}

export function weekChanges(event: NewEvent, earlier: EarlierOutcome | undefined): readonly WeekChange[] {
  const week = weekOf(event.at);
  switch (event.kind) {
    case "recalled":
    case "shown":
    case "activated":
      return [{ week, field: event.kind, by: 1 }];
    case "outcome": {
      const overruled = earlier ? outcomeChange(earlier, -1) : [];
      return [...overruled, ...outcomeChange({ result: event.details.result, at: event.at }, 1)];
    }
    default:
      return [];
  }
}

/** When the week of a moment began: Monday, midnight, in UTC. */
export function weekOf(at: number): number {
  return Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
}

function outcomeChange({ result, at }: EarlierOutcome, by: 1 | -1): WeekChange[] {
  if (result === "neutral") return [];
  return [{ week: weekOf(at), field: result === "success" ? "successes" : "failures", by }];
}
