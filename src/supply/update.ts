// Works out what an update of one package would change: the files with local edits merged in, the diff, and new findings.

import type { ConsentSheet } from "../activate/activate.ts";
import type { Finding } from "../inspect/inspect.ts";
import { isRepertoireError, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import {
  compareMarks,
  type FileMarks,
  fileMark,
  marksOf,
  type PackageFile,
  packageDigest,
  snapshotPackage,
} from "../package/package.ts";
import { unifiedDiff } from "../text/diff.ts";
import { type MergeConflict, mergePackages } from "./merge.ts";
import { sheetFor } from "./offer.ts";

interface UpdateInput {
  readonly name: SkillName;
  readonly directory: string;
  readonly source: string;
  /** The digest of the package as it was fetched. */
  readonly lockedDigest: string;
  readonly theirs: readonly PackageFile[];
  /** The package as it was fetched; asked for only if it was edited here. */
  readonly base: () => Promise<readonly PackageFile[] | undefined>;
  readonly workDir: string;
}

interface UpdatePlan {
  readonly files: readonly PackageFile[];
  readonly sheet: ConsentSheet;
  /** Of what is replaced. */
  readonly replaces: string;
  readonly edited: boolean;
  readonly diff: string;
  readonly newFindings: readonly Finding[];
}

/** The conflicts, if a person must decide. */
export async function planUpdate(
  input: UpdateInput,
): Promise<UpdatePlan | { readonly conflicts: readonly MergeConflict[] }> {
  const { name, directory, source, theirs } = input;
  const now = snapshotPackage(directory);
  const mine = [...now.files].map(
    ([path, { bytes, executable }]): PackageFile =>
      executable ? { path, bytes, executable } : { path, bytes },
  );
  const edited = now.digest !== input.lockedDigest;
  const { files, conflicts } = edited
    ? mergePackages({ base: await input.base(), mine, theirs }, input.workDir)
    : { files: theirs, conflicts: [] };
  if (conflicts.length > 0) return { conflicts };
  const marks = marksFor(files);
  const changed = compareMarks(marksOf(now.files), marks);
  const sheet = await sheetFor(
    { name, files, digest: packageDigest(marks) },
    { source, path: directory, changed },
  );
  const known = new Set((await findingsIn(input, mine)).map(keyOf));
  return {
    files,
    sheet,
    replaces: now.digest,
    edited,
    diff: await packageDiff(mine, files),
    newFindings: sheet.findings.filter((finding) => !known.has(keyOf(finding))),
  };
}

/** What is found in the package as it is here; nothing if it is not a skill any more. */
async function findingsIn(
  { name, source, directory }: UpdateInput,
  files: readonly PackageFile[],
): Promise<readonly Finding[]> {
  try {
    return (await sheetFor({ name, files, digest: "" }, { source, path: directory })).findings;
  } catch (thrown) {
    if (isRepertoireError(thrown)) return [];
    throw thrown;
  }
}

function keyOf({ code, path }: Finding): string {
  return `${code} ${path}`;
}

function marksFor(files: readonly PackageFile[]): FileMarks {
  return Object.fromEntries(
    files.map(({ path, bytes, executable }) => [path, fileMark({ bytes, executable: executable === true })]),
  );
}

async function packageDiff(before: readonly PackageFile[], after: readonly PackageFile[]): Promise<string> {
  const marks = [marksFor(before), marksFor(after)] as const;
  const { added, changed, removed } = compareMarks(...marks);
  const patches: string[] = [];
  for (const path of [...changed, ...added, ...removed]) {
    const [old, next] = [before, after].map((side) => side.find((file) => file.path === path));
    const isText = [old, next].every((file) => !file?.bytes.includes(0));
    const text = (file: PackageFile | undefined) => Buffer.from(file?.bytes ?? "").toString("utf8");
    const hunks = isText ? await unifiedDiff(text(old), text(next)) : "Binary files differ";
    patches.push(`--- ${old ? path : "/dev/null"}\n+++ ${next ? path : "/dev/null"}\n${hunks}`);
  }
  return patches.join("\n");
}

/** A conflict in words, for the refusal of an update. */
export function updateConflict(name: SkillName, conflicts: readonly MergeConflict[]): RepertoireError {
  const paths = conflicts.map(({ path }) => path).join(", ");
  return new RepertoireError(
    "update-conflict",
    `"${name}" was changed here and at its source in the same place: ${paths}. Nothing was overwritten. Undo your edit and update again, or keep your version.`,
    conflicts,
  );
}
