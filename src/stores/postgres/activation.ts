// Keeps tasks, consents and trusted digests in PostgreSQL.

import type {
  ConsentRecord,
  TaskRecord,
  TaskStore,
  TrustRecord,
  TrustStore,
} from "../../activate/activate.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";

export function postgresTasks(db: Connection) {
  const consents = async (where: string, ...values: string[]) => {
    const sql = `SELECT task, skill, digest, at, files FROM repertoire.consents WHERE ${where}`;
    const rows = await db.rows<ConsentRecord & { files: string }>(sql, ...values);
    return rows.flatMap((row): ConsentRecord[] => {
      // A damaged consent is none: the person is asked again.
      const files = jsonIn(row.files);
      return isRecord(files) ? [{ ...row, files: files as ConsentRecord["files"] }] : [];
    });
  };
  return {
    start: ({ id, startedAt, agent }) =>
      db.write(async (tx) => {
        const select = "SELECT id, started_at, agent FROM repertoire.tasks WHERE id = $1";
        const [known] = await tx.rows<TaskRecord>(select, id);
        if (known !== undefined) return known;
        const sql = `INSERT INTO repertoire.tasks (scope, seq, id, started_at, agent)
          SELECT repertoire.scope(), repertoire.take_numbers('tasks', 1), $1, $2, $3 ON CONFLICT DO NOTHING`;
        await tx.change(sql, id, startedAt, agent);
        return (await tx.rows<TaskRecord>(select, id))[0]!;
      }),
    list: () => db.rows<TaskRecord>("SELECT id, started_at, agent FROM repertoire.tasks ORDER BY seq"),
    end: (id) =>
      db.write(async (tx) => {
        await tx.change("DELETE FROM repertoire.consents WHERE task = $1", id);
        return (await tx.change("DELETE FROM repertoire.tasks WHERE id = $1", id)) > 0;
      }),
    async consent({ task, skill, digest, at, files }) {
      const sql = `INSERT INTO repertoire.consents (scope, task, skill, digest, at, files)
        SELECT repertoire.scope(), $1, $2, $3, $4, $5 ON CONFLICT (scope, task, skill)
        DO UPDATE SET digest = excluded.digest, at = excluded.at, files = excluded.files`;
      await db.change(sql, task, skill, digest, at, JSON.stringify(files));
    },
    consentFor: async (task, skill) => (await consents("task = $1 AND skill = $2", task, skill))[0],
    consents: (task) => consents("task = $1 ORDER BY skill", task),
  } satisfies TaskStore;
}

export function postgresTrust(db: Connection) {
  return {
    async add({ digest, skill, at, source }) {
      const sql = `INSERT INTO repertoire.trust (scope, digest, skill, at, source) SELECT repertoire.scope(), $1, $2, $3, $4
        ON CONFLICT (scope, digest, skill) DO UPDATE SET at = excluded.at, source = excluded.source`;
      await db.change(sql, digest, skill, at, source);
    },
    has: async (digest) =>
      (await db.rows("SELECT 1 AS found FROM repertoire.trust WHERE digest = $1 LIMIT 1", digest)).length > 0,
    list: () =>
      db.rows<TrustRecord>("SELECT digest, skill, at, source FROM repertoire.trust ORDER BY skill, digest"),
    revoke: (digestOrName) =>
      db.change("DELETE FROM repertoire.trust WHERE digest = $1 OR skill = $1", digestOrName),
  } satisfies TrustStore;
}
