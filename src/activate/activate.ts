// The front door of activate: consent, private copies, tasks and slash commands.

export {
  type ActivationRisk,
  type ConsentAsker,
  type ConsentPolicy,
  type ConsentSheet,
  type ConsentSubject,
  Consents,
  changesInWords,
  codeInWords,
  type Offer,
  ruleFits,
  type SheetFinding,
  scriptsOf,
  type Who,
} from "./consents.ts";
export type { KnowledgeDocument } from "./knowledge.ts";
export type { ActivationPayload, SubSkill } from "./payload.ts";
export { type FilePart, readTextFile } from "./payload.ts";
export { type Expansion, type SlashCommand, SlashCommands, typedCommand } from "./slash.ts";
export type { ConsentRecord, TaskRecord, TaskStore, TrustRecord, TrustStore } from "./task-store.ts";
export { type ActivatedSkill, type Activation, type TaskContext, type TaskReport, Tasks } from "./tasks.ts";
