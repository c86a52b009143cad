// Owns the version records: a log file that is the truth, and a table over it that answers questions. Whatever the
// database loses is taken from the log again. Does not own the bytes: `blob-files.ts` does.

import { statSync } from "node:fs";
import { appendLines, readLines } from "../disk/disk.ts";
import type { VersionRecord, VersionStore } from "../learn/learn.ts";
import type { SkillName } from "../model/name.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";
import type { SqliteMeta } from "./sqlite-records.ts";

const TAKEN = "versions.taken";

export class SqliteVersions implements VersionStore {
  private readonly db: Connection;
  private readonly meta: SqliteMeta;
  private readonly log: string;

  constructor(db: Connection, options: { readonly meta: SqliteMeta; readonly log: string }) {
    this.db = db;
    this.meta = options.meta;
    this.log = options.log;
  }

  add(version: VersionRecord): void {
    this.db.write(() => {
      this.takeLog();
      if (this.get(version.id)) return;
      appendLines(this.log, [version], { sync: true });
      this.takeLog();
    });
  }

  get(id: string): VersionRecord | undefined {
    return this.db.read(
      () => this.db.sql("SELECT record FROM versions WHERE id = ?").all(id).map(toVersion)[0],
    );
  }

  list(filter: { readonly name?: SkillName; readonly batch?: string; readonly limit?: number }) {
    const sql =
      "SELECT record FROM versions WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR batch = ?2) ORDER BY seq DESC LIMIT ?3";
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(filter.name ?? null, filter.batch ?? null, filter.limit ?? -1)
        .map(toVersion),
    );
  }

  heads(): readonly VersionRecord[] {
    const sql =
      "SELECT record FROM versions WHERE seq IN (SELECT max(seq) FROM versions GROUP BY name) ORDER BY name";
    return this.db.read(() => this.db.sql(sql).all().map(toVersion));
  }

  /** Takes over what the log has and the table has not: after a crash between the two, or into a new database. */
  takeLog(): void {
    const size = statSync(this.log, { throwIfNoEntry: false })?.size ?? 0;
    if (size === Number(this.meta.get(TAKEN) ?? 0)) return;
    this.db.write(() => {
      const taken = Number(this.meta.get(TAKEN) ?? 0);
      const { values, end } = readLines(this.log, taken <= size ? taken : 0);
      for (const version of values.filter(isVersion)) {
        this.db
          .sql(
            "INSERT INTO versions (id, name, batch, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
          )
          .run(version.id, version.name, version.batch ?? null, JSON.stringify(version));
      }
      this.meta.set(TAKEN, String(end));
    });
  }
}

function isVersion(value: unknown): value is VersionRecord {
  const { id, name, files } = value as Partial<VersionRecord>;
  return typeof id === "string" && typeof name === "string" && Array.isArray(files);
}

function toVersion(row: SqlRow): VersionRecord {
  return JSON.parse(String(row.record)) as VersionRecord;
}
