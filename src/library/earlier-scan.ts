// What a scan after a change may take over from the last one: every skill outside the folders that were changed.

import { realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { EarlierFolder, EarlierScan } from "../discover/discover.ts";
import { unlessMissing } from "../disk/disk.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { FileRecord } from "./file-record.ts";
import type { LibrarySnapshot } from "./snapshot.ts";

/**
 * What the snapshot knows of folders that are not in, above or below the changed ones. Folders that hold other skills are read
 * again, so that skills that came or went elsewhere are noticed as well. Undefined if only a whole scan will do.
 */
export function outsideOf(
  changed: ReadonlySet<string>,
  { facts }: LibrarySnapshot,
  records: readonly FileRecord[],
): EarlierScan | undefined {
  // Which skills are found then depends on how many files there are.
  if (facts.diagnostics.some(({ code }) => code === "entry-limit")) return undefined;
  const containers = new Set(facts.containers.map(([path]) => path));
  const folders = new Map<string, EarlierFolder & { readonly diagnostics: Diagnostic[] }>();
  for (const record of records) {
    const directory = dirname(record.path);
    if (!containers.has(directory))
      folders.set(directory, { file: { ...record, directory }, diagnostics: [] });
  }
  for (const finding of facts.diagnostics) nearest(folders, finding.path)?.diagnostics.push(finding);
  // The folder that a link leads to, and the link itself.
  const touched = [...changed].flatMap((path) => [
    realPath(path),
    join(realPath(dirname(path)), basename(path)),
  ]);
  const isTouched = (real: string) =>
    touched.some((path) => path === real || path.startsWith(real + sep) || real.startsWith(path + sep));
  return (directory, real) => {
    const known = folders.get(directory);
    return known && !isTouched(real) ? known : undefined;
  };
}

function nearest<T>(folders: ReadonlyMap<string, T>, path: string): T | undefined {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const found = folders.get(folder);
    if (found) return found;
  }
  return undefined;
}

const UNREACHABLE = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"];

/** The path without links; of a folder that cannot be reached, that of the folder above it with its name. */
function realPath(path: string): string {
  if (path === dirname(path)) return path;
  const real = unlessMissing(() => realpathSync(path), UNREACHABLE);
  return real ?? join(realPath(dirname(path)), basename(path));
}
