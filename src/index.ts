// The public promise of the package: everything here is documented and stays; nothing else is public.

export type { ConsentAsker, ConsentSheet } from "./activate/consent.ts";
export type { ActivationPayload } from "./activate/payload.ts";
export type { Tasks } from "./activate/tasks.ts";
export {
  type AgentTool,
  type AgentToolResult,
  type AgentToolsOptions,
  DEFAULT_TOOLS,
  Toolbox,
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
export type { Prompt, PromptOptions } from "./disclose/turn-prompt.ts";
export type {
  Accepted,
  Declined,
  DreamAccount,
  DreamEvidence,
  DreamPrompt,
  DreamResult,
  Dreams,
  FollowUp,
  Pass,
  PassReport,
  ProposalRecord,
  ProposalState,
  Refusal,
  RunOptions,
} from "./dream/dream.ts";
export { type OpenOptions, openRepertoire, Repertoire } from "./engine/engine.ts";
export type { Workshop } from "./engine/workshop.ts";
export { type Finding, type Inspection, inspectPackage } from "./inspect/inspect.ts";
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
  Notice,
  SaveRequest,
  SkillContent,
  Starter,
  StarterFate,
  StarterProvider,
  Template,
  VersionRecord,
} from "./learn/learn.ts";
export type { LibraryChanges } from "./library/diff.ts";
export type { Library } from "./library/precedence.ts";
export type { SkillReport } from "./library/reports.ts";
export type { Audience, LibraryView } from "./library/view.ts";
export type { Clock } from "./model/clock.ts";
export { type Diagnostic, type Severity, SKILL_FILE_CODES, type SkillFileCode } from "./model/diagnostic.ts";
export { ERROR_CODES, type ErrorCode, isRepertoireError, RepertoireError } from "./model/errors.ts";
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
export { type ParsedSkill, type Profile, parseSkill } from "./parse/parse.ts";
export type { Embedder } from "./recall/embedder.ts";
export { type EvalReport, evaluate, readCases } from "./recall/evaluation.ts";
export type { Recalled } from "./recall/recall-skills.ts";
export type { RecallAnswer, RecallRequest } from "./recall/session-recall.ts";
export type { Explanation } from "./recall/why.ts";
export { memoryStore } from "./stores/memory/store.ts";
export { type SqliteOptions, sqliteStore } from "./stores/sqlite/store.ts";
export type { Store } from "./stores/store.ts";
export type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./telemetry/port.ts";
