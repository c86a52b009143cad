// The public entry of the package: everything here is documented and stays; nothing else is public.

export type {
  Activation,
  ActivationPayload,
  ConsentAsker,
  ConsentSheet,
  Consents,
  Expansion,
  FilePart,
  SheetFinding,
  SlashCommand,
  SlashCommands,
  TaskContext,
  TaskReport,
} from "./activate/activate.ts";
export {
  type AgentTool,
  type AgentToolResult,
  type AgentToolsOptions,
  DEFAULT_TOOLS,
  type Toolbox,
  type ToolChoice,
  type ToolEffect,
} from "./agent/agent.ts";
export {
  CONFIG_FILE,
  type Config,
  type ConfigInput,
  type ConfigValues,
  loadConfig,
} from "./config/config.ts";
export type { MemoryItem, Prompt, PromptOptions } from "./disclose/disclose.ts";
export type {
  Accepted,
  DreamAccount,
  DreamEvidence,
  DreamPrompt,
  DreamResult,
  Dreams,
  FollowUp,
  ProposalRecord,
  ProposalState,
  RunOptions,
} from "./dream/dream.ts";
export {
  type Deferred,
  type EngineEvent,
  type LibraryDiagnosis,
  type LibraryPart,
  type OpenOptions,
  type OpenTask,
  type OpenTurn,
  openRepertoire,
  type Repertoire,
  type TaskOptions,
  type TaskPart,
} from "./engine/engine.ts";
export { type Finding, type Inspection, inspectPackage } from "./inspect/inspect.ts";
export type {
  Actor,
  Journal,
  JournalEvent,
  Outcome,
  OutcomeReport,
  SessionState,
} from "./journal/journal.ts";
export type {
  Attribution,
  Changed,
  CreatedSkill,
  CreateOptions,
  HistoryOptions,
  HistoryReport,
  LanguageModel,
  LearnedSkills,
  LearnedStep,
  ModelAnswer,
  ModelRequest,
  Notice,
  SaveRequest,
  SkillContent,
  Starter,
  StarterFate,
  StarterProvider,
  VersionRecord,
} from "./learn/learn.ts";
export type {
  Audience,
  Library,
  LibraryChanges,
  LibraryView,
  SkillReport,
  SourceReport,
} from "./library/library.ts";
export type { Awaitable } from "./model/awaitable.ts";
export type { Clock } from "./model/clock.ts";
export { type Diagnostic, type Severity, SKILL_FILE_CODES, type SkillFileCode } from "./model/diagnostic.ts";
export {
  ERROR_CODES,
  type ErrorCode,
  isRepertoireError,
  RepertoireError,
} from "./model/errors.ts";
export { FRAMES, type Frame } from "./model/frame.ts";
export { type NameResult, type SkillName, toSkillName } from "./model/name.ts";
export type { ListedSkill, Requirements, Skill, SkillManifest, SkillState, Triggers } from "./model/skill.ts";
export type { ExtraSource, Source } from "./model/source.ts";
export {
  type Budget,
  type Match,
  type Reason,
  type Section,
  STYLES,
  type Style,
  type Turn,
} from "./model/turn.ts";
export {
  type ParsedSkill,
  type ParseOptions,
  type ParseResult,
  type Profile,
  parseSkill,
} from "./parse/parse.ts";
export {
  type Embedder,
  type EvalCase,
  type EvalOptions,
  type EvalReport,
  type Explanation,
  type RecallAnswer,
  type RecallRequest,
  readCases,
} from "./recall/recall.ts";
export { memoryStore, type SqliteOptions, type Store, sqliteStore } from "./stores/stores.ts";
export type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./telemetry/telemetry.ts";
export type {
  Isolation,
  RegisteredTool,
  ScriptCall,
  ScriptErrorCode,
  ScriptResult,
  ToolCallResult,
  ToolErrorCode,
} from "./tools/tools.ts";
