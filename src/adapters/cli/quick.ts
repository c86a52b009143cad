// Owns the way into the two verbs that people wait for at every message. What it imports is what they cost to start:
// no scan, no parser, no database. Where only those could answer, the whole engine is loaded after all.

import { runHook } from "../hooks/main.ts";

export interface Ran {
  readonly exit: number;
  /** Whether a message was answered, rather than a mistake told or a help printed. */
  readonly answered: boolean;
}

export async function run(args: readonly string[]): Promise<Ran> {
  if (args[0] !== "hook") return runRecall(args);
  const { misuse, answered } = await runHook(args.slice(1));
  if (misuse !== undefined) process.stderr.write(misuse);
  return { exit: 0, answered };
}

/** A hook's words need no grammar, and it does not pay for one. */
async function runRecall(args: readonly string[]): Promise<Ran> {
  const [{ run: runProgram }, { registerRecall }, { quickStreams }] = await Promise.all([
    import("./program.ts"),
    import("./commands/recall.ts"),
    import("./io.ts"),
  ]);
  const exit = await runProgram(args, quickStreams(), { commands: [registerRecall] });
  return { exit, answered: exit === 0 };
}
