// Which files belong to a skill's package, how they are read, and what their digest is. A package has its folder's files, without its
// sub-skills and without ignored folders.

import { createHash } from "node:crypto";
import {
  type Dirent,
  existsSync,
  lstatSync,
  opendirSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  entriesOf,
  type Files,
  IGNORED_FOLDERS,
  isBelow,
  isLeftover,
  makeFolder,
  removeEmptyFolders,
  removeFile,
  StagedFiles,
  syncFolder,
  unlessMissing,
  withRegularFile,
} from "../disk/disk.ts";
import { codeOf, isRepertoireError, RepertoireError } from "../model/errors.ts";
import { grouped } from "../text/numbers.ts";
import { isSkillFile, PACKAGE_LIMITS, SKILL_FILE } from "./facts.ts";

/** All of a package but its folders, by name, folder by folder, with `/` in paths. `entriesIn` reads one folder. */
export function* walkPackage(
  directory: string,
  entriesIn: (folder: string) => Dirent[],
  prefix = "",
): Generator<{ readonly path: string; readonly entry: Dirent }> {
  const entries = entriesIn(join(directory, prefix));
  if (prefix !== "" && entries.some(({ name }) => isSkillFile(name))) return;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (IGNORED_FOLDERS.has(entry.name)) continue;
    const path = prefix + entry.name;
    if (entry.isDirectory()) yield* walkPackage(directory, entriesIn, `${path}/`);
    else yield { path, entry };
  }
}

function regularFiles(directory: string, entriesIn: (folder: string) => Dirent[]): string[] {
  return [...walkPackage(directory, entriesIn)].flatMap(({ path, entry }) => (entry.isFile() ? path : []));
}

/** The paths of a package's regular files, for a list. Links and special files are left out. */
export function packageFiles(directory: string): string[] {
  return regularFiles(directory, (folder) => readdirSync(folder, { withFileTypes: true }));
}

