// The paths of a task's private folder, and its removal.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";

export interface TaskFolder {
  /** Usually `~/.repertoire`. */
  readonly root: string;
  readonly task: string;
}

/** Ids that are safe folder names on every file system. Capitals are not, because some file systems ignore case. */
const PLAIN_ID = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/;
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
  if (!existsSync(folder) && !lstatSync(folder, { throwIfNoEntry: false })) return false;
  rmSync(folder, { recursive: true, force: true });
  return true;
}

/** The folder's name: the id, or a hash of an id that is not safe. Safe ids never contain `~`. */
function folderName(task: string): string {
  if (PLAIN_ID.test(task)) return task;
  const readable = task
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 32);
  return `${readable}~${createHash("sha256").update(task).digest("hex").slice(0, 24)}`;
}
