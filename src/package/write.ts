// Puts the files of a package on disk: a new package, or a change of one that readers never see half made.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Files,
  removeEmptyFolders,
  removeFile,
  removeQuietly,
  stageFile,
  syncFolder,
} from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import { SKILL_FILE } from "./facts.ts";
import { isSameFile, type PackageFile, readPackage } from "./files.ts";

/**
 * Makes the folder hold exactly these files, beside its sub-skills. SKILL.md changes last and goes first. `formerly`
 * names files that an interrupted change may have left without a SKILL.md; they are removed if they are unchanged.
 */
export function replacePackage(
  files: Files,
  place: { readonly directory: string; readonly root: string; readonly formerly?: readonly PackageFile[] },
  next: readonly PackageFile[],
): void {
  const { directory, root, formerly = [] } = place;
  const before = readPackage(files, directory);
  const changed = next.filter(
    (file) => !before.some((old) => old.path === file.path && isSameFile(old, file)),
  );
  const orphans = formerly.filter((file) => isThere(files, directory, file));
  const gone = [...new Map([...before, ...orphans].map((file) => [file.path, file])).values()].filter(
    (old) => !next.some((file) => file.path === old.path),
  );
  const staged: { from: string; to: string }[] = [];
  try {
    for (const file of changed) {
      const to = join(directory, file.path);
      staged.push({ from: stageFile(files, to, file.bytes, { mode: file.executable ? 0o755 : 0o644 }), to });
    }
    for (const { from, to } of [...staged].reverse()) files.renameSync(from, to);
    for (const { path } of gone) removeFile(files, join(directory, path));
  } catch (error) {
    for (const { from } of staged) removeQuietly(files, from);
    throw error;
  }
  const folders = new Set([...changed, ...gone].map(({ path }) => dirname(join(directory, path))));
  for (const folder of folders) syncFolder(files, folder);
  for (const { path } of gone) removeEmptyFolders(files, dirname(join(directory, path)), root);
}

function isThere(files: Files, directory: string, file: PackageFile): boolean {
  try {
    return Buffer.compare(files.readFileSync(join(directory, file.path)), file.bytes) === 0;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Writes a new package and returns the paths of its files. Overwrites nothing. */
export function writeNewPackage(directory: string, files: ReadonlyMap<string, string>): string[] {
  if (existsSync(join(directory, SKILL_FILE))) {
    throw new RepertoireError(
      "skill-exists",
      `${directory} already holds a skill. Choose another name, or edit the one there.`,
      directory,
    );
  }
  const written: string[] = [];
  for (const [relative, text] of files) {
    const path = join(directory, relative);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx", mode: text.startsWith("#!") ? 0o755 : 0o644 });
    written.push(path);
  }
  return written;
}
