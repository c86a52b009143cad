// Keeps tasks, consents and trusted digests in SQLite.

import type {
  ConsentRecord,
  TaskRecord,
  TaskStore,
  TrustRecord,
  TrustStore,
} from "../../activate/activate.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";

export function sqliteTasks(db: Connection) {
  const consents = (where: string, ...values: string[]) =>
    db
      .rows<ConsentRecord & { files: string }>(`SELECT * FROM consents WHERE ${where}`, ...values)
      .flatMap((row): ConsentRecord[] => {
        // A damaged consent is none: the person is asked again.
        const files = jsonIn(row.files);
        return isRecord(files) ? [{ ...row, files: files as ConsentRecord["files"] }] : [];
      });
  return {
    start: ({ id, startedAt, agent = null }) =>
      db.write(() => {
        const sql = "INSERT INTO tasks (id, startedAt, agent) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING";
        db.change(sql, id, startedAt, agent);
        return db.rows<TaskRecord>("SELECT id, startedAt, agent FROM tasks WHERE id = ?", id)[0]!;
      }),
    list: () => db.rows<TaskRecord>("SELECT id, startedAt, agent FROM tasks ORDER BY seq"),
    end: (id) =>
      db.write(() => {
        db.change("DELETE FROM consents WHERE task = ?", id);
        return db.change("DELETE FROM tasks WHERE id = ?", id) > 0;
      }),
    consent({ task, skill, digest, at, files }) {
      const sql = "INSERT OR REPLACE INTO consents (task, skill, digest, at, files) VALUES (?, ?, ?, ?, ?)";
      db.change(sql, task, skill, digest, at, JSON.stringify(files));
    },
    consentFor: (task, skill) => consents("task = ? AND skill = ?", task, skill)[0],
    consents: (task) => consents("task = ? ORDER BY skill", task),
  } satisfies TaskStore;
}

export function sqliteTrust(db: Connection) {
  return {
    add({ digest, skill, at, source = null }) {
      const sql = "INSERT OR REPLACE INTO trust (digest, skill, at, source) VALUES (?, ?, ?, ?)";
      db.change(sql, digest, skill, at, source);
    },
    has: (digest) => db.rows("SELECT 1 FROM trust WHERE digest = ?", digest).length > 0,
    list: () => db.rows<TrustRecord>("SELECT * FROM trust ORDER BY skill, digest"),
    revoke: (digestOrName) =>
      db.change("DELETE FROM trust WHERE digest = ? OR skill = ?", digestOrName, digestOrName),
  } satisfies TrustStore;
}
