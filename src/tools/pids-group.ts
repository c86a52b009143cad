// Makes a control group that limits a sandbox's processes, for root, whom RLIMIT_NPROC does not limit.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { SCRIPT_LIMITS } from "./limits.ts";

interface PidsGroup {
  /** A process joins by writing its id here. */
  readonly procs: string;
  /** Call it after its processes have been killed. */
  remove(): Promise<void>;
}

/** A group for at most `max` processes and threads; undefined if this process may not make one. */
export async function makePidsGroup(max: number, root = "/sys/fs/cgroup"): Promise<PidsGroup | undefined> {
  try {
    const parent = await parentGroup(root);
    if (parent === undefined) return undefined;
    const folder = join(parent, `repertoire-${randomUUID()}`);
    await mkdir(folder);
    await writeFile(join(folder, "pids.max"), String(max));
    return { procs: join(folder, "cgroup.procs"), remove: () => removeEmptied(folder) };
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** In version 1 our own group; in version 2 its parent, because a group with processes cannot have children. */
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

/** Removes the folder, which the kernel allows only after the last killed process has been reaped. */
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
