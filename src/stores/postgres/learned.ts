// Keeps versions, their bytes and old names in PostgreSQL. The versions are the truth about a scope's learned skills.

import {
  type BlobStore,
  followRedirects,
  isSamePlace,
  type PendingChange,
  placeOf,
  type RedirectRecord,
  type RedirectStore,
  redirectAfter,
  type SkillPlace,
  type VersionRecord,
  type VersionStore,
} from "../../learn/learn.ts";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import type { SkillName } from "../../model/name.ts";
import { sha256Of } from "../../package/package.ts";
import { jsonIn } from "../../text/json.ts";
import { conditions, listed } from "./conditions.ts";
import type { Connection, SqlValue, Transaction } from "./connection.ts";

/** The code of the schema for a version whose parent is not the newest. */
const PARENT_REPLACED = "RP001";
/** Of the claim's own scope: a project may read its organisation's rows, too. */
const OWN = "scope = (SELECT repertoire.scope())";
/** In the order of the list; those that are there already are left alone. */
const INSERT = `INSERT INTO repertoire.versions (scope, id, node, name, root, action, parent, batch, record)
  SELECT repertoire.scope(), v->>'id', v->>'node', v->>'name', v->>'root', v->>'action', v->>'parent', v->>'batch', v->>'record'
  FROM json_array_elements($1::text::json) WITH ORDINALITY AS given (v, position) ORDER BY position RETURNING id`;
/** Statements that are on their way to the server at the same time. */
const ON_THE_WAY = 100;

interface VersionOptions {
  /** The name of this node: a skill in a folder of its own belongs to it alone. */
  readonly node: string;
  /** Fails if this process may no longer change skills. */
  readonly requireHeld: (tx: Transaction) => Promise<void>;
}

/** Reads and writes versions within a transaction. */
export function versionRows(node: string) {
  const records = async (tx: Transaction, rest: string, ...values: SqlValue[]): Promise<VersionRecord[]> => {
    const rows = await tx.rows<{ record: string }>(
      `SELECT v.record FROM repertoire.versions v ${rest}`,
      ...values,
    );
    return rows.flatMap(({ record }) => (jsonIn(record) as VersionRecord | undefined) ?? []);
  };
  const headsIn = async (tx: Transaction, places: readonly SkillPlace[]) => {
    const found = await records(
      tx,
      `JOIN repertoire.heads h ON h.scope = v.scope AND h.seq = v.seq
        WHERE h.${OWN} AND h.name = ${listed("$1")} AND h.node IN ('', $2)`,
      JSON.stringify(places.map(({ name }) => name)),
      node,
    );
    return places.map((place) => found.find((version) => isSamePlace(placeOf(version), place)));
  };
  const keepAll = async (tx: Transaction, versions: readonly VersionRecord[]) => {
    const rows = versions.map((version) => {
      const { id, name, action, parent, batch } = version;
      const place = placeOf(version);
      const { root = "" } = place;
      return {
        id,
        node: nodeOf(place, node),
        name,
        root,
        action,
        parent,
        batch,
        record: JSON.stringify(version),
      };
    });
    const kept = new Set((await tx.rows<{ id: string }>(INSERT, JSON.stringify(rows))).map(({ id }) => id));
    await takeRedirects(
      tx,
      versions.filter(({ id }) => kept.has(id)),
    );
  };
  return {
    records,
    headsIn,
    headIn: async (tx: Transaction, place: SkillPlace) => (await headsIn(tx, [place]))[0],
    keepAll,
    keep: (tx: Transaction, version: VersionRecord) => keepAll(tx, [version]),
  };
}

export function postgresVersions(db: Connection, { node, requireHeld }: VersionOptions) {
  const { records, headsIn, headIn, keepAll, keep } = versionRows(node);
  /** Says which version is in the way of one that was refused. */
  const explainConflict = async (error: unknown, versions: readonly VersionRecord[]): Promise<unknown> => {
    if (codeOf(error) !== PARENT_REPLACED) return error;
    for (const ours of versions) {
      const theirs = await headIn(db, placeOf(ours));
      if (theirs !== undefined && theirs.id !== ours.parent) return conflict(ours, theirs);
    }
    return error;
  };
  const pendingOf = async (tx: Transaction, id: string) => {
    const sql = "SELECT record FROM repertoire.pending WHERE node = $1 AND id = $2";
    const [row] = await tx.rows<{ record: string }>(sql, node, id);
    return row && (jsonIn(row.record) as PendingChange | undefined);
  };
  const settle = (tx: Transaction, id: string) =>
    tx.change("DELETE FROM repertoire.pending WHERE node = $1 AND id = $2", node, id);
  return {
    async begin(change) {
      const sql =
        "INSERT INTO repertoire.pending (scope, node, id, record) SELECT repertoire.scope(), $1, $2, $3 ON CONFLICT DO NOTHING";
      await db.change(sql, node, change.id, JSON.stringify(change));
    },
    async commit(id) {
      let versions: readonly VersionRecord[] = [];
      try {
        await db.write(async (tx) => {
          versions = (await pendingOf(tx, id))?.versions ?? [];
          if (versions.length > 0) await requireHeld(tx);
          await keepInOrder(tx, versions, { headsIn, keepAll });
          await settle(tx, id);
        });
      } catch (error) {
        throw await explainConflict(error, versions);
      }
    },
    async abandon(id) {
      await db.write((tx) => settle(tx, id));
    },
    async pending() {
      const sql = "SELECT record FROM repertoire.pending WHERE node = $1 ORDER BY at, id";
      const rows = await db.rows<{ record: string }>(sql, node);
      return rows.flatMap(({ record }) => (jsonIn(record) as PendingChange | undefined) ?? []);
    },
    async add(version) {
      try {
        await db.write((tx) => keep(tx, version));
      } catch (error) {
        throw await explainConflict(error, [version]);
      }
    },
    get: async (id) => (await records(db, `WHERE v.${OWN} AND v.id = $1`, id))[0],
    list({ name, place, batch, before, limit }) {
      const { where, values } = conditions([
        ["v.node IN ('', ?)", node],
        ["v.name = ?", place?.name],
        ["v.root = ?", place && (place.root ?? "")],
        ["v.name = ?", name],
        ["v.batch = ?", batch],
        [`v.seq < (SELECT seq FROM repertoire.versions WHERE ${OWN} AND id = ?)`, before],
      ]);
      const most = limit === undefined ? "ALL" : Math.max(0, Math.floor(limit));
      return records(db, `${where} AND v.${OWN} ORDER BY v.seq DESC LIMIT ${most}`, ...values);
    },
    heads(name?: SkillName) {
      const { where, values } = conditions([
        ["h.node IN ('', ?)", node],
        ["h.name = ?", name],
      ]);
      return records(
        db,
        `JOIN repertoire.heads h ON h.scope = v.scope AND h.seq = v.seq${where} AND h.${OWN} ORDER BY h.name, h.root`,
        ...values,
      );
    },
    head: (place) => headIn(db, place),
    headsAt: (places) => headsIn(db, places),
  } satisfies VersionStore;
}

