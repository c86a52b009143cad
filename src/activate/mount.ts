// Makes, verifies and removes a task's private copies of packages. Writes and deletes only below the task's own folder.

import { createHash, randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../disk/disk.ts";
import { codeOf, messageOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import {
  fileMark,
  isSkillFile,
  listPackage,
  type PackageSnapshot,
  packageDigest,
  readRegularFile,
  snapshotPackage,
} from "../package/package.ts";

interface MountRequest {
  readonly place: TaskFolder;
  readonly name: SkillName;
  /** What the person consented to. */
  readonly snapshot: Pick<PackageSnapshot, "root" | "digest" | "files">;
}

/** Copies the package, hashes the copy, and publishes it by rename only if it is what the person consented to. */
export function mountPackage({ place, name, snapshot }: MountRequest): string {
  const target = skillFolder(place, name);
  if (readMount(place, name)?.digest === snapshot.digest) return target;
  const staging = join(taskFolder(place), ".staging", randomUUID());
  makeFolderBelow(place, staging);
  try {
    copyInto(staging, snapshot);
    publish(place, name, staging);
  } catch (thrown) {
    if (thrown instanceof RepertoireError) throw thrown;
    // Another process of the same task was faster.
    if (readMount(place, name)?.digest === snapshot.digest) return target;
    throw new RepertoireError(
      "mount-failed",
      `The private copy of "${name}" could not be made at ${target}: ${messageOf(thrown)}. Fix this and activate it again.`,
      target,
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return target;
}

/** The copy of a skill in a task, if it exists and has not changed since it was made. */
export function verifiedMount(
  place: TaskFolder,
  name: SkillName,
  digest: string,
): PackageSnapshot | undefined {
  const found = readMount(place, name);
  return found?.digest === digest ? found : undefined;
}

function readMount(place: TaskFolder, name: SkillName): PackageSnapshot | undefined {
  const target = skillFolder(place, name);
  if (!isRealFolder(target)) return undefined;
  try {
    return snapshotPackage(target);
  } catch (thrown) {
    // A copy that cannot be read is replaced by a new one.
    if (thrown instanceof RepertoireError) return undefined;
    throw thrown;
  }
}

function copyInto(staging: string, { root, digest, files }: MountRequest["snapshot"]): void {
  const marks: Record<string, string> = Object.create(null);
  for (const [path, expected] of files) {
    const file = readRegularFile(root, expected.from);
    const mark = fileMark(file);
    if (mark !== expected.mark) throw swapped(path);
    marks[path] = mark;
    const to = join(staging, path);
    makeFolder(dirname(to), 0o700);
    writeFileSync(to, file.bytes, { flag: "wx", mode: file.executable ? 0o555 : 0o444 });
  }
  if (packageDigest(marks) !== digest) throw swapped(root);
}

function swapped(path: string): RepertoireError {
  return new RepertoireError(
    "package-changed",
    `${path} changed after it was shown and before it was copied, so nothing was activated. Find out what changed it, then activate the skill again.`,
    path,
  );
}

/** Replaces the old copy. Copies of sub-skills are below the target and move into the new copy. */
function publish(place: TaskFolder, name: SkillName, staging: string): void {
  const target = skillFolder(place, name);
  makeFolderBelow(place, dirname(target));
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) {
    renameSync(staging, target);
    return;
  }
  if (!isRealFolder(target)) throw conflict(name, target);
  const children = mountsBelow(target);
  const isMount = readdirSync(target).some(isSkillFile);
  if (!isMount && listPackage(target).entries.length > 0) throw conflict(name, target);
  for (const child of children)
    if (existsSync(join(staging, child))) throw conflict(`${name}/${child}`, target);
  for (const child of children) {
    makeFolder(dirname(join(staging, child)), 0o700);
    renameSync(join(target, child), join(staging, child));
  }
  const old = `${staging}.old`;
  renameSync(target, old);
  renameSync(staging, target);
  rmSync(old, { recursive: true, force: true });
}

/** The outermost folders below that contain a skill; folders below these move with them. */
function mountsBelow(target: string, prefix = ""): string[] {
  return readdirSync(join(target, prefix), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => {
      const path = `${prefix}${entry.name}`;
      const isMount = readdirSync(join(target, path)).some(isSkillFile);
      return isMount ? [path] : mountsBelow(target, `${path}/`);
    });
}

/** Makes the task's own folder, and fails at a link. */
export function makeTaskFolder(place: TaskFolder): void {
  makeFolderBelow(place, taskFolder(place));
}

/** Makes the folders below the task's own one by one, and fails at a link. */
function makeFolderBelow(place: TaskFolder, folder: string): void {
  const own = taskFolder(place);
  makeFolder(dirname(own), 0o700);
  const steps = folder.slice(own.length).split(/[\\/]/).filter(Boolean);
  let at = own;
  for (const step of [undefined, ...steps]) {
    at = step === undefined ? own : join(at, step);
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (thrown) {
      if (codeOf(thrown) !== "EEXIST") throw thrown;
      if (!isRealFolder(at)) throw conflict(at, at);
    }
  }
}

function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function conflict(name: string, path: string): RepertoireError {
  return new RepertoireError(
    "mount-conflict",
    `"${name}" cannot be copied to ${path}, because something else is there. End the task, or rename the folder of the other skill.`,
    path,
  );
}

export interface TaskFolder {
  /** Usually `~/.repertoire`. */
  readonly root: string;
  readonly task: string;
}

/** Ids that are safe folder names. Capitals are not where the file system ignores case, nor names of devices on Windows. */
const SAFE_ID =
  process.platform === "linux"
    ? /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/
    : /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9_](?:[a-z0-9._-]{0,126}[a-z0-9_-])?$/;
const SEGMENT = /^[a-z0-9]+(?:[.-]+[a-z0-9]+)*$/;

export function taskFolder({ root, task }: TaskFolder): string {
  return join(root, "private", folderName(task));
}

export function skillFolder(place: TaskFolder, name: SkillName): string {
  const segments = name.split("/");
  if (!segments.every((segment) => SEGMENT.test(segment))) {
    throw new RepertoireError("mount-name", `"${name}" cannot be a folder. Rename the skill.`, name);
  }
  return join(taskFolder(place), ".skills", ...segments);
}

/** The path of the copy as a model sees it: the same in every task and on every machine. */
export function logicalPath(name: SkillName): string {
  return `private:/.skills/${name}`;
}

/** Removes a task's folder and returns whether there was one; a link is removed, not followed. */
export function removeTaskFolder(place: TaskFolder): boolean {
  const folder = taskFolder(place);
  if (!lstatSync(folder, { throwIfNoEntry: false })) return false;
  rmSync(folder, { recursive: true, force: true });
  return true;
}

/** The folder's name: the id, or a hash of an id that is not safe. Safe ids never contain `~`. */
function folderName(task: string): string {
  if (SAFE_ID.test(task)) return task;
  const readable = task
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32);
  return `${readable}~${createHash("sha256").update(task).digest("hex").slice(0, 24)}`;
}
