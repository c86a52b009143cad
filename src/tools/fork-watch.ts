// Counts a sandbox's processes from outside and stops it at a limit, if neither the kernel nor a control group can.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { codeOf } from "../model/errors.ts";
import { SCRIPT_LIMITS } from "./limits.ts";

/** Calls `stop` once the pid namespace below `pid` has more than `max` processes. Returns a function that ends the watch. */
export function watchForks(options: {
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
  }, SCRIPT_LIMITS.forkWatchMs);
  return () => clearInterval(timer);
}

function processIds(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function namespaceBelow(pid: number): string | undefined {
  const child = unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
  return child ? namespaceOf(child) : undefined;
}

function namespaceOf(pid: string): string | undefined {
  return unlessGone(() => readlinkSync(`/proc/${pid}/ns/pid`));
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(codeOf(error))) return undefined;
    throw error;
  }
}
