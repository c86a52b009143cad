// Keeps proposals and small facts in SQLite.

import type {
  MetaStore,
  NewProposal,
  ProposalDecision,
  ProposalRecord,
  ProposalState,
  ProposalStore,
} from "../../dream/dream.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";

export class SqliteProposals implements ProposalStore {
  private readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  add(proposal: NewProposal): ProposalRecord {
    return this.db.write(() => {
      const sql = "INSERT INTO proposals (state, changeHash, record) VALUES ('open', ?, ?)";
      const { lastInsertRowid } = this.db.sql(sql).run(proposal.changeHash, JSON.stringify(proposal));
      return { ...proposal, number: lastInsertRowid, state: "open" };
    });
  }

  get(number: number): ProposalRecord | undefined {
    const sql = "SELECT * FROM proposals WHERE number = ?";
    return this.db.read(() => this.db.sql(sql).all(number).map(toProposal)[0]);
  }

  list(filter: { readonly state?: ProposalState; readonly changeHash?: string } = {}) {
    const { state = null, changeHash = null } = filter;
    const sql =
      "SELECT * FROM proposals WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR changeHash = ?2) ORDER BY number";
    return this.db.read(() => this.db.sql(sql).all(state, changeHash).map(toProposal));
  }

  decide(number: number, decision: ProposalDecision): ProposalRecord | undefined {
    return this.db.write(() => {
      const before = this.get(number);
      if (before?.state !== "open") return undefined;
      const { at, ...rest } = decision;
      const after: ProposalRecord = { ...before, ...rest, decidedAt: at };
      const sql = "UPDATE proposals SET state = ?, record = ? WHERE number = ?";
      this.db.sql(sql).run(after.state, JSON.stringify(after), number);
      return after;
    });
  }
}

/** Facts of one space: the store keeps its own apart from those of its users. */
export class SqliteMeta implements MetaStore {
  private readonly db: Connection;
  private readonly space: string;

  constructor(db: Connection, space: "user" | "store") {
    this.db = db;
    this.space = `${space}:`;
  }

  get(key: string): string | undefined {
    return this.db.read(() => {
      const row = this.db.sql("SELECT value FROM meta WHERE key = ?").get(this.space + key);
      return row && String(row.value);
    });
  }

  set(key: string, value: string): void {
    const sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";
    this.db.write(() => this.db.sql(sql).run(this.space + key, value));
  }

  remove(key: string): boolean {
    const sql = "DELETE FROM meta WHERE key = ?";
    return this.db.write(() => this.db.sql(sql).run(this.space + key).changes > 0);
  }

  keys(prefix = ""): readonly string[] {
    const sql = "SELECT key FROM meta WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key";
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(this.space + prefix)
        .map((row) => String(row.key).slice(this.space.length)),
    );
  }
}

function toProposal(row: SqlRow): ProposalRecord {
  const record = JSON.parse(String(row.record)) as Omit<ProposalRecord, "number" | "state">;
  return { ...record, number: Number(row.number), state: row.state as ProposalState };
}
