// Keeps sessions in PostgreSQL as the steps that they consist of, numbered one after the other whichever node adds them.

import { randomUUID } from "node:crypto";
import { SessionLog, type SessionStep, type SessionStore, turnStep } from "../../journal/journal.ts";
import { jsonIn } from "../../text/json.ts";
import type { Connection, Transaction } from "./connection.ts";

export function postgresSessions(db: Connection) {
  const read = async (tx: Transaction, id: string) => {
    const sql = "SELECT step FROM repertoire.session_steps WHERE session = $1 ORDER BY number";
    const steps = await tx.rows<{ step: string }>(sql, id);
    return new SessionLog(id).take(steps.map(({ step }) => jsonIn(step)));
  };
  const append = (id: string, step: SessionStep) =>
    db.write(async (tx) => {
      await insertSteps(tx, id, [step]);
      return read(tx, id);
    });
  return {
    read: async (id) => (await read(db, id)).state,
    async begin(id, turn) {
      const mark = randomUUID();
      const log = await append(id, turnStep(turn, mark));
      return { first: log.isFirst(turn.key, mark), state: log.state };
    },
    async markShown(id, names) {
      const mark = randomUUID();
      const log = names.length === 0 ? await read(db, id) : await append(id, { step: "shown", names, mark });
      return { fresh: log.firstShown(names, mark), state: log.state };
    },
    async add(id, step) {
      await append(id, step);
    },
  } satisfies SessionStore;
}

/** Adds steps behind those that are there; who adds to the same session meanwhile waits. */
export async function insertSteps(
  tx: Transaction,
  session: string,
  steps: readonly (SessionStep | object)[],
): Promise<void> {
  if (steps.length === 0) return;
  const [{ last } = { last: 0 }] = await tx.rows<{ last: number }>(
    `INSERT INTO repertoire.sessions AS s (scope, id, last) SELECT repertoire.scope(), $1, $2::bigint
      ON CONFLICT (scope, id) DO UPDATE SET last = s.last + $2::bigint, at = now() RETURNING last`,
    session,
    steps.length,
  );
  await tx.change(
    `INSERT INTO repertoire.session_steps (scope, session, number, step)
      SELECT repertoire.scope(), $1, $2::bigint - $3::bigint + ordinality, value
      FROM json_array_elements_text($4::text::json) WITH ORDINALITY`,
    session,
    last,
    steps.length,
    // Text within text: a zero character in it stays escaped.
    JSON.stringify(steps.map((step) => JSON.stringify(step))),
  );
}
