// Cleans up after servers that crashed: ends their tasks, with the consents and copies in them, at a later start.

import type { TaskPart } from "../../engine/engine.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf } from "../../model/errors.ts";
import { processOf } from "./scopes.ts";

/** A home folder may be shared with a machine whose processes cannot be seen from here. */
const AGE_MS = 24 * 3_600_000;

export async function endLeftTasks(tasks: Pick<TaskPart, "list" | "end">, clock: Clock): Promise<void> {
  const before = clock.now().getTime() - AGE_MS;
  for (const { id, startedAt } of await tasks.list()) {
    const pid = processOf(id);
    if (pid !== undefined && startedAt < before && !isRunning(pid)) await tasks.end(id);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}
