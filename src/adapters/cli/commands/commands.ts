// The list of verbs, in the order in which the help shows them. A verb's module is loaded when the verb is used, so that
// `list` does not wait for what `dream` needs.

import type { Register } from "../command.ts";

interface Verbs {
  readonly names: readonly string[];
  readonly load: () => Promise<Register>;
}

const VERBS: readonly Verbs[] = [
  { names: ["prompt"], load: async () => (await import("./prompt.ts")).registerPrompt },
  { names: ["chat"], load: async () => (await import("./chat.ts")).registerChat },
  { names: ["recall"], load: async () => (await import("./recall.ts")).registerRecall },
  { names: ["why"], load: async () => (await import("./why.ts")).registerWhy },
  { names: ["list"], load: async () => (await import("./list.ts")).registerList },
  { names: ["show"], load: async () => (await import("./show.ts")).registerShow },
  { names: ["activate"], load: async () => (await import("./activate.ts")).registerActivate },
  { names: ["expand"], load: async () => (await import("./expand.ts")).registerExpand },
  { names: ["run"], load: async () => (await import("./run.ts")).registerRun },
  { names: ["tools"], load: async () => (await import("./tools.ts")).registerTools },
  { names: ["trust"], load: async () => (await import("./trust.ts")).registerTrust },
  { names: ["task"], load: async () => (await import("./task.ts")).registerTask },
  { names: ["check"], load: async () => (await import("./check.ts")).registerCheck },
  { names: ["new"], load: async () => (await import("./new.ts")).registerNew },
  { names: ["enable", "disable"], load: async () => (await import("./switch.ts")).registerSwitch },
  { names: ["save"], load: async () => (await import("./save.ts")).registerSave },
  { names: ["delete"], load: async () => (await import("./delete.ts")).registerDelete },
  { names: ["restore"], load: async () => (await import("./restore.ts")).registerRestore },
  { names: ["undo"], load: async () => (await import("./undo.ts")).registerUndo },
  { names: ["history"], load: async () => (await import("./history.ts")).registerHistory },
  { names: ["rename"], load: async () => (await import("./rename.ts")).registerRename },
  { names: ["pin", "unpin"], load: async () => (await import("./pin.ts")).registerPin },
  { names: ["archive"], load: async () => (await import("./delete.ts")).registerArchive },
  { names: ["stats"], load: async () => (await import("./stats.ts")).registerStats },
  { names: ["journal"], load: async () => (await import("./journal.ts")).registerJournal },
  { names: ["dream"], load: async () => (await import("./dream.ts")).registerDream },
  { names: ["proposals"], load: async () => (await import("./proposals.ts")).registerProposals },
  { names: ["eval"], load: async () => (await import("./eval.ts")).registerEval },
  { names: ["index"], load: async () => (await import("./index-verb.ts")).registerIndex },
  { names: ["mcp"], load: async () => (await import("./mcp.ts")).registerMcp },
  { names: ["serve"], load: async () => (await import("./serve.ts")).registerServe },
  { names: ["hook"], load: async () => (await import("./hook.ts")).registerHook },
  { names: ["setup"], load: async () => (await import("./setup.ts")).registerSetup },
  { names: ["sources"], load: async () => (await import("./sources.ts")).registerSources },
  { names: ["doctor"], load: async () => (await import("./doctor.ts")).registerDoctor },
];

/** The verb that is used, or all if it is missing or unknown: for the help and the error message. */
export async function commandsFor(verb: string | undefined): Promise<readonly Register[]> {
  const used = VERBS.filter(({ names }) => verb !== undefined && names.includes(verb));
  return Promise.all((used.length > 0 ? used : VERBS).map(({ load }) => load()));
}
