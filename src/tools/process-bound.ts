// Chooses how a sandbox's number of processes is limited: by the kernel's own limit, a control group, or a watch.

import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { unlessMissing } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import type { Launch } from "./process.ts";

interface ProcessBound {
  readonly by: "rlimit" | "cgroup" | "watch";
  /** The value for `ulimit`; 0 if it would not apply or would count processes outside the sandbox. */
  readonly ulimit: number;
  /** The command that starts `command` within the limit. */
  wrap(command: readonly string[]): string[];
  readonly watch?: Launch["watch"];
  release(): Promise<void>;
}

/** bubblewrap's own processes in the group: one outside, the first one inside, and their launcher. */
const OVERHEAD = 4;

const JOIN = 'echo $$ > "$1" || exit 126; shift; exec "$@"';

/** Chooses the strongest limit that works here. */
export async function boundProcesses(max: number): Promise<ProcessBound> {
  const plain = { wrap: (command: readonly string[]) => [...command], release: async () => {} };
  if (kernelCountsProcesses()) return { by: "rlimit", ulimit: max, ...plain };
  const group = await makePidsGroup(max + OVERHEAD);
  if (group) {
    const wrap = (command: readonly string[]) => ["/bin/sh", "-c", JOIN, "sh", group.procs, ...command];
    return { by: "cgroup", ulimit: 0, wrap, release: group.remove };
  }
  // The weakest: many processes may slow this process down before it can stop them.
  return { by: "watch", ulimit: 0, ...plain, watch: (pid, stop) => watchForks({ pid, max, stop }) };
}

/** Whether RLIMIT_NPROC works: it never limits root; since Linux 5.14 it counts per user namespace, before per user. */
export function kernelCountsProcesses(uid = process.getuid?.(), kernel = release()): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return uid !== 0 && (major > 5 || (major === 5 && minor >= 14));
}

/** Calls `stop` once the pid namespace below `pid` has more than `max` processes. Returns a function that ends the watch. */
function watchForks(options: {
  readonly pid: number;
  readonly max: number;
  readonly stop: () => void;
}): () => void {
  const { pid, max, stop } = options;
  const before = processIds().length;
  const timer = setInterval(() => {
    const now = processIds();
    // The cheap check first: namespaces are read only if the machine has that many more processes.
    if (now.length - before <= max) return;
    const namespace = namespaceBelow(pid);
    if (namespace === undefined) return;
    if (now.filter((id) => namespaceOf(id) === namespace).length <= max) return;
    clearInterval(timer);
    stop();
  }, SCRIPT_LIMITS.forkWatchMs).unref();
  return () => clearInterval(timer);
}

function processIds(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function namespaceBelow(pid: number): string | undefined {
  const read = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  const child = unlessMissing(read, GONE)?.split(" ")[0];
  return child ? namespaceOf(child) : undefined;
}

function namespaceOf(pid: string): string | undefined {
  return unlessMissing(() => readlinkSync(`/proc/${pid}/ns/pid`), GONE);
}

/** Errors about a process that has ended, or that is not ours. */
const GONE = ["ENOENT", "ESRCH", "EACCES", "EPERM"];

/**
 * A group for at most `max` processes and threads; undefined if this process may not make one. A process joins by
 * writing its id to `procs`. Call `remove` after its processes have been killed.
 */
async function makePidsGroup(max: number, root = "/sys/fs/cgroup") {
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
    const read = () => readFileSync(join(parent, "cgroup.subtree_control"), "utf8");
    if (unlessMissing(read)?.split(/\s/).includes("pids")) return parent;
  }
  return undefined;
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
