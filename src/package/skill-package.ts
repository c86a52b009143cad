// Owns the files of one learned skill on disk: which belong to it, reading them whole, replacing them so that a reader
// never sees a torn file. Does not own what the files say, nor their history (`version-book.ts`).

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import {
  entriesOf,
  type Files,
  IGNORED_FOLDERS,
  isLeftover,
  removeEmptyFolders,
  removeFile,
  removeQuietly,
  stageFile,
  syncFolder,
} from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";

export interface PackageFile {
  /** Below the skill's folder, `/`-separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean | undefined;
}

const NUMBERS = {
  /** Every version keeps the whole package; more than this is data that lives elsewhere. */
  packageBytes: 64 * 1024 * 1024,
} as const;

/** The skill's own files, SKILL.md first; sub-skills are skills of their own. Empty where there is no SKILL.md. */
export function readPackage(files: Files, directory: string): PackageFile[] {
  const paths = packagePaths(files, directory);
  let room: number = NUMBERS.packageBytes;
  return paths.map((path) => {
    const full = join(directory, path);
    const { mode, size } = files.statSync(full);
    room -= size;
    if (room < 0) throw tooLarge(directory);
    return { path, bytes: files.readFileSync(full), ...((mode & 0o100) !== 0 && { executable: true }) };
  });
}

/**
 * Makes the folder hold exactly these files, beside its sub-skills. SKILL.md changes last and goes first. `formerly`
 * names files that an interrupted change may have left without a SKILL.md; they go if they are still what they were.
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

export function isSameFile(a: PackageFile, b: PackageFile): boolean {
  return Boolean(a.executable) === Boolean(b.executable) && Buffer.compare(a.bytes, b.bytes) === 0;
}

export function isSkillFile(path: string): boolean {
  return path.toLowerCase() === "skill.md";
}

/** The SKILL.md among the files. */
export function skillFileOf(files: readonly PackageFile[]): PackageFile | undefined {
  return files.find(({ path }) => isSkillFile(path));
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function packagePaths(files: Files, directory: string): string[] {
  const paths: string[] = [];
  const walk = (folder: string, prefix: string) => {
    const entries = entriesOf(files, folder);
    const skill = entries.some((entry) => entry.isFile() && isSkillFile(entry.name));
    if (skill !== (prefix === "")) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (IGNORED_FOLDERS.has(entry.name) || isLeftover(entry.name)) continue;
      if (entry.isFile()) paths.push(prefix + entry.name);
      else if (entry.isDirectory()) walk(join(folder, entry.name), `${prefix}${entry.name}/`);
    }
  };
  walk(directory, "");
  return paths.sort((a, b) => Number(isSkillFile(b)) - Number(isSkillFile(a)));
}

function tooLarge(directory: string): RepertoireError {
  return new RepertoireError(
    "package-too-large",
    `${directory} holds more than ${NUMBERS.packageBytes / 1024 / 1024} MB, too much to keep with every version. Move large data out of the skill's folder.`,
    directory,
  );
}
