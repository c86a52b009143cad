// Runs a script against its time limit, on a machine of any load.

import type { ScriptResult } from "../src/tools/script-result.ts";

/** Shortest first, so that an idle machine is not kept waiting. */
const LIMITS_MS = [500, 2_000, 8_000] as const;

/** The result of the first run that came as far as it should before it was stopped; else of the last. */
export async function stoppedAfter(
  reached: (result: ScriptResult) => boolean,
  run: (timeoutMs: number) => Promise<ScriptResult>,
): Promise<ScriptResult> {
  const [first, ...longer] = LIMITS_MS;
  let result = await run(first);
  for (const timeoutMs of longer) {
    if (reached(result)) break;
    result = await run(timeoutMs);
  }
  return result;
}
