// The list of verbs, in the order in which the help shows them. A verb's module is loaded when the verb is used, so that
// `list` does not wait for what `dream` needs.

import type { Verb } from "../command.ts";

type Load = () => Promise<readonly Verb[]>;

const library: Load = async () => (await import("./library.ts")).LIBRARY_VERBS;
const tasks: Load = async () => (await import("./tasks.ts")).TASK_VERBS;
const learned: Load = async () => (await import("./learned.ts")).LEARNED_VERBS;
const journal: Load = async () => (await import("./journal.ts")).JOURNAL_VERBS;
const dreams: Load = async () => (await import("./dreams.ts")).DREAM_VERBS;
const hosts: Load = async () => (await import("./hosts.ts")).HOST_VERBS;

const VERBS: readonly (readonly [names: string, load: Load])[] = [
  ["prompt", async () => [(await import("./prompt.ts")).promptVerb]],
  ["chat", hosts],
  ["recall", async () => [(await import("./recall.ts")).recallVerb]],
  ["why list show", library],
  ["activate expand run tools trust task", tasks],
  ["check new enable disable", library],
  ["save delete restore undo history rename pin unpin archive", learned],
  ["stats journal", journal],
  ["dream proposals eval", dreams],
  ["index", library],
  ["mcp serve hook", hosts],
  ["setup", async () => [(await import("./setup.ts")).setupVerb]],
  ["sources doctor", library],
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
