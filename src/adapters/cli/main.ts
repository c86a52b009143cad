// The entry of the whole command line, and the list of its verbs in the order of the help. A verb's module is loaded when the
// verb is used, so that `list` does not wait for what `dream` needs.

import { openRepertoire } from "../../engine/engine.ts";
import type { Verb } from "./command.ts";
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
  return runProgram(args, streams, {
    verbs: await verbsFor(verbOf(args)),
    allVerbs: () => verbsFor(undefined),
    open: openRepertoire,
  });
}

type Load = () => Promise<readonly Verb[]>;

const library: Load = async () => (await import("./commands/library.ts")).LIBRARY_VERBS;
const tasks: Load = async () => (await import("./commands/tasks.ts")).TASK_VERBS;
const learned: Load = async () => (await import("./commands/learned.ts")).LEARNED_VERBS;
const journal: Load = async () => (await import("./commands/journal.ts")).JOURNAL_VERBS;
const dreams: Load = async () => (await import("./commands/dreams.ts")).DREAM_VERBS;
const supply: Load = async () => (await import("./commands/supply.ts")).SUPPLY_VERBS;
const hosts: Load = async () => (await import("./commands/hosts.ts")).HOST_VERBS;

const VERBS: readonly (readonly [names: string, load: Load])[] = [
  ["prompt", async () => [(await import("./commands/prompt.ts")).promptVerb]],
  ["chat", hosts],
  ["recall", async () => [(await import("./commands/recall.ts")).recallVerb]],
  ["why list show", library],
  ["activate expand run tools trust task", tasks],
  ["inspect", async () => [(await import("./commands/inspect.ts")).inspectVerb]],
  ["add install update verify remove", supply],
  ["search catalog", async () => (await import("./commands/catalogs.ts")).CATALOG_VERBS],
  ["link export publish", async () => (await import("./commands/sharing.ts")).SHARING_VERBS],
  ["check new enable disable", library],
  ["save delete restore undo history rename pin unpin archive", learned],
  ["stats sessions outcome journal", journal],
  ["dream proposals eval", dreams],
  ["index", library],
  ["mcp serve hook", hosts],
  ["setup", async () => [(await import("./commands/setup.ts")).setupVerb]],
  ["sources doctor", library],
  ["completion complete", async () => (await import("./commands/completion.ts")).COMPLETION_VERBS],
];

/** The verb that is used, or all if it is missing or unknown: for the help and the error message. */
export async function verbsFor(used: string | undefined): Promise<readonly Verb[]> {
  const named = VERBS.flatMap(([names, load]) => names.split(" ").map((name) => ({ name, load })));
  const own = named.filter(({ name }) => name === used);
  return Promise.all(
    (own.length > 0 ? own : named).map(
      async ({ name, load }) => (await load()).find(({ use }) => use.split(" ", 1)[0] === name)!,
    ),
  );
}