/** Refuses a change if one of its skills is no longer as the change found it. */
async function keepInOrder(
  tx: Transaction,
  versions: readonly VersionRecord[],
  { headsIn, keepAll }: Pick<ReturnType<typeof versionRows>, "headsIn" | "keepAll">,
): Promise<void> {
  if (versions.length === 0) return;
  // From here on no other change of the scope is committed before this one.
  await tx.rows("SELECT repertoire.take_numbers('changes', 0)");
  const heads = await headsIn(tx, versions.map(placeOf));
  for (const [at, version] of versions.entries()) {
    const newest = heads[at];
    if (newest !== undefined && newest.id !== version.parent && newest.id !== version.id)
      throw conflict(version, newest);
  }
  await keepAll(tx, versions);
}

/** A skill in a folder that was named belongs to the node that has the folder. */
function nodeOf({ root }: SkillPlace, node: string): string {
  return root === undefined ? "" : node;
}

function conflict(ours: VersionRecord, theirs: VersionRecord): RepertoireError {
  return new RepertoireError(
    "version-conflict",
    `"${ours.name}" was changed by ${theirs.author} at the same time (their version is ${theirs.id}, yours would have followed ${ours.parent ?? "nothing"}). Look at both with \`repertoire history ${ours.name}\`, then make your change again.`,
    { ours, theirs },
  );
}

async function takeRedirects(tx: Transaction, versions: readonly VersionRecord[]): Promise<void> {
  const none = versions.filter((version) => redirectAfter(version) === "none").map(({ name }) => name);
  if (none.length > 0)
    await tx.change(
      `DELETE FROM repertoire.redirects WHERE ${OWN} AND source = ${listed("$1")}`,
      JSON.stringify(none),
    );
  for (const version of versions) {
    const next = redirectAfter(version);
    if (next === undefined || next === "none") continue;
    const sql = `INSERT INTO repertoire.redirects (scope, source, target, at, reason) SELECT repertoire.scope(), $1, $2, $3, $4
      ON CONFLICT (scope, source) DO UPDATE SET target = excluded.target, at = excluded.at, reason = excluded.reason`;
    await tx.change(sql, next.from, next.to, next.at, next.reason);
  }
}

/** The name that redirects lead to, as of one transaction. */
export async function namesNow(tx: Transaction): Promise<(name: SkillName) => SkillName> {
  const rows = await tx.rows<{ source: SkillName; target: SkillName }>(
    `SELECT source, target FROM repertoire.redirects WHERE ${OWN}`,
  );
  const targets = new Map(rows.map(({ source, target }) => [source, target]));
  return (name) => followRedirects(name, (from) => targets.get(from));
}

export function postgresRedirects(db: Connection) {
  return {
    resolve: async (name) => (await namesNow(db))(name),
    list: () =>
      db.rows<RedirectRecord>(
        `SELECT source AS "from", target AS "to", at, reason FROM repertoire.redirects WHERE ${OWN} ORDER BY source`,
      ),
  } satisfies RedirectStore;
}

export async function putBlobs(tx: Transaction, contents: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < contents.length; at += ON_THE_WAY)
    await Promise.all(
      contents.slice(at, at + ON_THE_WAY).map((bytes) => tx.rows("SELECT repertoire.put_blob($1)", bytes)),
    );
}

/** Bytes, each kept once for all scopes. A scope reads those that it has put itself, and a project its organisation's. */
export function postgresBlobs(db: Connection) {
  return {
    async get(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
      const sql = "SELECT bytes FROM repertoire.blobs WHERE sha256 = decode($1, 'hex')";
      const [row] = await db.rows<{ bytes: Uint8Array }>(sql, sha256);
      return row && sha256Of(row.bytes) === sha256 ? row.bytes : undefined;
    },
    async put(bytes) {
      await db.rows("SELECT repertoire.put_blob($1)", bytes);
      return sha256Of(bytes);
    },
    async putAll(contents) {
      if (contents.length > 0) await db.write((tx) => putBlobs(tx, contents));
      return contents.map(sha256Of);
    },
  } satisfies BlobStore;
}
