// Keeps versions, their bytes and old names in SQLite and in files beside it.

import { dirname, join } from "node:path";
import { type Files, unlessMissing, writeFileAtomically, writeFilesAtomically } from "../../disk/disk.ts";
import {
  type BlobStore,
  followRedirects,
  type PendingChange,
  placeOf,
  type RedirectRecord,
  type RedirectStore,
  redirectAfter,
  type VersionRecord,
  type VersionStore,
} from "../../learn/learn.ts";
import { codeOf } from "../../model/errors.ts";
import type { SkillName } from "../../model/name.ts";
import { sha256Of } from "../../package/package.ts";
import { jsonIn } from "../../text/json.ts";
import { atOnce, type Connection } from "./connection.ts";
import type { SqliteMeta } from "./proposals.ts";
import type { LogLine, VersionLog } from "./version-log.ts";

const TAKEN = "versions.taken";
/** Others wait for a transaction of these no longer than for a save. */
const LINES_AT_ONCE = 2_000;
/** What decoding puts in the place of a byte that is no UTF-8. */
const BAD_CHARACTER = "\ufffd";

const ROWS_AT_ONCE = 500;

interface VersionOptions {
  readonly meta: SqliteMeta;
  readonly log: VersionLog;
  readonly redirects: SqliteRedirects;
}

