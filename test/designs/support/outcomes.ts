// Lets turns happen in which a skill is used and reports how they ended, through the engine as a host does.

import type { Repertoire } from "../../../src/index.ts";

export type Ending = "success" | "failure" | "neutral";

export const AGREED = { "consent.allow": ["*"] };

/** One turn of a session: the message is recalled for, the skills are activated, and the turn ends like that. */
export async function useSkills(
  engine: Repertoire,
  turn: {
    readonly session: string;
    readonly message?: string;
    readonly skills: readonly string[];
    readonly ending?: Ending;
  },
): Promise<void> {
  const { session, message = "water the plants", skills, ending } = turn;
  const opened = engine.turn({ message, session });
  await opened.recall();
  const task = engine.task(session, { session });
  for (const name of skills) await task.activate(name);
  if (ending !== undefined) await opened.outcome(ending);
}

/** A session a turn, each ending as told. */
export async function useOften(engine: Repertoire, skill: string, endings: readonly Ending[]): Promise<void> {
  for (const [at, ending] of endings.entries())
    await useSkills(engine, { session: `${skill}-${at}`, skills: [skill], ending });
}
