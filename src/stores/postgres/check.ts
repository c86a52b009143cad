// Looks for versions of a scope whose bytes the shared database has lost, and puts back what is still elsewhere.

import type { BlobStore, VersionFile, VersionRecord } from "../../learn/learn.ts";
import { MENDING_COMMAND, type StateFinding } from "../../model/state-finding.ts";
import { sha256Of } from "../../package/package.ts";
import { jsonIn } from "../../text/json.ts";
import type { Store } from "../store.ts";
import type { Connection } from "./connection.ts";

/** Versions that name bytes which are not there, or are others than their digest says. */
const DAMAGED = `SELECT v.record, json_agg(n.sha256) AS lost FROM repertoire.versions v
  CROSS JOIN LATERAL (SELECT DISTINCT m[1] AS sha256 FROM regexp_matches(v.record, '"sha256":"([0-9a-f]{64})"', 'g') m) n
  LEFT JOIN repertoire.blobs b ON b.sha256 = decode(n.sha256, 'hex') AND sha256(b.bytes) = b.sha256
  WHERE v.scope = (SELECT repertoire.scope()) AND b.sha256 IS NULL GROUP BY v.seq, v.record ORDER BY v.seq`;

export async function checkBytes(
  db: Connection,
  blobs: BlobStore,
  { fix, lostBytes }: NonNullable<Parameters<Store["check"]>[0]> = {},
): Promise<readonly StateFinding[]> {
  const rows = await db.rows<{ record: string; lost: readonly string[] }>(DAMAGED);
  const findings: StateFinding[] = [];
  for (const { record, lost } of rows) {
    const version = jsonIn(record) as VersionRecord | undefined;
    if (version === undefined) continue;
    const files = version.files.filter(({ sha256 }) => lost.includes(sha256));
    const found = new Map<VersionFile, Uint8Array>();
    for (const file of files) {
      const bytes = await lostBytes?.(version, file);
      if (bytes !== undefined && sha256Of(bytes) === file.sha256) found.set(file, bytes);
    }
    const canFix = found.size > 0;
    if (fix) await blobs.putAll([...found.values()]);
    findings.push({
      code: "bytes-missing",
      severity: "error",
      path: db.server,
      message: `The bytes of ${files.length} files of version ${version.id} of "${version.name}" are missing or damaged, so it cannot be brought back; the skill itself is not touched.`,
      fix: canFix
        ? MENDING_COMMAND
        : `Restore the database from a backup; other versions can be used: repertoire history ${version.name}`,
      canFix,
      fixed: fix && canFix ? `${found.size} of them were put back from the skill's folder.` : undefined,
    });
  }
  return findings;
}
