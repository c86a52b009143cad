// The front door of engine: the one door for users, and what adapters need besides.

export { type Deferred, deferred } from "./deferred.ts";
export type { EngineEvent } from "./events.ts";
export type { FleetCallers, SharedExchange } from "./fleet-part.ts";
export type {
  CheckReport,
  IndexingOptions,
  IndexReport,
  InspectOptions,
  LibraryDiagnosis,
  LibraryPart,
} from "./library-part.ts";
export type { OpenOptions } from "./options.ts";
export { packageRoot } from "./package-root.ts";
export { openRepertoire, Repertoire } from "./repertoire.ts";
export type { CatalogSkill, FoundSkill, SearchReport } from "./search-part.ts";
export { OpenTask, type TaskOptions } from "./task.ts";
export type { TaskPart } from "./task-part.ts";
export type { TokenPart } from "./token-part.ts";
export { OpenTurn } from "./turn.ts";
export { openTurnEngine, TurnEngine } from "./turn-engine.ts";

// What adapters need of the rooms behind the engine: the types of its answers, and lists of accepted values.

export {
  type ConsentAsker,
  type ConsentSheet,
  type Consents,
  changesInWords,
  codeInWords,
  type SlashCommands,
  spelledAs,
  type TaskContext,
  typedCommand,
  WHAT_A_PERSON_CAN_DO,
} from "../activate/activate.ts";
export { budgetOf, type CatalogChoice, type Prompt, type PromptOptions } from "../disclose/disclose.ts";
export {
  isInside,
  makeFolder,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  readBounded,
  readInput,
  writeFileAtomically,
} from "../disk/disk.ts";
export {
  type DreamAccount,
  type DreamEvidence,
  type DreamResult,
  type Dreams,
  fromRecord,
  inSessions,
  isCorrection,
  PASSES,
  type Pass,
  PROPOSAL_STATES,
  type ProposalRecord,
} from "../dream/dream.ts";
export type { ExchangeReport, ExchangeWay, FollowerState } from "../fleet/fleet.ts";
export {
  CATEGORIES,
  type Finding,
  sarifLog,
  VERDICTS,
  type Verdict,
} from "../inspect/inspect.ts";
export {
  EVENT_KINDS,
  type EventKind,
  OUTCOMES,
  type Outcome,
  RATINGS,
  type Rating,
  type SaidRecord,
  type SkillStats,
  type SkillSummary,
  sparkline,
} from "../journal/journal.ts";
export {
  type ArchivedSkill,
  type Changed,
  type EnrichmentResult,
  type HistoryReport,
  TEMPLATES,
  type Template,
  VERSION_ACTIONS,
  type VersionRecord,
} from "../learn/learn.ts";
export {
  alwaysTokens,
  type InspectedPackage,
  type InspectionReport,
  type InspectionSummary,
  isWorrying,
  type LibraryChanges,
  type LibraryCost,
  listedSummary,
  matchesAny,
  type SkillReport,
  type SkillSelection,
  SORTS,
  type Sort,
  selectSkills,
  skillDetails,
  sortedBy,
  stopSlices,
} from "../library/library.ts";
export { type StreamingModel, TimeLimitError, type TokenUsage } from "../models/models.ts";
export { SPEC } from "../package/package.ts";
export {
  addCase,
  casesFrom,
  EVAL_RUNS,
  type EvalFailure,
  type EvalReport,
  type Explanation,
  type GroupFigures,
  keepRun,
  OWN_CASES,
  readCases,
  readEvalJson,
  readRuns,
  regressions,
} from "../recall/recall.ts";
export {
  roleIncludes,
  TIDY_RULES,
  type Tidied,
  TOKEN_ROLES,
  type TokenRecord,
  type TokenRole,
} from "../stores/stores.ts";
export {
  type CatalogReport,
  type ListedPackage,
  mayTakeUnasked,
  type OpenedSource,
  type PackageOffer,
  type SupplyResult,
  type VerifiedPackage,
} from "../supply/supply.ts";
export { UNSANDBOXED_FLAG } from "../tools/tools.ts";
