// The messages that recalled a skill, and the skills that were recalled with it.

import type { SkillName } from "../model/name.ts";
import type { EventDetails } from "./events.ts";
import type { ConversationStore, JournalStore } from "./journal-store.ts";

/** One turn in which a skill was recalled. */
export interface SkillRecall {
  readonly session: string;
  readonly turn: number;
  readonly at: number;
  /** Absent if messages are not recorded. */
  readonly message?: string | undefined;
  /** Its place among the recalled skills, from 1. */
  readonly rank: number;
  /** Everything that was recalled, best first, the skill itself included. */
  readonly recalled: readonly SkillName[];
  /** Whether the skill was activated in this turn. */
  readonly used: boolean;
}

/** A skill that is often recalled for the same messages. */
export interface Rival {
  readonly name: SkillName;
  /** Turns in which both were recalled. */
  readonly together: number;
  /** Turns of these in which it came first. */
  readonly ahead: number;
}

export interface SkillRecalls {
  /** Newest first. */
  readonly recalls: readonly SkillRecall[];
  /** Most turns together first. */
  readonly rivals: readonly Rival[];
}

interface RecallsNeeds {
  readonly journal: Pick<JournalStore, "query">;
  readonly conversation: Pick<ConversationStore, "query">;
}

export async function skillRecalls(
  { journal, conversation }: RecallsNeeds,
  name: SkillName,
  limit: number,
): Promise<SkillRecalls> {
  const events = await journal.query({ skill: name, kinds: ["recalled"], newestFirst: true, limit });
  const said = new Map<string, ReadonlyMap<number, string>>();
  const recalls: SkillRecall[] = [];
  for (const { session, turn, at } of events) {
    if (session === undefined || turn === undefined) continue;
    if (!said.has(session)) {
      const lines = await conversation.query({ session, role: "user" });
      said.set(session, new Map(lines.map((line) => [line.turn, line.text])));
    }
    const inTurn = await journal.query({ session, turn, kinds: ["recalled", "activated"] });
    const recalled = inTurn
      .filter(({ kind }) => kind === "recalled")
      .map(({ skill, details }) => ({ skill, ...(details as EventDetails["recalled"]) }))
      .sort((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity))
      .flatMap(({ skill, via }) => (skill === undefined || via !== undefined ? [] : [skill]));
    recalls.push({
      session,
      turn,
      at,
      message: said.get(session)?.get(turn),
      rank: recalled.indexOf(name) + 1 || recalled.length + 1,
      recalled: [...new Set(recalled)],
      used: inTurn.some(({ kind, skill }) => kind === "activated" && skill === name),
    });
  }
  return { recalls, rivals: rivalsIn(recalls, name) };
}

function rivalsIn(recalls: readonly SkillRecall[], name: SkillName): Rival[] {
  const counts = new Map<SkillName, { together: number; ahead: number }>();
  for (const { recalled } of recalls) {
    const place = recalled.indexOf(name);
    for (const [at, other] of recalled.entries()) {
      if (other === name) continue;
      const count = counts.get(other) ?? { together: 0, ahead: 0 };
      counts.set(other, { together: count.together + 1, ahead: count.ahead + (at < place ? 1 : 0) });
    }
  }
  return [...counts]
    .map(([rival, count]) => ({ name: rival, ...count }))
    .sort((a, b) => b.together - a.together || b.ahead - a.ahead || (a.name < b.name ? -1 : 1));
}
