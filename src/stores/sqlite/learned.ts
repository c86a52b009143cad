// Keeps versions, their bytes and old names in SQLite and in files beside it.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { appendLines, readLines, syncFile, unlessMissing, writeFileAtomically } from "../../disk/disk.ts";
import {
  type BlobStore,
  followRedirects,
  type RedirectRecord,
  type RedirectStore,
  type VersionRecord,
  type VersionStore,
} from "../../learn/learn.ts";
import type { SkillName } from "../../model/name.ts";
import { sha256Of } from "../../package/package.ts";
import type { Connection } from "./connection.ts";
import type { SqliteMeta } from "./proposals.ts";

const TAKEN = "versions.taken";

/** Version records: a log file is the truth, and a table over it answers questions. Lost rows are read from the log again. */
export function sqliteVersions(db: Connection, { meta, log }: { meta: SqliteMeta; log: string }) {
  const select = (rest: string, ...values: (string | number | null)[]) =>
    db
      .rows<{ record: string }>(`SELECT record FROM versions ${rest}`, ...values)
      .map(({ record }): VersionRecord => JSON.parse(record));
  const get = (id: string) => select("WHERE id = ?", id)[0];
  /** Takes over what the log has and the table has not: after a crash between the two, or into a new database. */
  const takeLog = () => {
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size === Number(meta.get(TAKEN) ?? 0)) return;
    db.write(() => {
      const taken = Number(meta.get(TAKEN) ?? 0);
      const { values, end } = readLines(log, taken <= size ? taken : 0);
      const sql =
        "INSERT INTO versions (id, name, batch, record) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
      for (const version of values.filter(isVersion))
        db.change(sql, version.id, version.name, version.batch ?? null, JSON.stringify(version));
      meta.set(TAKEN, String(end));
    });
  };
  return {
    takeLog,
    get,
    add: (version: VersionRecord) =>
      db.write(() => {
        takeLog();
        if (get(version.id)) return;
        appendLines(log, [version]);
        syncFile(log);
        takeLog();
      }),
    list({ name, batch, limit = -1 }) {
      const where = "WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR batch = ?2)";
      return select(`${where} ORDER BY seq DESC LIMIT ?3`, name ?? null, batch ?? null, limit);
    },
    heads: () => select("WHERE seq IN (SELECT max(seq) FROM versions GROUP BY name) ORDER BY name"),
  } satisfies VersionStore & { takeLog(): void };
}

/** Bytes as files named by their SHA-256. Files and not rows, so that a damaged database costs no version. */
export function blobFiles(directory: string) {
  const pathOf = (sha256: string) => join(directory, sha256.slice(0, 2), sha256.slice(2));
  const get = (sha256: string): Uint8Array | undefined => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    const bytes = unlessMissing(() => readFileSync(pathOf(sha256)));
    return bytes && sha256Of(bytes) === sha256 ? bytes : undefined;
  };
  return {
    get,
    put(bytes) {
      const sha256 = sha256Of(bytes);
      if (get(sha256) === undefined) writeFileAtomically(pathOf(sha256), bytes);
      return sha256;
    },
  } satisfies BlobStore;
}

export function sqliteRedirects(db: Connection) {
  const target = (from: SkillName) =>
    db.rows<{ target: SkillName }>("SELECT target FROM redirects WHERE source = ?", from)[0]?.target;
  return {
    put({ from, to, at, reason = null }) {
      const sql = "INSERT OR REPLACE INTO redirects (source, target, at, reason) VALUES (?, ?, ?, ?)";
      db.change(sql, from, to, at, reason);
    },
    resolve: (name) => db.read(() => followRedirects(name, target)),
    list: () =>
      db.rows<RedirectRecord>(
        'SELECT source AS "from", target AS "to", at, reason FROM redirects ORDER BY source',
      ),
    remove: (from) => db.change("DELETE FROM redirects WHERE source = ?", from) > 0,
  } satisfies RedirectStore;
}

function isVersion(value: unknown): value is VersionRecord {
  const { id, name, files } = value as Partial<VersionRecord>;
  return typeof id === "string" && typeof name === "string" && Array.isArray(files);
}
