// Merges two sides of a package that both changed since a common base, file by file. A file that both changed in one place is a
// conflict, and is left to a person.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSameFile, type PackageFile } from "../package/package.ts";
import { SUPPLY_LIMITS } from "./limits.ts";

export interface MergeConflict {
  readonly path: string;
  /** Why a person must decide. */
  readonly reason: "both-changed" | "changed-and-removed" | "both-added";
  /** The text with both sides marked, if it is a text. */
  readonly text?: string | undefined;
}

interface Merged {
  readonly files: readonly PackageFile[];
  readonly conflicts: readonly MergeConflict[];
}

interface Sides {
  /** Undefined if nobody has kept it: then every difference is a conflict. */
  readonly base: readonly PackageFile[] | undefined;
  readonly mine: readonly PackageFile[];
  readonly theirs: readonly PackageFile[];
}

/** `workDir` is for the files that git merges. */
export function mergePackages({ base, mine, theirs }: Sides, workDir: string): Merged {
  const files: PackageFile[] = [];
  const conflicts: MergeConflict[] = [];
  const paths = [...new Set([...mine, ...theirs].map(({ path }) => path))].sort();
  const at = (side: readonly PackageFile[] | undefined, path: string) =>
    side?.find((file) => file.path === path);
  for (const path of paths) {
    const [before, ours, other] = [at(base, path), at(mine, path), at(theirs, path)];
    const taken = oneSide(before, ours, other, base !== undefined);
    if (taken !== undefined) files.push(...taken);
    else {
      const merged = ours && other && mergeTexts(before, ours, other, workDir);
      if (merged?.isWhole) files.push(merged.file);
      else {
        const reason = !ours || !other ? "changed-and-removed" : before ? "both-changed" : "both-added";
        conflicts.push({
          path,
          reason,
          text: merged?.file && Buffer.from(merged.file.bytes).toString("utf8"),
        });
      }
    }
  }
  return { files, conflicts };
}

/** The file if only one side changed it, or both alike; nothing in the list if it is removed. */
function oneSide(
  before: PackageFile | undefined,
  ours: PackageFile | undefined,
  other: PackageFile | undefined,
  hasBase: boolean,
): PackageFile[] | undefined {
  const isSame = (a: PackageFile | undefined, b: PackageFile | undefined) =>
    a === undefined || b === undefined ? a === b : isSameFile(a, b);
  const only = (file: PackageFile | undefined) => (file ? [file] : []);
  if (isSame(ours, other)) return only(ours);
  if (!hasBase) return undefined;
  if (isSame(before, ours)) return only(other);
  if (isSame(before, other)) return only(ours);
  return undefined;
}

/** Merges texts with `git merge-file`. Undefined if one of them is not a text, or git is missing. */
function mergeTexts(
  before: PackageFile | undefined,
  ours: PackageFile,
  other: PackageFile,
  workDir: string,
): { readonly file: PackageFile; readonly isWhole: boolean } | undefined {
  const sides = [ours, before, other].map((file) => Buffer.from(file?.bytes ?? ""));
  if (sides.some((bytes) => bytes.includes(0) || bytes.length > SUPPLY_LIMITS.mergedBytes)) return undefined;
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(workDir, `${process.pid}-merge-`));
  try {
    for (const [index, bytes] of sides.entries()) writeFileSync(join(folder, String(index)), bytes);
    const labels = ["yours", "before", "theirs"].flatMap((label) => ["-L", label]);
    const done = spawnSync("git", ["merge-file", "-p", "--diff3", ...labels, "0", "1", "2"], {
      cwd: folder,
      maxBuffer: 8 * SUPPLY_LIMITS.mergedBytes,
    });
    if (done.status === null || done.status > 127) return undefined;
    const executable = before?.executable === ours.executable ? other.executable : ours.executable;
    return { file: { path: ours.path, bytes: done.stdout, executable }, isWhole: done.status === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
