// Takes over what another machine read from the same files, so that a new machine parses none of them again.

import { hash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import type { Source } from "../model/source.ts";
import { readSkillFile } from "./catalog.ts";
import type { FileRecord } from "./file-record.ts";
import { LibrarySnapshot, recordsFrom, type SnapshotOptions, snapshotPath } from "./snapshot.ts";
import { encodingSteps } from "./snapshot-file.ts";

/**
 * Makes a snapshot here of the one that another machine wrote: of each skill in a source of the same id, if its file has the
 * same content. The next scan reads all others. Returns how many were taken over.
 */
export function adoptSnapshot(
  bytes: Uint8Array,
  sources: readonly Source[],
  { cacheDir, findings }: SnapshotOptions,
): number {
  if (cacheDir === undefined) return 0;
  const path = snapshotPath(cacheDir, sources);
  const carried = `${path}.carried`;
  writeFileAtomically(carried, bytes, { sync: false });
  const records = recordsFrom(carried, sources).flatMap((record) => sameHere(record) ?? []);
  rmSync(carried);
  // No folder has this time, so that a scan looks at all of them.
  const containers = sources.map(({ root }) => [root, -1] as const);
  const head = { generation: "", sources, scannedAt: 0, findings, containers, missing: [], diagnostics: [] };
  const steps = encodingSteps(new LibrarySnapshot(head, records), sources);
  let step = steps.next();
  while (!step.done) step = steps.next();
  writeFileAtomically(path, step.value.bytes, { sync: false });
  return records.length;
}

/** The record with what tells that its file is unchanged here. Findings name paths of the other machine, so they are made anew. */
function sameHere(record: FileRecord): FileRecord | undefined {
  const { path, skill, diagnostics, policy } = record;
  if (skill === undefined || diagnostics.length > 0 || policy !== undefined) return undefined;
  const stats = unlessMissing(() => statSync(path, { throwIfNoEntry: false }), ["ENOTDIR", "EACCES"]);
  if (stats === undefined || hash("sha256", readSkillFile(path)) !== skill.digest) return undefined;
  return { ...record, size: stats.size, mtimeMs: stats.mtimeMs, inode: stats.ino, inspected: undefined };
}
