// Removes from the SQLite store what is older than it is kept, in small steps.

import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isLeftover, unlessMissing } from "../../disk/disk.ts";
import { breathe, inSlices, quiet } from "../../library/library.ts";
import { ABANDONED_MS, before, type Retention, type Tidied, type TidyOptions } from "../retention.ts";
import { asideSince, type Connection } from "./connection.ts";
import type { SqliteVersions } from "./learned.ts";
import type { placesIn } from "./turn-files.ts";

/** Rows removed in one transaction: others wait for it no longer than for a save. */
const ROWS_AT_ONCE = 1_000;

interface TidyingNeeds {
  readonly db: Connection;
  readonly places: ReturnType<typeof placesIn>;
  readonly versions: Pick<SqliteVersions, "namedBytes">;
  /** Runs the work while nobody changes skills. */
  readonly exclusive: (work: () => void) => Promise<void>;
  readonly now: () => number;
  readonly keep: Retention;
}

interface OldFile {
  readonly path: string;
  readonly bytes: number;
}

export class Tidying {
  private readonly needs: TidyingNeeds;

  constructor(needs: TidyingNeeds) {
    this.needs = needs;
  }

  async run({ dryRun = false }: TidyOptions = {}): Promise<Tidied[]> {
    const { keep, now, places } = this.needs;
    const old = (days: number) => before(now(), days);
    const files = (rule: Tidied["rule"], found: readonly OldFile[]): Tidied => {
      if (!dryRun) for (const { path } of found) rmSync(path, { force: true, recursive: true });
      return tidied(rule, found);
    };
    const folders = [dirname(places.database), dirname(places.versionLog)];
    const blobs = foldersIn(places.blobs);
    return [
      await this.rows("events", old(keep.events), dryRun),
      await this.rows("said", old(keep.said), dryRun),
      files("sessions", await filesIn([places.sessions], ({ at }) => at < old(keep.sessions))),
      await this.unnamedBlobs(blobs, dryRun),
      files(
        "leftovers",
        await filesIn(
          [...folders, places.sessions, ...blobs],
          ({ name, at }) => (isLeftover(name) || isUnfinished(name)) && at < now() - ABANDONED_MS,
        ),
      ),
      files(
        "damaged",
        await filesIn([...folders, ...blobs], ({ name, at }) => {
          return name.includes(".corrupt-") && (asideSince(name) ?? at) < old(keep.damaged);
        }),
      ),
    ];
  }

  private async rows(table: "events" | "said", at: number, dryRun: boolean): Promise<Tidied> {
    const { db } = this.needs;
    if (dryRun) {
      const sql = `SELECT count(*) AS items FROM ${table} WHERE at < ?`;
      return { rule: table, items: db.rows<{ items: number }>(sql, at)[0]?.items ?? 0, bytes: 0 };
    }
    const old = `SELECT seq FROM ${table} WHERE at < ? LIMIT ${ROWS_AT_ONCE}`;
    const items = await this.removeAll(`DELETE FROM ${table} WHERE seq IN (${old})`, at);
    if (table === "events") await this.forgetSessions(at);
    return { rule: table, items, bytes: 0 };
  }

  /** What is kept of a session beside its events goes with them. */
  private async forgetSessions(at: number): Promise<void> {
    const episodes = `SELECT session, version FROM episodes WHERE lastAt < ? LIMIT ${ROWS_AT_ONCE}`;
    await this.removeAll(`DELETE FROM episodes WHERE (session, version) IN (${episodes})`, at);
    const [{ last = 0 } = {}] = this.needs.db.rows<{ last?: number }>("SELECT max(id) AS last FROM speakers");
    const silent =
      "DELETE FROM speakers WHERE id BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM events WHERE speaker = speakers.id)";
    for (let from = 0; from <= last; from += ROWS_AT_ONCE, await quiet())
      this.needs.db.change(silent, from, from + ROWS_AT_ONCE - 1);
  }

  /** Runs a statement that removes some rows until it finds no more, and returns how many those were. */
  private async removeAll(sql: string, ...values: number[]): Promise<number> {
    let items = 0;
    for (let removed = ROWS_AT_ONCE; removed === ROWS_AT_ONCE; await quiet()) {
      removed = this.needs.db.change(sql, ...values);
      items += removed;
    }
    return items;
  }

  /**
   * What a change that failed put into the store. It goes while nobody changes skills: a change that needs the same bytes again finds
   * them there, and names them only afterwards.
   */
  private async unnamedBlobs(folders: readonly string[], dryRun: boolean): Promise<Tidied> {
    const { versions, exclusive, now } = this.needs;
    const old = await filesIn(folders, ({ name, at }) => isBlob(name) && at < now() - ABANDONED_MS);
    const unnamed = new Map(old.map((file) => [basename(dirname(file.path)) + basename(file.path), file]));
    if (unnamed.size > 0) {
      const naming = versions.namedBytes((sha256) => void unnamed.delete(sha256));
      await inSlices(whileAny(unnamed, naming.soFar()));
      if (!dryRun && unnamed.size > 0)
        await exclusive(() => {
          naming.since();
          for (const { path } of unnamed.values()) rmSync(path, { force: true });
        });
    }
    return tidied("blobs", [...unnamed.values()]);
  }
}

/** Most bytes are named by the tables; then the log need not be read. */
function* whileAny(wanted: ReadonlyMap<string, unknown>, steps: Iterable<undefined>): Generator<undefined> {
  for (const _ of steps) {
    if (wanted.size === 0) return;
    yield;
  }
}

function tidied(rule: Tidied["rule"], found: readonly OldFile[]): Tidied {
  return { rule, items: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function isBlob(name: string): boolean {
  return /^[0-9a-f]{62}$/.test(name);
}

/** What a killed process has not yet put in the place of a file. */
function isUnfinished(name: string): boolean {
  return /\.new(?:-journal)?$/.test(name);
}

/** The files of folders, and damaged folders in them, that fit. */
async function filesIn(
  folders: readonly string[],
  fits: (file: { readonly name: string; readonly at: number }) => boolean,
): Promise<OldFile[]> {
  const found: OldFile[] = [];
  for (const folder of folders) {
    for (const name of unlessMissing(() => readdirSync(folder)) ?? []) {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat && (stat.isFile() || asideSince(name)) && fits({ name, at: stat.mtimeMs }))
        found.push({ path, bytes: stat.size });
      await breathe();
    }
  }
  return found;
}

function foldersIn(folder: string): string[] {
  return (unlessMissing(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
}
