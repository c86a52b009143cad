// Owns a control group that bounds how many processes a sandbox may hold, for root, whom RLIMIT_NPROC does not bind.
// Does not own who is put into it.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { SCRIPT_LIMITS } from "./limits.ts";

export interface PidsGroup {
  /** A process joins by writing its id here. */
  readonly door: string;
  /** To be called when its processes have been killed. */
  remove(): Promise<void>;
}

/** A group for at most `max` processes and threads, or nothing where this process may not make one. */
export async function makePidsGroup(max: number, root = "/sys/fs/cgroup"): Promise<PidsGroup | undefined> {
  try {
    const parent = await parentGroup(root);
    if (parent === undefined) return undefined;
    const folder = join(parent, `repertoire-${randomUUID()}`);
    await mkdir(folder);
    await writeFile(join(folder, "pids.max"), String(max));
    return { door: join(folder, "cgroup.procs"), remove: () => removeEmptied(folder) };
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** Version 1 nests below our own group; in version 2 a group with processes has no children, so it stands beside. */
async function parentGroup(root: string): Promise<string | undefined> {
  const lines = (await readFile("/proc/self/cgroup", "utf8")).trim().split("\n");
  for (const line of lines) {
    const [, controllers = "", ...rest] = line.split(":");
    const own = rest.join(":");
    if (own.includes("..")) continue;
    if (controllers.split(",").includes("pids")) return join(root, "pids", own);
    if (controllers !== "") continue;
    const parent = join(root, own === "/" ? own : dirname(own));
    if ((await readIfThere(join(parent, "cgroup.subtree_control"))).split(/\s/).includes("pids"))
      return parent;
  }
  return undefined;
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

/** The kernel refuses until the last killed process has been buried. */
async function removeEmptied(folder: string): Promise<void> {
  for (let attempt = 0; attempt < SCRIPT_LIMITS.groupRemovals; attempt += 1) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      if (codeOf(error) !== "EBUSY") throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 * (attempt + 1)));
    }
  }
}
