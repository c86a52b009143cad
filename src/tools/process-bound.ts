// Owns the choice of what bounds a sandbox's processes: the kernel's own limit, a control group, or a watch.
// Does not own those mechanisms.

import { release } from "node:os";
import { watchForks } from "./fork-watch.ts";
import { makePidsGroup } from "./pids-group.ts";
import type { Run } from "./process.ts";

export interface ProcessBound {
  readonly by: "rlimit" | "cgroup" | "watch";
  /** For `ulimit`; 0 where it would not bind or would count processes that are not the sandbox's. */
  readonly ulimit: number;
  /** The command, made to start inside the bound. */
  wrap(command: readonly string[]): string[];
  readonly watch?: NonNullable<Run["watch"]>;
  release(): Promise<void>;
}

/** bubblewrap's own processes in the group: the one outside, the first one inside, and their launcher. */
const OVERHEAD = 4;

const JOIN = 'echo $$ > "$1" || exit 126; shift; exec "$@"';

export async function boundProcesses(max: number): Promise<ProcessBound> {
  const plain = { wrap: (command: readonly string[]) => [...command], release: async () => {} };
  if (kernelCountsProcesses()) return { by: "rlimit", ulimit: max, ...plain };
  const group = await makePidsGroup(max + OVERHEAD);
  if (group) {
    const wrap = (command: readonly string[]) => ["/bin/sh", "-c", JOIN, "sh", group.door, ...command];
    return { by: "cgroup", ulimit: 0, wrap, release: group.remove };
  }
  // The weakest: a storm that starves this process as well is ended only when it gets its turn.
  return { by: "watch", ulimit: 0, ...plain, watch: (pid, stop) => watchForks({ pid, max, stop }) };
}

/** RLIMIT_NPROC never binds root; since Linux 5.14 it counts per user namespace, before that per user. */
export function kernelCountsProcesses(uid = process.getuid?.(), kernel = release()): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return uid !== 0 && (major > 5 || (major === 5 && minor >= 14));
}
