// The front door of activate: consent, private copies, tasks and slash commands.

export {
  type ConsentAsker,
  type ConsentSheet,
  Consents,
  changesInWords,
  codeInWords,
  consentSheet,
  type Offer,
  scriptsOf,
  type Who,
} from "./consents.ts";
export {
  type ActivationRisk,
  ConsentGate,
  type ConsentPolicy,
  type Reading,
  WHAT_A_PERSON_CAN_DO,
} from "./gate.ts";
export type { KnowledgeDocument } from "./knowledge.ts";
export type { ActivationPayload, SubSkill } from "./payload.ts";
export { type FilePart, readTextFile } from "./payload.ts";
export { type Expansion, type SlashCommand, SlashCommands, spelledAs, typedCommand } from "./slash.ts";
export type { ConsentRecord, TaskRecord, TaskStore, TrustRecord, TrustStore } from "./task-store.ts";
export { type ActivatedSkill, type Activation, type TaskContext, type TaskReport, Tasks } from "./tasks.ts";
