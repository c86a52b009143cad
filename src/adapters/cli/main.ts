// Owns the way into the whole command line: every verb, and the engine behind them.

import { openRepertoire } from "../../engine/engine.ts";
import { commandsFor } from "./commands/commands.ts";
import { processStreams } from "./io.ts";
import { type Program, run } from "./program.ts";
import { verbOf } from "./verb.ts";

export async function main(args: readonly string[]): Promise<void> {
  // The AI SDK would print its warnings to standard output, among the answers.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  process.exitCode = await run(args, processStreams());
}

export async function wholeProgram(args: readonly string[]): Promise<Program> {
  return { commands: await commandsFor(verbOf(args)), open: openRepertoire };
}
