// Removes from the shared database what is older than it is kept. Events go by whole months for all scopes; a scope that keeps
// less removes its own.

import { codeOf } from "../../model/errors.ts";
import { before, type Retention, type Tidied, type TidyOptions } from "../retention.ts";
import type { Connection } from "./connection.ts";

/** Rows removed in one transaction: others wait for it no longer than for a save. */
const ROWS_AT_ONCE = 5_000;

const NAMED_BYTES = `SELECT decode((regexp_matches(record, '"sha256":"([0-9a-f]{64})"', 'g'))[1], 'hex') FROM`;

export async function tidyDatabase(
  db: Connection,
  { keep, now, dryRun = false }: TidyOptions & { readonly keep: Retention; readonly now: number },
): Promise<Tidied[]> {
  const { role } = await db.claim();
  if (role !== "curator" && role !== "owner") return [];
  const remove = async (rule: Tidied["rule"], table: string, condition: string): Promise<Tidied> => {
    if (dryRun) {
      const [found] = await db.rows<{ items: number }>(
        `SELECT count(*) AS items FROM repertoire.${table} t WHERE ${condition}`,
      );
      return { rule, items: found?.items ?? 0, bytes: 0 };
    }
    const sql = `DELETE FROM repertoire.${table} WHERE ctid IN
      (SELECT ctid FROM repertoire.${table} t WHERE ${condition} LIMIT ${ROWS_AT_ONCE})`;
    let items = 0;
    for (let removed = ROWS_AT_ONCE; removed === ROWS_AT_ONCE; items += removed)
      removed = await db.change(sql);
    return { rule, items, bytes: 0 };
  };
  const at = (days: number) => Math.floor(before(now, days));
  const tidied = [
    await remove("events", "events", `at < ${at(keep.events)}`),
    await remove("said", "said", `at < ${at(keep.said)}`),
    await remove("sessions", "sessions", `at < to_timestamp(${at(keep.sessions)} / 1000.0)`),
    await remove(
      "blobs",
      "blob_rights",
      `scope = (SELECT repertoire.scope()) AND at < now() - interval '1 day' AND sha256 NOT IN
        (${NAMED_BYTES} repertoire.versions UNION ${NAMED_BYTES} repertoire.pending)`,
    ),
  ];
  if (!dryRun) {
    await db.change(`DELETE FROM repertoire.batches WHERE at < to_timestamp(${at(keep.events)} / 1000.0)`);
    await unlessBusy(() => db.rows("SELECT repertoire.drop_partitions()"));
    await db.rows("SELECT repertoire.drop_bytes()");
  }
  return tidied;
}

/** What somebody reads for long, such as a backup, goes with the next tidying. */
async function unlessBusy(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== "store-busy") throw error;
  }
}
