// Answers a message from the index on disk if it can, and loads the whole engine only if a scan is needed.

import { type OpenOptions, openTurnEngine, type TurnEngine } from "../engine/engine.ts";
import { codeOf } from "../model/errors.ts";

/** Asks the light engine first, then, if its index is stale, the whole one; returns the one that answered, too. */
export async function answerQuickly<T>(
  options: OpenOptions,
  ask: (turns: TurnEngine) => Promise<T>,
): Promise<{ readonly answer: T; readonly turns: TurnEngine }> {
  const light = openTurnEngine(options);
  try {
    return { answer: await ask(light), turns: light };
  } catch (thrown) {
    if (codeOf(thrown) !== "index-stale") throw thrown;
  }
  const { openRepertoire } = await import("../engine/engine.ts");
  const { turns } = openRepertoire(options);
  return { answer: await ask(turns), turns };
}
