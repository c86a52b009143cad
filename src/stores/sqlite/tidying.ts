// Removes from the SQLite store what is older than it is kept, in small steps.

import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isLeftover, unlessMissing } from "../../disk/disk.ts";
import type { VersionStore } from "../../learn/learn.ts";
import { breathe, quiet } from "../../library/library.ts";
import { ABANDONED_MS, before, type Retention, type Tidied, type TidyOptions } from "../retention.ts";
import type { Connection } from "./connection.ts";
import type { placesIn } from "./turn-files.ts";

/** Rows removed in one transaction: others wait for it no longer than for a save. */
const ROWS_AT_ONCE = 1_000;

interface TidyingNeeds {
  readonly db: Connection;
  readonly places: ReturnType<typeof placesIn>;
  readonly versions: Pick<VersionStore, "pending">;
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
      if (!dryRun) for (const { path } of found) rmSync(path, { force: true });
      return { rule, items: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
    };
    const folder = dirname(places.database);
    return [
      await this.rows("events", old(keep.events), dryRun),
      await this.rows("said", old(keep.said), dryRun),
      files("sessions", await filesIn([places.sessions], old(keep.sessions))),
      files("blobs", await this.unnamedBlobs()),
      files(
        "leftovers",
        await filesIn(
          [folder, places.sessions, dirname(places.versionLog), ...foldersIn(places.blobs)],
          now() - ABANDONED_MS,
          isLeftover,
        ),
      ),
      files("damaged", await filesIn([folder], old(keep.damaged), (name) => name.includes(".corrupt-"))),
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
    const silent = `SELECT id FROM speakers WHERE NOT EXISTS (SELECT 1 FROM events WHERE speaker = speakers.id) LIMIT ${ROWS_AT_ONCE}`;
    await this.removeAll(`DELETE FROM speakers WHERE id IN (${silent})`);
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

  /** What a change that failed put into the store. */
  private async unnamedBlobs(): Promise<OldFile[]> {
    const { db, places, versions, now } = this.needs;
    const found = await filesIn(foldersIn(places.blobs), now() - ABANDONED_MS, (name) => !isLeftover(name));
    if (found.length === 0) return [];
    const named = new Set<string>();
    const name = (record: { readonly files: readonly { readonly sha256: string }[] }) => {
      for (const { sha256 } of record.files) named.add(sha256);
    };
    for (const { versions: begun } of await versions.pending()) begun.forEach(name);
    for (let from = 0; ; await quiet()) {
      const sql = `SELECT seq, record FROM versions WHERE seq > ? ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;
      const rows = db.rows<{ seq: number; record: string }>(sql, from);
      for (const { record } of rows)
        for (const [sha256] of record.matchAll(/[0-9a-f]{64}/g)) named.add(sha256);
      const last = rows.at(-1);
      if (last === undefined) break;
      from = last.seq;
    }
    return found.filter(({ path }) => !named.has(basename(dirname(path)) + basename(path)));
  }
}

/** The files of folders that were last written before a moment. */
async function filesIn(
  folders: readonly string[],
  at: number,
  fits: (name: string) => boolean = () => true,
): Promise<OldFile[]> {
  const found: OldFile[] = [];
  for (const folder of folders) {
    for (const name of unlessMissing(() => readdirSync(folder)) ?? []) {
      if (!fits(name)) continue;
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() && stat.mtimeMs < at) found.push({ path, bytes: stat.size });
      await breathe();
    }
  }
  return found;
}

function foldersIn(folder: string): string[] {
  return (unlessMissing(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
}
