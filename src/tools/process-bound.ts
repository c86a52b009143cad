// Chooses how a sandbox's number of processes is limited: by the kernel's own limit, a control group, or a watch.

import { release } from "node:os";
import { watchForks } from "./fork-watch.ts";
import { makePidsGroup } from "./pids-group.ts";
import type { Run } from "./process.ts";

export interface ProcessBound {
  readonly by: "rlimit" | "cgroup" | "watch";
  /** The value for `ulimit`; 0 if it would not apply or would count processes outside the sandbox. */
  readonly ulimit: number;
  /** The command that starts `command` within the limit. */
  wrap(command: readonly string[]): string[];
  readonly watch?: Run["watch"];
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
