// Owns the list of verbs, in the order in which the help shows them.

import type { Register } from "../program.ts";
import { registerCheck } from "./check.ts";
import { registerDoctor } from "./doctor.ts";
import { registerEval } from "./eval.ts";
import { registerIndex } from "./index-verb.ts";
import { registerList } from "./list.ts";
import { registerNew } from "./new.ts";
import { registerPrompt } from "./prompt.ts";
import { registerRecall } from "./recall.ts";
import { registerShow } from "./show.ts";
import { registerSources } from "./sources.ts";
import { registerSwitch } from "./switch.ts";

export const commands: readonly Register[] = [
  registerPrompt,
  registerRecall,
  registerList,
  registerShow,
  registerCheck,
  registerNew,
  registerSwitch,
  registerEval,
  registerIndex,
  registerSources,
  registerDoctor,
];
