// Owns opening the tasks of a person's machine for the verbs that work in one. Does not own what they do.

import type { Tasks } from "../../activate/activate.ts";
import type { Repertoire } from "../../engine/engine.ts";

/** The task of the command line, which lasts until `repertoire task end cli`. */
export const CLI_TASK = "cli";
export const TASK_OPTION = ["--task <id>", `the task that it belongs to (default: "${CLI_TASK}")`] as const;

/** Lets the work use the tasks, and closes their store afterwards. */
export async function withTasks<T>(engine: Repertoire, work: (tasks: Tasks) => Promise<T>): Promise<T> {
  try {
    return await work((await engine.workshop()).tasks);
  } finally {
    await engine.close();
  }
}
