// Owns the list of verbs, in the order in which the help shows them.

import type { Register } from "../program.ts";
import { registerActivate } from "./activate.ts";
import { registerCheck } from "./check.ts";
import { registerArchive, registerDelete } from "./delete.ts";
import { registerDoctor } from "./doctor.ts";
import { registerDream } from "./dream.ts";
import { registerEval } from "./eval.ts";
import { registerExpand } from "./expand.ts";
import { registerHistory } from "./history.ts";
import { registerHook } from "./hook.ts";
import { registerIndex } from "./index-verb.ts";
import { registerList } from "./list.ts";
import { registerMcp } from "./mcp.ts";
import { registerNew } from "./new.ts";
import { registerPin } from "./pin.ts";
import { registerPrompt } from "./prompt.ts";
import { registerProposals } from "./proposals.ts";
import { registerRecall } from "./recall.ts";
import { registerRename } from "./rename.ts";
import { registerRestore } from "./restore.ts";
import { registerRun } from "./run.ts";
import { registerSave } from "./save.ts";
import { registerServe } from "./serve.ts";
import { registerSetup } from "./setup.ts";
import { registerShow } from "./show.ts";
import { registerSources } from "./sources.ts";
import { registerStats } from "./stats.ts";
import { registerSwitch } from "./switch.ts";
import { registerTask } from "./task.ts";
import { registerTools } from "./tools.ts";
import { registerTrust } from "./trust.ts";
import { registerUndo } from "./undo.ts";

export const commands: readonly Register[] = [
  registerPrompt,
  registerRecall,
  registerList,
  registerShow,
  registerActivate,
  registerExpand,
  registerRun,
  registerTools,
  registerTrust,
  registerTask,
  registerCheck,
  registerNew,
  registerSwitch,
  registerSave,
  registerDelete,
  registerRestore,
  registerUndo,
  registerHistory,
  registerRename,
  registerPin,
  registerArchive,
  registerStats,
  registerDream,
  registerProposals,
  registerEval,
  registerIndex,
  registerMcp,
  registerServe,
  registerHook,
  registerSetup,
  registerSources,
  registerDoctor,
];
