// The entry of the verbs that run at every message: hook, recall and prompt. They start with what this file imports: no
// scan, no parser, no database. The whole engine is loaded only if it alone can answer.

import { visibly } from "../../text/terminal.ts";
import { runHook } from "../hooks/hook.ts";
import { verbOf } from "./verb.ts";

interface Ran {
  readonly exit: number;
  /** Whether a message was answered; false after a usage error or a help text. */
  readonly answered: boolean;
}

/** `input` is a hook's standard input, if it was read already. */
export async function run(args: readonly string[], input?: string | undefined): Promise<Ran> {
  if (args[0] !== "hook") return runVerb(args);
  const { misuse, answered } = await runHook(args.slice(1), input);
  if (misuse !== undefined) process.stderr.write(visibly(misuse));
  return { exit: 0, answered };
}

/** Loads the grammar of the command line, which a hook does not need. */
async function runVerb(args: readonly string[]): Promise<Ran> {
  const [{ runProgram }, verb, { quickStreams }] = await Promise.all([
    import("./program.ts"),
    verbOf(args) === "prompt"
      ? import("./commands/prompt.ts").then(({ promptVerb }) => promptVerb)
      : import("./commands/recall.ts").then(({ recallVerb }) => recallVerb),
    import("./io.ts"),
  ]);
  const exit = await runProgram(args, await quickStreams(), { verbs: [verb] });
  return { exit, answered: exit === 0 };
}
