// Keeps tasks, consents and trusted digests in SQLite.

import type {
  ConsentRecord,
  TaskRecord,
  TaskStore,
  TrustRecord,
  TrustStore,
} from "../../activate/activate.ts";
import type { SkillName } from "../../model/name.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";

export class SqliteTasks implements TaskStore {
  private readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  start(task: TaskRecord): TaskRecord {
    return this.db.write(() => {
      this.db
        .sql("INSERT INTO tasks (id, startedAt, agent) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
        .run(task.id, task.startedAt, task.agent ?? null);
      return toTask(this.db.sql("SELECT * FROM tasks WHERE id = ?").get(task.id)!);
    });
  }

  list(): readonly TaskRecord[] {
    return this.db.read(() => this.db.sql("SELECT * FROM tasks ORDER BY seq").all().map(toTask));
  }

  end(id: string): boolean {
    return this.db.write(() => {
      this.db.sql("DELETE FROM consents WHERE task = ?").run(id);
      return this.db.sql("DELETE FROM tasks WHERE id = ?").run(id).changes > 0;
    });
  }

  consent({ task, skill, digest, at, files }: ConsentRecord): void {
    this.db.write(() =>
      this.db
        .sql("INSERT OR REPLACE INTO consents (task, skill, digest, at, files) VALUES (?, ?, ?, ?, ?)")
        .run(task, skill, digest, at, JSON.stringify(files)),
    );
  }

  consentFor(task: string, skill: SkillName): ConsentRecord | undefined {
    const sql = "SELECT * FROM consents WHERE task = ? AND skill = ?";
    return this.db.read(() => this.db.sql(sql).all(task, skill).map(toConsent)[0]);
  }

  consents(task: string): readonly ConsentRecord[] {
    const sql = "SELECT * FROM consents WHERE task = ? ORDER BY skill";
    return this.db.read(() => this.db.sql(sql).all(task).map(toConsent));
  }
}

export class SqliteTrust implements TrustStore {
  private readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  add({ digest, skill, at, source }: TrustRecord): void {
    this.db.write(() =>
      this.db
        .sql("INSERT OR REPLACE INTO trust (digest, skill, at, source) VALUES (?, ?, ?, ?)")
        .run(digest, skill, at, source ?? null),
    );
  }

  has(digest: string): boolean {
    return this.db.read(() => this.db.sql("SELECT 1 FROM trust WHERE digest = ?").all(digest).length > 0);
  }

  list(): readonly TrustRecord[] {
    return this.db.read(() => this.db.sql("SELECT * FROM trust ORDER BY skill, digest").all().map(toTrust));
  }

  revoke(digestOrName: string): number {
    const sql = "DELETE FROM trust WHERE digest = ? OR skill = ?";
    return this.db.write(() => this.db.sql(sql).run(digestOrName, digestOrName).changes);
  }
}

function toTask(row: SqlRow): TaskRecord {
  return {
    id: String(row.id),
    startedAt: Number(row.startedAt),
    ...(row.agent !== null && { agent: String(row.agent) }),
  };
}

function toConsent(row: SqlRow): ConsentRecord {
  return {
    task: String(row.task),
    skill: String(row.skill),
    digest: String(row.digest),
    at: Number(row.at),
    files: JSON.parse(String(row.files)) as Record<string, string>,
  };
}

function toTrust(row: SqlRow): TrustRecord {
  return {
    digest: String(row.digest),
    skill: String(row.skill),
    at: Number(row.at),
    ...(row.source !== null && { source: String(row.source) }),
  };
}