/** A file of a package with its content. */
export interface PackageFile {
  /** Below the skill's folder, `/`-separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean | undefined;
}

/** Reads a whole package, SKILL.md first. Empty if the folder has no SKILL.md. */
export function readPackage(files: Files, directory: string): PackageFile[] {
  const entriesIn = (folder: string) => entriesOf(files, folder).filter(({ name }) => !isLeftover(name));
  if (!entriesIn(directory).some((entry) => entry.isFile() && isSkillFile(entry.name))) return [];
  const paths = regularFiles(directory, entriesIn);
  let bytes = 0;
  return paths
    .sort((a, b) => Number(isSkillFile(b)) - Number(isSkillFile(a)))
    .map((path) => {
      const full = join(directory, path);
      const { mode, size } = files.statSync(full);
      bytes += size;
      if (bytes > PACKAGE_LIMITS.bytes) throw tooLarge(directory, path, size);
      return { path, bytes: files.readFileSync(full), ...(isExecutable(mode) && { executable: true }) };
    });
}

/** The SKILL.md among the files. */
export function skillFileOf(files: readonly PackageFile[]): PackageFile | undefined {
  return files.find(({ path }) => isSkillFile(path));
}

export function isSameFile(a: PackageFile, b: PackageFile): boolean {
  return Boolean(a.executable) === Boolean(b.executable) && Buffer.compare(a.bytes, b.bytes) === 0;
}

interface ListedFile {
  /** `/`-separated below the package. */
  readonly path: string;
  /** Where its bytes are: the same path, or the target of a link that stays inside. */
  readonly from: string;
  readonly size: number;
}

/**
 * The files of a package that may be handed over, or an error that names what may not: links that leave it, special
 * files, too many files, too many bytes. Reads no content, so that a huge file costs nothing. `root` is a real path;
 * the entries are sorted by path.
 */
export function listPackage(directory: string): { root: string; entries: readonly ListedFile[] } {
  const root = orUnreadable(directory, () => realpathSync(directory));
  const entries: ListedFile[] = [];
  let bytes = 0;
  let folders = 0;
  const entriesIn = (folder: string) => {
    folders += 1;
    if (folders > PACKAGE_LIMITS.folders) throw tooMany(directory, "folders");
    return boundedEntries(folder, directory);
  };
  for (const { path } of walkPackage(root, entriesIn)) {
    const stats = orUnreadable(join(root, path), () => lstatSync(join(root, path)));
    if (!stats.isFile() && !stats.isSymbolicLink()) throw specialFile(join(directory, path), stats);
    const file = stats.isFile() ? { from: path, size: stats.size } : linkTarget(root, path);
    entries.push({ path, ...file });
    bytes += file.size;
    if (entries.length > PACKAGE_LIMITS.files) throw tooMany(directory, "files");
    if (bytes > PACKAGE_LIMITS.bytes) throw tooLarge(directory, path, file.size);
  }
  return { root, entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

interface RegularFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Reads one listed file. Follows no link and reads regular files only. `root` and the way to the file are real paths. */
export function readRegularFile(root: string, from: string): RegularFile {
  const path = join(root, from);
  const read = () =>
    withRegularFile(path, { isReal: true, isListed: true }, ({ size, mode, start }) => {
      if (size > PACKAGE_LIMITS.bytes) throw unreadable(path, { code: "EFBIG" });
      // One byte more than the file should have, so that a file that grows is noticed.
      const bytes = start(size + 1);
      if (bytes.length !== size) throw unreadable(path, undefined);
      return { bytes, executable: isExecutable(mode) };
    });
  try {
    return read();
  } catch (thrown) {
    if (!REPLACED.includes(codeOf(thrown)))
      throw isRepertoireError(thrown) ? thrown : unreadable(path, thrown);
    throw new RepertoireError(
      "package-changed",
      `${path} is no longer a file of the package: it was replaced while it was read. Try again, and look at what changes it.`,
      from,
    );
  }
}

/** How reading fails when something else has taken the place of a listed file. */
const REPLACED: readonly string[] = ["file-not-regular", "file-link-outside"];

function isExecutable(mode: number): boolean {
  return (mode & 0o111) !== 0;
}

/** Reads entry by entry, so that a folder of millions is left after the first few thousand. */
function boundedEntries(folder: string, directory: string): Dirent[] {
  return orUnreadable(folder, () => {
    const entries: Dirent[] = [];
    const open = opendirSync(folder);
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        entries.push(entry);
        if (entries.length > PACKAGE_LIMITS.files + PACKAGE_LIMITS.folders) throw tooMany(directory, "files");
      }
    } finally {
      open.closeSync();
    }
    return entries;
  });
}

function linkTarget(root: string, path: string): { from: string; size: number } {
  const link = join(root, path);
  let target: string;
  let stats: Stats;
  try {
    target = realpathSync(link);
    stats = statSync(target);
  } catch (thrown) {
    throw new RepertoireError(
      "package-link-broken",
      `${link} is a link that leads nowhere (${codeOf(thrown)}). Remove it, or put the file in its place.`,
      path,
    );
  }
  if (!isBelow(root, target)) {
    throw new RepertoireError(
      "package-link-outside",
      `${link} is a link that leaves the package. Put a copy of the file in its place.`,
      path,
    );
  }
  if (stats.isDirectory()) {
    throw new RepertoireError(
      "package-link-folder",
      `${link} is a link to a folder; a package holds regular files and links to them. Put a copy of the folder in its place.`,
      path,
    );
  }
  if (!stats.isFile()) throw specialFile(link, stats);
  return { from: relative(root, target).split(sep).join("/"), size: stats.size };
}

function orUnreadable<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (thrown) {
    throw thrown instanceof RepertoireError ? thrown : unreadable(path, thrown);
  }
}

function specialFile(path: string, stats: Stats): RepertoireError {
  const kind = stats.isFIFO()
    ? "a FIFO"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? "a device"
        : "a special file";
  const message = `${path} is ${kind}; a package holds regular files only. Remove it.`;
  return new RepertoireError("package-special-file", message, path);
}

