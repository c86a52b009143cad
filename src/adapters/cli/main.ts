// The entry of the whole command line, and the list of its verbs in the order of the help. A verb's module is loaded when the
// verb is used, so that `list` does not wait for what `dream` needs.

import { openRepertoire } from "../../engine/engine.ts";
import { type HelpGroup, nameOf, type Verb } from "./command.ts";
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
    groupOf: (verb) => NAMED.find(({ name }) => name === verb)?.group,
  });
}

type Load = () => Promise<readonly Verb[]>;

const library: Load = async () => (await import("./commands/library.ts")).LIBRARY_VERBS;
const tasks: Load = async () => (await import("./commands/tasks.ts")).TASK_VERBS;
const learned: Load = async () => (await import("./commands/learned.ts")).LEARNED_VERBS;
const journal: Load = async () => (await import("./commands/journal.ts")).JOURNAL_VERBS;
const dreams: Load = async () => (await import("./commands/dreams.ts")).DREAM_VERBS;
const supply: Load = async () => (await import("./commands/supply.ts")).SUPPLY_VERBS;
const serve: Load = async () => (await import("./commands/serve.ts")).SERVE_VERBS;
const hosts: Load = async () => (await import("./commands/hosts.ts")).HOST_VERBS;

/** The verbs by what a person wants to do, in the order of the help. */
const GROUPS: readonly (HelpGroup & { readonly verbs: readonly (readonly [names: string, load: Load])[] })[] =
  [
    {
      title: "Use skills",
      example: 'recall "fix the failing test"',
      verbs: [
        ["prompt", async () => [(await import("./commands/prompt.ts")).promptVerb]],
        ["recall", async () => [(await import("./commands/recall.ts")).recallVerb]],
        ["chat", hosts],
        ["activate expand run tools trust task", tasks],
      ],
    },
    {
      title: "Understand the library",
      example: "list --sort tokens",
      verbs: [
        ["ui", serve],
        ["list", async () => [(await import("./commands/list.ts")).listVerb]],
        ["show why what-if", library],
        ["stats", journal],
        ["check", library],
        ["inspect", async () => [(await import("./commands/inspect.ts")).inspectVerb]],
        ["sources", library],
        ["doctor", async () => [(await import("./commands/doctor.ts")).doctorVerb]],
      ],
    },
    {
      title: "Get skills from elsewhere",
      example: "add anthropics/skills",
      verbs: [
        ["search catalog", async () => (await import("./commands/catalogs.ts")).CATALOG_VERBS],
        ["add install update verify remove", supply],
        ["link export publish", async () => (await import("./commands/sharing.ts")).SHARING_VERBS],
      ],
    },
    {
      title: "Keep what works",
      example: "save plan-meeting --from notes.md",
      verbs: [
        ["new", library],
        ["save delete restore undo redo history rename pin unpin archive", learned],
        ["enable disable", library],
      ],
    },
    {
      title: "Improve it from what happened",
      example: "dream --report",
      verbs: [
        ["sessions outcome journal", journal],
        ["dream proposals", dreams],
        ["eval", async () => [(await import("./commands/eval.ts")).evalVerb]],
        ["index tidy", library],
      ],
    },
    {
      title: "Share one library",
      example: "push ./skills --dry-run",
      verbs: [["push pull sync", async () => (await import("./commands/exchange.ts")).EXCHANGE_VERBS]],
    },
    {
      title: "Connect agents",
      example: "setup claude-code --dry-run",
      verbs: [
        ["setup", async () => [(await import("./commands/setup.ts")).setupVerb]],
        ["mcp", hosts],
        ["serve", serve],
        ["token", async () => (await import("./commands/tokens.ts")).TOKEN_VERBS],
        ["hook", hosts],
        ["completion complete", async () => (await import("./commands/completion.ts")).COMPLETION_VERBS],
      ],
    },
  ];

const NAMED = GROUPS.flatMap((group) =>
  group.verbs.flatMap(([names, load]) => names.split(" ").map((name) => ({ name, load, group }))),
);

/** The verb that is used, or all if it is missing or unknown: for the help and the error message. */
export async function verbsFor(used: string | undefined): Promise<readonly Verb[]> {
  const own = NAMED.filter(({ name }) => name === used);
  return Promise.all(
    (own.length > 0 ? own : NAMED).map(
      async ({ name, load }) => (await load()).find((verb) => nameOf(verb) === name)!,
    ),
  );
}
