// Lets turns happen in which a skill is used and reports how they ended, through the engine as a host does.

import type { Repertoire, Workshop } from "../../../src/index.ts";

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
): Promise<Workshop> {
  const { session, message = "water the plants", skills, ending } = turn;
  const workshop = await engine.workshop();
  await engine.recall({ message, session });
  for (const name of skills) await workshop.tasks.activate(name, { task: session, session });
  if (ending !== undefined) {
    const { turn: number } = await workshop.store.sessions.read(session);
    const at = engine.clock.now().getTime();
    const details = { result: ending };
    await workshop.store.journal.append([{ at, session, turn: number, kind: "outcome", details }]);
  }
  return workshop;
}

/** A session a turn, each ending as told. */
export async function useOften(engine: Repertoire, skill: string, endings: readonly Ending[]): Promise<void> {
  for (const [at, ending] of endings.entries())
    await useSkills(engine, { session: `${skill}-${at}`, skills: [skill], ending });
}