function tooMany(directory: string, what: "files" | "folders"): RepertoireError {
  return new RepertoireError(
    what === "files" ? "package-too-many-files" : "package-too-many-folders",
    `${directory} holds more than ${grouped(PACKAGE_LIMITS[what])} ${what}, the most a package may have. Move what the skill does not need out of it.`,
    directory,
  );
}

function tooLarge(directory: string, path: string, size: number): RepertoireError {
  return new RepertoireError(
    "package-too-large",
    `${directory} holds more than ${PACKAGE_LIMITS.bytes / 1024 / 1024} MiB, the most a package may have; ${path} alone has ${grouped(size)} bytes. Move large files out of it.`,
    path,
  );
}

function unreadable(path: string, thrown: unknown): RepertoireError {
  const why = codeOf(thrown) || "it changed while it was read";
  return new RepertoireError(
    "package-unreadable",
    `${path} cannot be read (${why}). Correct its permissions or remove it.`,
    path,
  );
}

export interface SnapshotFile extends RegularFile {
  /** Where the bytes were read from; differs from the path for a link inside the package. */
  readonly from: string;
  readonly mark: string;
}

/** A package as it was when it was read. */
export interface PackageSnapshot {
  /** Real path of the folder. */
  readonly root: string;
  readonly digest: string;
  /** By path, sorted. */
  readonly files: ReadonlyMap<string, SnapshotFile>;
}

/** By path: the file's SHA-256, followed by `+x` if it is executable. */
export type FileMarks = Readonly<Record<string, string>>;

export interface FileChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Part of the digest: another format makes another digest, so that an old consent never matches by accident. */
const FORMAT = "repertoire package 1\n";

