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
