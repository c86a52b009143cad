// The entry of the whole command line: every verb, and the engine behind them.

import { openRepertoire } from "../../engine/engine.ts";
import { commandsFor } from "./commands/commands.ts";
import { processStreams, type Streams } from "./io.ts";
import { runProgram } from "./program.ts";
import { verbOf } from "./verb.ts";

export async function main(args: readonly string[]): Promise<void> {
  // The AI SDK would print its warnings to standard output, among the answers.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  process.exitCode = await run(args, await processStreams());
}

/** Runs one command line with every verb, and returns its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  return runProgram(args, streams, { commands: await commandsFor(verbOf(args)), open: openRepertoire });
}
