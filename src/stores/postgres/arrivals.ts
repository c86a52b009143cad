// Takes changes that a node made while the database was away: each once, in one transaction. If a skill is no longer as the
// change found it, the change becomes part of the history, and what was there is the newest again.

import { randomBytes } from "node:crypto";
import type { LateConflict, WaitingChange } from "../../fleet/fleet.ts";
import { placeOf, type SkillPlace, type VersionFile, type VersionRecord } from "../../learn/learn.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { Connection, Transaction } from "./connection.ts";
import { putBlobs, versionRows } from "./learned.ts";

export function postgresArrivals(db: Connection, node: string) {
  const { records, headIn, keep } = versionRows(node);
  const hasVersion = async (tx: Transaction, id: string) =>
    (await records(tx, "WHERE v.scope = (SELECT repertoire.scope()) AND v.id = $1", id)).length > 0;

  /** Puts a version behind the newest one. */
  const follow = async (tx: Transaction, version: VersionRecord, parent: VersionRecord | undefined) => {
    const next = { ...version, parent: parent?.id };
    await keep(tx, next);
    return next;
  };

  const arrive = async (tx: Transaction, change: WaitingChange): Promise<LateConflict[]> => {
    // From here on no other change of the scope is committed before this one.
    await tx.rows("SELECT repertoire.take_numbers('changes', 0)");
    // The change that it began while the database was still there is over.
    for (const { id } of change.versions)
      await tx.change(
        "DELETE FROM repertoire.pending WHERE node = $1 AND record::jsonb -> 'versions' @> $2::text::jsonb",
        node,
        JSON.stringify([{ id }]),
      );
    if (await hasVersion(tx, change.versions[0]!.id)) return [];
    await putBytes(tx, change);
    const before: (VersionRecord | undefined)[] = [];
    for (const version of change.versions) before.push(await headIn(tx, placeOf(version)));
    const isOurs = (at: number) => isExpected(change.versions[at]!, before[at], change);
    const isLate = change.versions.some((_, at) => !isOurs(at));
    const conflicts: LateConflict[] = [];
    for (const [at, version] of change.versions.entries()) {
      const newest = before[at];
      if (!isLate) {
        await follow(tx, version, newest);
        continue;
      }
      const found = version.parent === undefined ? undefined : change.found.get(version.parent);
      const edit = found && !(await wasKept(tx, placeOf(found), found)) ? found : undefined;
      const ours = await follow(tx, version, edit ? await follow(tx, edit, newest) : newest);
      await follow(tx, again(newest, ours), ours);
      if (newest && !isOurs(at)) conflicts.push({ ours, theirs: newest });
    }
    return conflicts;
  };

  /** Whether some version has these files: then they were not edited by hand. */
  const wasKept = async (tx: Transaction, { name }: SkillPlace, { files }: VersionRecord) => {
    const all = await records(tx, "WHERE v.scope = (SELECT repertoire.scope()) AND v.name = $1", name);
    return all.some((version) => contentOf(version.files) === contentOf(files));
  };

  const putBytes = async (tx: Transaction, { versions, found, bytes }: WaitingChange) => {
    const edits = versions.flatMap(({ parent }) => (parent && found.get(parent)) || []);
    const contents: Uint8Array[] = [];
    for (const { sha256 } of [...versions, ...edits].flatMap(({ files }) => files)) {
      const content = await bytes(sha256);
      if (content === undefined)
        throw new RepertoireError(
          "version-damaged",
          `A file of "${versions[0]!.name}" is missing from what waits for the database.`,
          versions[0]!.id,
        );
      contents.push(content);
    }
    await putBlobs(tx, contents);
  };

  /** Brings a change into the database, unless it is there already. Returns what others have changed meanwhile. */
  return (change: WaitingChange): Promise<readonly LateConflict[]> => db.write((tx) => arrive(tx, change));
}

/** Whether the skill is as the change found it. */
function isExpected(
  { parent }: VersionRecord,
  newest: VersionRecord | undefined,
  { found }: WaitingChange,
): boolean {
  // A restored backup may know nothing of the skill.
  if (newest === undefined || newest.id === parent) return true;
  const base = parent === undefined ? undefined : found.get(parent);
  if (parent !== undefined && base === undefined) return false;
  return contentOf(newest.files) === contentOf(base?.files);
}

/** What was the newest, as the newest again. */
function again(theirs: VersionRecord | undefined, ours: VersionRecord): VersionRecord {
  return {
    ...ours,
    id: randomBytes(5).toString("hex"),
    action: "restore",
    reason: `${ours.id} was made while the database was away, and the skill was changed elsewhere meanwhile`,
    digest: theirs?.digest,
    files: theirs?.files ?? [],
    data: { root: placeOf(ours).root, ...theirs?.data, restores: theirs?.id },
  };
}

function contentOf(files: readonly VersionFile[] = []): string {
  return files
    .map(({ path, sha256, executable }) => `${path} ${sha256} ${executable === true}`)
    .sort()
    .join("\n");
}