/** Version records: the log is the truth, and tables over it answer questions. Lost rows are read from the log again. */
export function sqliteVersions(db: Connection, { meta, log, redirects }: VersionOptions) {
  let wasRefilled = false;
  const records = (rest: string, ...values: (string | number | null)[]): VersionRecord[] => {
    const found = db
      .rows<{ record: string }>(`SELECT record FROM versions ${rest}`, ...values)
      .map(({ record }) => ({
        record: jsonIn(record) as VersionRecord | undefined,
        isDoubtful: record.includes(BAD_CHARACTER),
      }));
    const isSound = found.every(({ record, isDoubtful }) => record !== undefined && !isDoubtful);
    // A row is damaged, and the log has it whole. Once, because a version may hold such a character by itself.
    if (!isSound && !wasRefilled && refill()) return records(rest, ...values);
    return found.flatMap(({ record }) => record ?? []);
  };
  const pendingRows = (rest = "ORDER BY seq", ...values: string[]) =>
    db
      .rows<{ record: string }>(`SELECT record FROM changes ${rest}`, ...values)
      .flatMap(({ record }) => (jsonIn(record) as PendingChange | undefined) ?? []);
  const pendingOf = (id: string) => pendingRows("WHERE id = ?", id)[0];
  const keep = (version: VersionRecord) => {
    const { id, name, batch = null } = version;
    const { root = "" } = placeOf(version);
    const sql =
      "INSERT INTO versions (id, name, root, batch, record) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
    if (db.change(sql, id, name, root, batch, JSON.stringify(version)) === 0) return;
    db.change(
      "INSERT OR REPLACE INTO heads (name, root, seq) VALUES (?, ?, last_insert_rowid())",
      name,
      root,
    );
    redirects.take(version);
  };
  /** The last change that was begun. A commit nearly always follows at once, and needs no look into the tables. */
  let begun: PendingChange | undefined;
  const take = (line: LogLine) => {
    if ("begin" in line) {
      const sql = "INSERT INTO changes (id, record) VALUES (?, ?) ON CONFLICT (id) DO NOTHING";
      db.change(sql, line.begin.id, JSON.stringify(line.begin));
      begun = line.begin;
      return;
    }
    if ("commit" in line) {
      const change = begun?.id === line.commit ? begun : pendingOf(line.commit);
      for (const version of change?.versions ?? []) keep(version);
      db.change("DELETE FROM changes WHERE id = ?", line.commit);
    } else if ("abandon" in line) db.change("DELETE FROM changes WHERE id = ?", line.abandon);
    else keep(line);
    begun = undefined;
  };
  /** Every row, or those after the one of a number, oldest first, without holding them all. */
  const rows = function* (from = 0): Generator<VersionRow, undefined> {
    for (;;) {
      const sql = `SELECT seq, id, record FROM versions WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;
      const found = db.rows<VersionRow>(sql, from);
      yield* found;
      const last = found.at(-1);
      if (last === undefined) return;
      from = last.seq;
    }
  };
  /**
   * Goes through the log and the tables side by side, in slices between which others may work, and yields how much of the log it has
   * read. What others add meanwhile is left out.
   */
  const comparison = function* ({ differs, seen }: ComparisonVisitor): Generator<number, LogComparison> {
    const [{ newest = 0 } = {}] = db.rows<{ newest?: number }>("SELECT max(seq) AS newest FROM versions");
    const isLogged = new Uint8Array(newest + 1);
    const size = log.size();
    const inOrder = rows();
    let next = inOrder.next().value;
    const rowOf = (id: string): VersionRow | undefined => {
      const found =
        next?.id === id
          ? next
          : db.rows<VersionRow>("SELECT seq, id, record FROM versions WHERE id = ?", id)[0];
      // Both have the versions in the same order, unless one of them lacks some.
      while (found !== undefined && next !== undefined && next.seq <= found.seq) next = inOrder.next().value;
      return found;
    };
    let [flawed, differing, unlogged, logged] = [0, 0, 0, 0];
    const visit = versionsMadeBy((version) => {
      seen?.(version);
      const row = rowOf(version.id);
      if (row !== undefined && !isLogged[row.seq]) {
        isLogged[row.seq] = 1;
        logged++;
      }
      if (row?.record === JSON.stringify(version)) return;
      differing++;
      differs?.(version);
    });
    for (let from = 0; from < size; yield from / size) {
      const slice = log.read(from, visit, LINES_AT_ONCE);
      flawed += slice.flawed;
      if (slice.end === from) break;
      from = slice.end;
    }
    const [{ count = 0 } = {}] = db.rows<{ count?: number }>(
      "SELECT count(*) AS count FROM versions WHERE seq <= ?",
      newest,
    );
    for (const { seq, id, record } of count > logged ? rows() : []) {
      if (seq > newest) break;
      const version = isLogged[seq] ? undefined : (jsonIn(record) as VersionRecord | undefined);
      if (version?.id === id) {
        seen?.(version);
        unlogged++;
      }
      if (seq % ROWS_AT_ONCE === 0) yield 1;
    }
    return { flawed, differing, unlogged };
  };
  /**
   * Calls `name` with the SHA-256 of all bytes that a version needs, or a change that is under way, by the tables or by the log: either
   * may be damaged. `soFar` works in steps, `since` does the rest at once, for who keeps others from changing anything.
   */
  const namedBytes = (name: (sha256: string) => void) => {
    const ofVersion = ({ files }: VersionRecord) => {
      for (const { sha256 } of files) name(sha256);
    };
    const visit = versionsMadeBy(ofVersion);
    let [last, end] = [0, 0];
    const inTables = function* (): Generator<undefined, void> {
      for (const { seq, record } of rows(last)) {
        last = seq;
        for (const [sha256] of record.matchAll(/[0-9a-f]{64}/g)) name(sha256);
        yield;
      }
    };
    const inLog = function* (): Generator<undefined, void> {
      for (let more = true; more; yield) {
        const slice = log.read(end, visit, LINES_AT_ONCE);
        more = slice.end > end && slice.end < log.size();
        end = slice.end;
      }
    };
    const all = function* (): Generator<undefined, void> {
      takeLog();
      for (const { versions } of pendingRows()) versions.forEach(ofVersion);
      yield* inTables();
      yield* inLog();
    };
    return { soFar: all, since: () => atOnce(all()) };
  };
  const taken = () => Number(meta.get(TAKEN) ?? 0);
  /** Says whether there may be more. */
  const takeSome = () => {
    const from = taken() <= log.size() ? taken() : 0;
    const { end } = log.read(from, take, LINES_AT_ONCE);
    meta.set(TAKEN, String(end));
    return end > from && end < log.size();
  };
  /** Takes over what the log has and the tables have not: after a crash between the two, or into a new database. */
  const takeLog = () => {
    if (log.size() === taken()) return;
    const takeSynced = () => {
      log.sync();
      return takeSome();
    };
    // Each slice is a transaction of its own, so that a log of any size needs little memory, and a crash costs one slice.
    while (db.write(takeSynced));
  };
  /** Reads the whole log again, unless the tables know more than it does. */
  const refill = () => {
    wasRefilled = true;
    const isRead = db.write(() => {
      if (atOnce(comparison({})).unlogged > 0) return false;
      db.change("DELETE FROM versions");
      db.change("DELETE FROM heads");
      db.change("DELETE FROM changes");
      meta.remove(TAKEN);
      return true;
    });
    if (isRead) takeLog();
    return isRead;
  };
  /** Once the line is in the log it counts. Tables that could not follow are brought up to date by the next question. */
  const append = (line: () => LogLine | undefined) => {
    let logged = false;
    try {
      db.write(() => {
        takeLog();
        const next = line();
        if (next === undefined) return;
        log.append(next, taken());
        logged = true;
        while (takeSome());
      });
    } catch (error) {
      if (!logged || codeOf(error) === "") throw error;
    }
  };
  const select: typeof records = (...query) => {
    takeLog();
    return records(...query);
  };
  const get = (id: string) => select("WHERE id = ?", id)[0];
  return {
    takeLog,
    get,
    namedBytes,
    refill,
    /**
     * Lines of the log that are none, versions that the tables have otherwise, and those that only the tables have. `seen` is called
     * with every version, and `pause` with how much of the log was read.
     */
    async compareWithLog(
      pause: (done: number) => Promise<unknown>,
      seen: (version: VersionRecord) => void,
    ): Promise<LogComparison> {
      takeLog();
      const steps = comparison({ seen });
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value;
        await pause(step.value);
      }
    },
    /** Takes what the log says over into rows that say otherwise; `isWhole` decides where both can be read. */
    followLog: (isWhole: (version: VersionRecord) => boolean) =>
      db.write(() => {
        const differs = (version: VersionRecord) => {
          const row = records("WHERE id = ?", version.id)[0];
          if (row !== undefined && isWhole(row) && !isWhole(version)) return;
          const sql = "UPDATE versions SET record = ? WHERE id = ?";
          if (db.change(sql, JSON.stringify(version), version.id) === 0) keep(version);
        };
        atOnce(comparison({ differs }));
      }),
    /** Writes the log anew from the tables; the old one is kept at `aside`. */
    rewriteLog: (aside: string) =>
      db.write(() => {
        takeLog();
        const lines = function* (): Generator<LogLine> {
          for (const { record } of rows()) {
            const version = jsonIn(record) as VersionRecord | undefined;
            if (version !== undefined) yield version;
          }
          for (const begin of pendingRows()) yield { begin };
        };
        log.replace(lines(), aside);
        meta.set(TAKEN, String(log.size()));
      }),
    begin: (change) => append(() => ({ begin: change })),
    commit: (id) => append(() => (pendingOf(id) ? { commit: id } : undefined)),
    abandon: (id) => append(() => (pendingOf(id) ? { abandon: id } : undefined)),
    pending() {
      takeLog();
      return pendingRows();
    },
    add: (version) => append(() => (records("WHERE id = ?", version.id).length > 0 ? undefined : version)),
    list({ name, place, batch, before, limit = -1 }) {
      const conditions: [string, string | undefined][] = [
        ["name = ?", place?.name],
        ["root = ?", place && (place.root ?? "")],
        ["name = ?", name],
        ["batch = ?", batch],
        ["seq < (SELECT seq FROM versions WHERE id = ?)", before],
      ];
      const asked = conditions.filter((each): each is [string, string] => each[1] !== undefined);
      const where = asked.length > 0 ? `WHERE ${asked.map(([sql]) => sql).join(" AND ")}` : "";
      return select(`${where} ORDER BY seq DESC LIMIT ?`, ...asked.map(([, value]) => value), limit);
    },
    heads: (name?: SkillName) =>
      name === undefined
        ? select("WHERE seq IN (SELECT seq FROM heads) ORDER BY name, root")
        : select("WHERE seq IN (SELECT seq FROM heads WHERE name = ?) ORDER BY root", name),
    head: ({ name, root = "" }) =>
      select("WHERE seq = (SELECT seq FROM heads WHERE name = ? AND root = ?)", name, root)[0],
  } satisfies VersionStore & Record<string, unknown>;
}

export type SqliteVersions = ReturnType<typeof sqliteVersions>;

interface VersionRow {
  readonly seq: number;
  readonly id: string;
  readonly record: string;
}

interface ComparisonVisitor {
  /** Called with each version that the tables have otherwise. */
  readonly differs?: ((version: VersionRecord) => void) | undefined;
  /** Called with every version, of the log and those that only the tables have. */
  readonly seen?: ((version: VersionRecord) => void) | undefined;
}

/** How many lines of the log are none, are otherwise in the tables, and are lacking. */
export interface LogComparison {
  readonly flawed: number;
  readonly differing: number;
  readonly unlogged: number;
}

/** Visits the lines of a log, and calls `made` with every version that was made. */
function versionsMadeBy(made: (version: VersionRecord) => void): (line: LogLine) => void {
  const begun = new Map<string, readonly VersionRecord[]>();
  return (line) => {
    if ("begin" in line) begun.set(line.begin.id, line.begin.versions);
    else if ("commit" in line) {
      begun.get(line.commit)?.forEach(made);
      begun.delete(line.commit);
    } else if ("abandon" in line) begun.delete(line.abandon);
    else made(line);
  };
}

/**
 * Bytes as files named by their SHA-256. Files and not rows, so that a damaged database costs no version. Their temporary files are in
 * one folder, the one of the version log, where the next process finds those of a killed one.
 */
export function blobFiles(files: Files, directory: string) {
  const staging = dirname(directory);
  const pathOf = (sha256: string) => join(directory, sha256.slice(0, 2), sha256.slice(2));
  const get = (sha256: string): Uint8Array | undefined => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    const bytes = unlessMissing(() => files.readFileSync(pathOf(sha256)));
    return bytes && sha256Of(bytes) === sha256 ? bytes : undefined;
  };
  return {
    get,
    pathOf,
    put(bytes) {
      const sha256 = sha256Of(bytes);
      if (get(sha256) === undefined) writeFileAtomically(pathOf(sha256), bytes, { files, staging });
      return sha256;
    },
    async putAll(contents) {
      const marks = contents.map(sha256Of);
      const missing = new Map(
        contents.flatMap((bytes, at) => {
          const sha256 = marks[at]!;
          return get(sha256) === undefined
            ? [[sha256, { path: pathOf(sha256), bytes, staging }] as const]
            : [];
        }),
      );
      await writeFilesAtomically(files, [...missing.values()]);
      return marks;
    },
  } satisfies BlobStore & Record<string, unknown>;
}

type SqliteRedirects = ReturnType<typeof sqliteRedirects>;

/** `onChange` is called when a name leads somewhere else than before. */
export function sqliteRedirects(db: Connection, onChange: () => void) {
  const target = (from: SkillName) =>
    db.rows<{ target: SkillName }>("SELECT target FROM redirects WHERE source = ?", from)[0]?.target;
  return {
    resolve: (name) => db.read(() => followRedirects(name, target)),
    list: () =>
      db.rows<RedirectRecord>(
        'SELECT source AS "from", target AS "to", at, reason FROM redirects ORDER BY source',
      ),
    /** Takes over what a version says about its skill's name. */
    take(version: VersionRecord) {
      const next = redirectAfter(version);
      if (next === undefined) return;
      if (next === "none") {
        if (db.change("DELETE FROM redirects WHERE source = ?", version.name) > 0) onChange();
        return;
      }
      const before = target(version.name);
      const sql = "INSERT OR REPLACE INTO redirects (source, target, at, reason) VALUES (?, ?, ?, ?)";
      db.change(sql, next.from, next.to, next.at, next.reason ?? null);
      if (before !== next.to) onChange();
    },
  } satisfies RedirectStore & { take(version: VersionRecord): void };
}
