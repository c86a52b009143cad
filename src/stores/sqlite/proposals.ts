// Keeps proposals and small facts in SQLite.

import type { MetaStore, ProposalRecord, ProposalState, ProposalStore } from "../../dream/dream.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";

export function sqliteProposals(db: Connection) {
  const select = (where: string, ...values: (string | number | null)[]) =>
    db
      .rows<{ number: number; state: ProposalState; record: string }>(
        `SELECT * FROM proposals WHERE ${where} ORDER BY number`,
        ...values,
      )
      .flatMap(({ number, state, record }): ProposalRecord[] => {
        const kept = jsonIn(record);
        return isRecord(kept) ? [{ ...(kept as unknown as ProposalRecord), number, state }] : [];
      });
  const get = (number: number) => select("number = ?", number)[0];
  return {
    add: (proposal) =>
      db.write((): ProposalRecord => {
        const sql = "INSERT INTO proposals (state, changeHash, record) VALUES ('open', ?, ?)";
        const { lastInsertRowid } = db.sql(sql).run(proposal.changeHash, JSON.stringify(proposal));
        return { ...proposal, number: lastInsertRowid, state: "open" };
      }),
    get,
    list: ({ state = null, changeHash = null } = {}) =>
      select("(?1 IS NULL OR state = ?1) AND (?2 IS NULL OR changeHash = ?2)", state, changeHash),
    decide: (number, { at, ...decision }) =>
      db.write(() => {
        const before = get(number);
        if (before?.state !== "open") return undefined;
        const after: ProposalRecord = { ...before, ...decision, decidedAt: at };
        const sql = "UPDATE proposals SET state = ?, record = ? WHERE number = ?";
        db.change(sql, after.state, JSON.stringify(after), number);
        return after;
      }),
  } satisfies ProposalStore;
}

export type SqliteMeta = ReturnType<typeof sqliteMeta>;

/** Facts of one space: the store keeps its own apart from those of its users. */
export function sqliteMeta(db: Connection, space: "user:" | "store:") {
  return {
    get: (key: string) =>
      db.rows<{ value: string }>("SELECT value FROM meta WHERE key = ?", space + key)[0]?.value,
    set(key: string, value: string) {
      db.change("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", space + key, value);
    },
    remove: (key: string) => db.change("DELETE FROM meta WHERE key = ?", space + key) > 0,
    keys(prefix: string) {
      const sql = "SELECT key FROM meta WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key";
      return db.rows<{ key: string }>(sql, space + prefix).map(({ key }) => key.slice(space.length));
    },
  } satisfies MetaStore & { keys(prefix: string): string[] };
}
