// Owns redirects, what was said, proposals and small facts in SQLite. Does not own what they are for.

import type {
  MetaStore,
  NewProposal,
  ProposalDecision,
  ProposalRecord,
  ProposalState,
  ProposalStore,
} from "../dream/dream.ts";
import type { ConversationStore, SaidRecord } from "../journal/journal.ts";
import type { RedirectRecord, RedirectStore } from "../learn/learn.ts";
import type { SkillName } from "../model/name.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow, SqlValue } from "./driver.ts";
import { follow } from "./redirect-walk.ts";

abstract class Table {
  protected readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }
}

export class SqliteRedirects extends Table implements RedirectStore {
  put({ from, to, at, reason }: RedirectRecord): void {
    const sql = "INSERT OR REPLACE INTO redirects (source, target, at, reason) VALUES (?, ?, ?, ?)";
    this.db.write(() => this.db.sql(sql).run(from, to, at, reason ?? null));
  }

  resolve(name: SkillName): SkillName {
    const find = (from: SkillName) => {
      const row = this.db.sql("SELECT target FROM redirects WHERE source = ?").get(from);
      return row && String(row.target);
    };
    return this.db.read(() => follow(name, find));
  }

  list(): readonly RedirectRecord[] {
    return this.db.read(() => this.db.sql("SELECT * FROM redirects ORDER BY source").all().map(toRedirect));
  }

  remove(from: SkillName): boolean {
    return this.db.write(() => this.db.sql("DELETE FROM redirects WHERE source = ?").run(from).changes > 0);
  }
}

export class SqliteConversation extends Table implements ConversationStore {
  private readonly takeInbox: () => void;

  constructor(db: Connection, takeInbox: () => void) {
    super(db);
    this.takeInbox = takeInbox;
  }

  append({ session, turn, role, text, at }: SaidRecord): void {
    // What was said before may still lie in the inbox: a question, when its answer comes.
    this.takeInbox();
    const sql = "INSERT INTO said (session, turn, role, text, at) VALUES (?, ?, ?, ?, ?)";
    this.db.write(() => this.db.sql(sql).run(session, turn, role, text, at));
  }

  query(filter: Parameters<ConversationStore["query"]>[0]): readonly SaidRecord[] {
    this.takeInbox();
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    for (const [sql, value] of [
      ["session = ?", filter.session],
      ["turn = ?", filter.turn],
      ["role = ?", filter.role],
      ["at >= ?", filter.since],
    ] as const) {
      if (value === undefined) continue;
      conditions.push(sql);
      values.push(value);
    }
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    const chosen = filter.firstOfSession
      ? ` WHERE seq IN (SELECT min(seq) FROM said${where} GROUP BY session)`
      : where;
    const limit = filter.limit ?? -1;
    const sql = `SELECT session, turn, role, text, at FROM said${chosen} ORDER BY seq LIMIT ?`;
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(...values, limit)
        .map(toSaid),
    );
  }
}

export class SqliteProposals extends Table implements ProposalStore {
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

/** Facts of one space; the store's own stand apart from its users'. */
export class SqliteMeta extends Table implements MetaStore {
  private readonly space: string;

  constructor(db: Connection, space: "user" | "store") {
    super(db);
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

function toRedirect(row: SqlRow): RedirectRecord {
  return {
    from: String(row.source),
    to: String(row.target),
    at: Number(row.at),
    ...(row.reason !== null && { reason: String(row.reason) }),
  };
}

function toSaid(row: SqlRow): SaidRecord {
  return {
    session: String(row.session),
    turn: Number(row.turn),
    role: row.role === "user" ? "user" : "assistant",
    text: String(row.text),
    at: Number(row.at),
  };
}

function toProposal(row: SqlRow): ProposalRecord {
  const record = JSON.parse(String(row.record)) as Omit<ProposalRecord, "number" | "state">;
  return { ...record, number: Number(row.number), state: row.state as ProposalState };
}
