// The library that nodes share, in PostgreSQL: what changed since a number, and the bytes of versions.

import { randomBytes } from "node:crypto";
import type { SharedLibrary, SharedScope } from "../../fleet/fleet.ts";
import type { VersionRecord } from "../../learn/learn.ts";
import { listed } from "./conditions.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

/** How long a notice to ourselves may take before the subscription counts as dead. */
const ECHO_MS = 2_000;

/** Of all nodes: a skill in a folder of one node is of no use to the others. */
const shared = (table: string) => `${table}.node = '' AND ${table}.root = ''`;

/** Over a connection of its own, so that neither waits for the other: reading large changes, and what the store does. */
export function postgresLibrary(options: ConnectionOptions): SharedLibrary {
  const connection = new Connection({ ...options, connections: 1 });
  const versionsIn = (rows: readonly { readonly record: string }[]) =>
    rows.map(({ record }) => JSON.parse(record) as VersionRecord);
  return {
    server: connection.server,

    async scopes() {
      const { scope } = await connection.claim();
      const found = await connection.rows<{ id: number; organisation: string; project: string }>(
        "SELECT id, organisation, project FROM repertoire.scopes ORDER BY project <> '', id",
      );
      return found.map(
        ({ id, organisation, project }): SharedScope => ({
          id,
          name: project === "" ? organisation : `${organisation}/${project}`,
          isOwn: id === scope,
        }),
      );
    },

    async lastChange(scope) {
      const [row] = await connection.rows<{ seq: number }>(
        "SELECT coalesce(max(seq), 0) AS seq FROM repertoire.changes WHERE scope = $1",
        scope,
      );
      return row?.seq ?? 0;
    },

    async changes(scope, after, limit) {
      const rows = await connection.rows<{ seq: number; record?: string }>(
        `SELECT c.seq, v.record FROM repertoire.changes c LEFT JOIN repertoire.versions v
          ON c.kind = 'version' AND v.scope = c.scope AND v.id = c.subject AND ${shared("v")}
          WHERE c.scope = $1 AND c.seq > $2 ORDER BY c.seq LIMIT $3`,
        scope,
        after,
        limit,
      );
      return rows.map(({ seq, record }) => ({
        seq,
        version: record === undefined ? undefined : (JSON.parse(record) as VersionRecord),
      }));
    },

    async heads(scope, names) {
      const isNamed = names === undefined ? "" : `AND h.name = ${listed("$2")}`;
      const rows = await connection.rows<{ record: string }>(
        `SELECT v.record FROM repertoire.heads h JOIN repertoire.versions v ON v.scope = h.scope AND v.id = h.id
          WHERE h.scope = $1 AND ${shared("h")} ${isNamed} ORDER BY h.name`,
        scope,
        ...(names === undefined ? [] : [JSON.stringify(names)]),
      );
      return versionsIn(rows);
    },

    async history(scope, name) {
      const rows = await connection.rows<{ record: string }>(
        `SELECT v.record FROM repertoire.versions v WHERE v.scope = $1 AND v.name = $2 AND ${shared("v")} ORDER BY v.seq DESC`,
        scope,
        name,
      );
      return versionsIn(rows);
    },

    async bytes(sha256s) {
      const rows = await connection.rows<{ sha256: string; bytes: Uint8Array }>(
        `SELECT encode(sha256, 'hex') AS sha256, bytes FROM repertoire.blobs
          WHERE sha256 = ANY (ARRAY(SELECT decode(value, 'hex') FROM json_array_elements_text($1::text::json) AS value))`,
        JSON.stringify(sha256s),
      );
      return new Map(rows.map(({ sha256, bytes }) => [sha256, bytes]));
    },

    async subscribe(onChange) {
      const own = `repertoire_echo_${randomBytes(8).toString("hex")}`;
      let onEcho: () => void = () => undefined;
      const closers = [await connection.listen(own, () => onEcho())];
      for (const { id } of await this.scopes())
        closers.push(await connection.listen(`repertoire_${id}`, onChange));
      return {
        isAlive: () =>
          new Promise<boolean>((resolve, reject) => {
            const timer = setTimeout(() => resolve(false), ECHO_MS);
            timer.unref();
            onEcho = () => {
              clearTimeout(timer);
              resolve(true);
            };
            connection.rows("SELECT pg_notify($1, '')", own).catch(reject);
          }),
        async close() {
          await Promise.all(closers.map((close) => close()));
        },
      };
    },

    async snapshot(format) {
      const [row] = await connection.rows<{ change: number; bytes: Uint8Array }>(
        "SELECT change, bytes FROM repertoire.snapshots WHERE scope = repertoire.scope() AND format = $1",
        format,
      );
      return row && { seq: row.change, bytes: row.bytes };
    },

    async snapshotSeq(format) {
      const [row] = await connection.rows<{ change: number }>(
        "SELECT change FROM repertoire.snapshots WHERE scope = repertoire.scope() AND format = $1",
        format,
      );
      return row?.change;
    },

    async keepSnapshot(format, { seq, bytes }) {
      await connection.change(
        `INSERT INTO repertoire.snapshots AS s (scope, format, change, bytes) VALUES (repertoire.scope(), $1, $2, $3)
          ON CONFLICT (scope, format) DO UPDATE SET change = excluded.change, bytes = excluded.bytes, at = now()
          WHERE s.change < excluded.change`,
        format,
        seq,
        bytes,
      );
    },

    async vectors(model, keys) {
      const rows = await connection.rows<{ digest: string; bytes: Uint8Array }>(
        `SELECT digest, bytes FROM repertoire.vectors
          WHERE model = $1 AND digest = ${listed("$2")}`,
        model,
        JSON.stringify(keys),
      );
      return new Map(rows.map(({ digest, bytes }) => [digest, bytes]));
    },

    async keepVectors(model, vectors) {
      const given = [...vectors].map(([digest, bytes]) => ({
        digest,
        hex: Buffer.from(bytes).toString("hex"),
      }));
      await connection.change(
        `INSERT INTO repertoire.vectors (scope, model, digest, bytes)
          SELECT repertoire.scope(), $1, v->>'digest', decode(v->>'hex', 'hex') FROM json_array_elements($2::text::json) AS v
          ON CONFLICT DO NOTHING`,
        model,
        JSON.stringify(given),
      );
    },

    close: () => connection.close(),
  };
}
