// Owns opening the tasks of a person's machine for the verbs that work in one. Does not own what they do.

import type { Repertoire, Workshop } from "../../engine/engine.ts";

/** The task of the command line, which lasts until `repertoire task end cli`. */
export const CLI_TASK = "cli";
export const TASK_OPTION = ["--task <id>", `the task that it belongs to (default: "${CLI_TASK}")`] as const;

/** Lets the work use the tasks, and closes their store afterwards. */
export async function withTasks<T>(engine: Repertoire, work: (workshop: Workshop) => Promise<T>): Promise<T> {
  try {
    return await work(await engine.workshop());
  } finally {
    await engine.close();
  }
}
