// The front door of engine: the one door for users, and what adapters need besides.

export { type Deferred, deferred } from "./deferred.ts";
export type { EngineEvent } from "./events.ts";
export type { LibraryPart } from "./library-part.ts";
export type { OpenOptions } from "./options.ts";
export { packageRoot } from "./package-root.ts";
export { openRepertoire, Repertoire } from "./repertoire.ts";
export { OpenTask, type TaskOptions } from "./task.ts";
export type { TaskPart } from "./task-part.ts";
export { OpenTurn } from "./turn.ts";
export { openTurnEngine, TurnEngine } from "./turn-engine.ts";

// What adapters need of the rooms behind the engine: the types of its answers, and lists of accepted values.

export {
  type ConsentAsker,
  type ConsentSheet,
  type Consents,
  changesInWords,
  type SlashCommands,
  type TaskContext,
} from "../activate/activate.ts";
export type { Prompt, PromptOptions } from "../disclose/disclose.ts";
export { type Dreams, PASSES, PROPOSAL_STATES } from "../dream/dream.ts";
export { EVENT_KINDS, type EventKind, OUTCOMES, type Outcome } from "../journal/journal.ts";
export { TEMPLATES, VERSION_ACTIONS } from "../learn/learn.ts";
export type { LibraryChanges } from "../library/library.ts";
export { casesFrom, type EvalReport, regressions } from "../recall/recall.ts";
