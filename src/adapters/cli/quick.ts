// The way into the verbs that people wait for at every message: hook, recall and prompt. What it imports is what they
// cost to start: no scan, no parser, no database. If only those can answer, the whole engine is loaded after all.

import { runHook } from "../hooks/main.ts";
import { verbOf } from "./verb.ts";

export interface Ran {
  readonly exit: number;
  /** Whether a message was answered, rather than a mistake told or a help printed. */
  readonly answered: boolean;
}

export async function run(args: readonly string[]): Promise<Ran> {
  if (args[0] !== "hook") return runVerb(args);
  const { misuse, answered } = await runHook(args.slice(1));
  if (misuse !== undefined) process.stderr.write(misuse);
  return { exit: 0, answered };
}

/** A hook's words need no grammar, and it does not pay for one. */
async function runVerb(args: readonly string[]): Promise<Ran> {
  const [{ run: runProgram }, register, { quickStreams }] = await Promise.all([
    import("./program.ts"),
    verbOf(args) === "prompt"
      ? import("./commands/prompt.ts").then(({ registerPrompt }) => registerPrompt)
      : import("./commands/recall.ts").then(({ registerRecall }) => registerRecall),
    import("./io.ts"),
  ]);
  const exit = await runProgram(args, quickStreams(), { commands: [register] });
  return { exit, answered: exit === 0 };
}
