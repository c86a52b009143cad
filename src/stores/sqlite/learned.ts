// Keeps versions, their bytes and old names in SQLite and in files beside it.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, readLines, syncFile, writeFileAtomically } from "../../disk/disk.ts";
import {
  type BlobStore,
  followRedirects,
  type RedirectRecord,
  type RedirectStore,
  type VersionRecord,
  type VersionStore,
} from "../../learn/learn.ts";
import { codeOf } from "../../model/errors.ts";
import type { SkillName } from "../../model/name.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";
import type { SqliteMeta } from "./proposals.ts";

const TAKEN = "versions.taken";

/** Version records: a log file is the truth, and a table over it answers questions. Lost rows are read from the log again. */
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
      appendLines(this.log, [version]);
      syncFile(this.log);
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

/** Bytes as files named by their SHA-256. Files and not rows, so that a damaged database costs no version. */
export class BlobFiles implements BlobStore {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  put(bytes: Uint8Array): string {
    const sha256 = sha256Of(bytes);
    if (this.get(sha256) === undefined) writeFileAtomically(this.path(sha256), bytes);
    return sha256;
  }

  get(sha256: string): Uint8Array | undefined {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      const bytes = readFileSync(this.path(sha256));
      return sha256Of(bytes) === sha256 ? bytes : undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  private path(sha256: string): string {
    return join(this.directory, sha256.slice(0, 2), sha256.slice(2));
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export class SqliteRedirects implements RedirectStore {
  private readonly db: Connection;

  constructor(db: Connection) {
    this.db = db;
  }

  put({ from, to, at, reason }: RedirectRecord): void {
    const sql = "INSERT OR REPLACE INTO redirects (source, target, at, reason) VALUES (?, ?, ?, ?)";
    this.db.write(() => this.db.sql(sql).run(from, to, at, reason ?? null));
  }

  resolve(name: SkillName): SkillName {
    const find = (from: SkillName) => {
      const row = this.db.sql("SELECT target FROM redirects WHERE source = ?").get(from);
      return row && String(row.target);
    };
    return this.db.read(() => followRedirects(name, find));
  }

  list(): readonly RedirectRecord[] {
    return this.db.read(() => this.db.sql("SELECT * FROM redirects ORDER BY source").all().map(toRedirect));
  }

  remove(from: SkillName): boolean {
    return this.db.write(() => this.db.sql("DELETE FROM redirects WHERE source = ?").run(from).changes > 0);
  }
}

function isVersion(value: unknown): value is VersionRecord {
  const { id, name, files } = value as Partial<VersionRecord>;
  return typeof id === "string" && typeof name === "string" && Array.isArray(files);
}

function toVersion(row: SqlRow): VersionRecord {
  return JSON.parse(String(row.record)) as VersionRecord;
}

function toRedirect(row: SqlRow): RedirectRecord {
  return {
    from: String(row.source),
    to: String(row.target),
    at: Number(row.at),
    ...(row.reason !== null && { reason: String(row.reason) }),
  };
}
