// Keeps proposals and small facts in PostgreSQL.

import type { MetaStore, ProposalRecord, ProposalState, ProposalStore } from "../../dream/dream.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import { conditions } from "./conditions.ts";
import type { Connection, SqlValue, Transaction } from "./connection.ts";

const SELECT = "SELECT number, state, record FROM repertoire.proposals";

interface ProposalRow {
  readonly number: number;
  readonly state: ProposalState;
  readonly record: string;
}

/** `requireHeld` fails if a dream of this process may no longer propose, because another one has taken over. */
export function postgresProposals(db: Connection, requireHeld: (tx: Transaction) => Promise<void>) {
  const select = async (tx: Transaction, rest: string, ...values: SqlValue[]) => {
    const rows = await tx.rows<ProposalRow>(`${SELECT}${rest}`, ...values);
    return rows.flatMap(({ number, state, record }): ProposalRecord[] => {
      const kept = jsonIn(record);
      return isRecord(kept) ? [{ ...(kept as unknown as ProposalRecord), number, state }] : [];
    });
  };
  return {
    async add(proposal): Promise<ProposalRecord> {
      const sql = `INSERT INTO repertoire.proposals (scope, number, state, change_hash, record)
        SELECT repertoire.scope(), repertoire.take_numbers('proposals', 1), 'open', $1, $2 RETURNING number`;
      return db.write(async (tx) => {
        await requireHeld(tx);
        const [row] = await tx.rows<{ number: number }>(sql, proposal.changeHash, JSON.stringify(proposal));
        return { ...proposal, number: row!.number, state: "open" };
      });
    },
    get: async (number) => (await select(db, " WHERE number = $1", number))[0],
    async list({ state, changeHash } = {}) {
      const { where, values } = conditions([
        ["state = ?", state],
        ["change_hash = ?", changeHash],
      ]);
      return select(db, `${where} ORDER BY number`, ...values);
    },
    decide: (number, { at, ...decision }) =>
      db.write(async (tx) => {
        const [before] = await select(tx, " WHERE number = $1 FOR UPDATE", number);
        if (before?.state !== "open") return undefined;
        const after: ProposalRecord = { ...before, ...decision, decidedAt: at };
        const sql = "UPDATE repertoire.proposals SET state = $1, record = $2 WHERE number = $3";
        await tx.change(sql, after.state, JSON.stringify(after), number);
        return after;
      }),
  } satisfies ProposalStore;
}

export function postgresMeta(db: Connection) {
  return {
    get: async (key) =>
      (await db.rows<{ value: string }>("SELECT value FROM repertoire.meta WHERE key = $1", key))[0]?.value,
    async set(key, value) {
      const sql = `INSERT INTO repertoire.meta (scope, key, value) SELECT repertoire.scope(), $1, $2
        ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value`;
      await db.change(sql, key, value);
    },
    remove: async (key) => (await db.change("DELETE FROM repertoire.meta WHERE key = $1", key)) > 0,
  } satisfies MetaStore;
}