export function snapshotPackage(directory: string): PackageSnapshot {
  const { root, entries } = listPackage(directory);
  const files = new Map<string, SnapshotFile>();
  for (const { path, from } of entries) {
    const file = readRegularFile(root, from);
    files.set(path, { ...file, from, mark: fileMark(file) });
  }
  return { root, digest: packageDigest(marksOf(files)), files };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function fileMark({
  bytes,
  executable,
}: Pick<RegularFile, "executable"> & { bytes: Uint8Array }): string {
  return sha256Of(bytes) + (executable ? "+x" : "");
}

export function marksOf(files: ReadonlyMap<string, { readonly mark: string }>): FileMarks {
  return Object.fromEntries([...files].map(([path, { mark }]) => [path, mark]));
}

/** SHA-256 over the sorted paths with their marks. */
export function packageDigest(marks: FileMarks): string {
  const hash = createHash("sha256").update(FORMAT);
  for (const path of Object.keys(marks).sort()) hash.update(`${path}\0${marks[path]}\n`);
  return hash.digest("hex");
}

/** SHA-256 over everything that a skill tells an agent: its package without the front matter of the skill's file. */
export function instructionsDigest({ files }: Pick<PackageSnapshot, "files">): string {
  const marks = [...files].map(([path, file]): [string, string] => [
    path,
    isSkillFile(path) ? sha256Of(belowFrontMatter(file.bytes)) : file.mark,
  ]);
  return packageDigest(Object.fromEntries(marks));
}

/** The bytes after a front matter between two lines of `---`, or of more dashes; all if there is none. */
function belowFrontMatter(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const opening = /^(?:\xef\xbb\xbf)?\s*---(-*)[ \t]*\r?\n/.exec(text);
  if (opening === null) return bytes;
  const closing = opening[1] === "" ? /\n---[ \t]*(?:\r?\n|$)/g : /\n-{3,}[ \t]*(?:\r?\n|$)/g;
  closing.lastIndex = opening[0].length - 1;
  const found = closing.exec(text);
  return found === null ? bytes : bytes.subarray(found.index + found[0].length);
}

export function compareMarks(before: FileMarks, after: FileMarks): FileChanges {
  const has = (marks: FileMarks, path: string) => Object.hasOwn(marks, path);
  const now = Object.keys(after).sort();
  return {
    added: now.filter((path) => !has(before, path)),
    changed: now.filter((path) => has(before, path) && before[path] !== after[path]),
    removed: Object.keys(before)
      .sort()
      .filter((path) => !has(after, path)),
  };
}

/** A package and the files that its folder is to hold. */
export interface ReplacedPackage {
  readonly directory: string;
  /** The folder of skills that the package is in. */
  readonly root: string;
  readonly next: readonly PackageFile[];
  /** Files that an interrupted change wrote or removed. */
  readonly formerly?: readonly PackageFile[] | undefined;
}

/**
 * Makes the folders hold exactly these files, beside their sub-skills, for good. A SKILL.md changes last and goes first. What an
 * interrupted change left without a SKILL.md is removed if it is unchanged, and what it did is made to last, because it may have
 * ended before that.
 */
export async function replacePackages(files: Files, packages: readonly ReplacedPackage[]): Promise<void> {
  const pathIn = (directory: string) => (file: PackageFile) => join(directory, file.path);
  // Of two changes of one package, the later one counts.
  const last = [...new Map(packages.map((each) => [each.directory, each])).values()];
  const wanted = new Set(last.flatMap(({ directory, next }) => next.map(pathIn(directory))));
  const plans = last.map((each) => {
    const { changed, gone } = planReplacement(files, each);
    return { ...each, changed, gone: gone.filter((file) => !wanted.has(pathIn(each.directory)(file))) };
  });
  const written = plans.flatMap(({ directory, changed }) =>
    changed.map((file) => ({
      path: pathIn(directory)(file),
      bytes: file.bytes,
      mode: file.executable ? 0o755 : 0o644,
    })),
  );
  const staged = await StagedFiles.write(files, written);
  try {
    for (const { directory, changed, gone } of plans) {
      staged.rename(changed.map(pathIn(directory)).reverse());
      for (const path of gone.map(pathIn(directory))) removeFile(files, path);
    }
  } catch (error) {
    staged.drop();
    throw error;
  }
  const foldersOf = (directory: string, all: readonly PackageFile[]) =>
    new Set(all.map(({ path }) => dirname(join(directory, path))));
  await staged.syncNames(new Set(plans.flatMap(({ directory, gone }) => [...foldersOf(directory, gone)])));
  for (const { directory, root, gone, next, formerly } of plans) {
    // A change that failed may have made folders for files that it did not write.
    for (const folder of foldersOf(directory, [...gone, ...(formerly ?? [])]))
      removeEmptyFolders(files, folder, root);
    if (formerly === undefined) continue;
    for (const folder of foldersOf(directory, [...next, ...formerly]))
      for (let at = folder; at.length >= root.length; at = dirname(at)) syncFolder(files, at);
  }
}

/** What is to be written and what is to go. */
function planReplacement(files: Files, { directory, next, formerly = [] }: ReplacedPackage) {
  const before = readPackage(files, directory);
  const changed = next.filter(
    (file) => !before.some((old) => old.path === file.path && isSameFile(old, file)),
  );
  const orphans = formerly.filter((file) => isThere(files, directory, file));
  const gone = [...new Map([...before, ...orphans].map((file) => [file.path, file])).values()].filter(
    (old) => !next.some((file) => file.path === old.path),
  );
  return { changed, gone };
}

function isThere(files: Files, directory: string, file: PackageFile): boolean {
  const read = () => files.readFileSync(join(directory, file.path));
  const found = unlessMissing(read, ["ENOENT", "ENOTDIR", "EISDIR"]);
  return found !== undefined && Buffer.compare(found, file.bytes) === 0;
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
    makeFolder(dirname(path));
    writeFileSync(path, text, { flag: "wx", mode: text.startsWith("#!") ? 0o755 : 0o644 });
    written.push(path);
  }
  return written;
}
