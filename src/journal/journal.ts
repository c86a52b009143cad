// The front door of journal: what other rooms may use.

export {
  EVENT_KINDS,
  type EventBase,
  type EventDetails,
  type EventKind,
  eventOf,
  type JournalEvent,
  type NewEvent,
  OUTCOMES,
  type Outcome,
  RATINGS,
  type Rating,
  recalledEvents,
  shownEvents,
  toEvent,
  USE_KINDS,
} from "./events.ts";
export type {
  ConversationStore,
  CoUse,
  CoUseFilter,
  EpisodeFilter,
  EpisodeLink,
  EventFilter,
  EventQuery,
  JournalStore,
  RememberedStore,
  SaidFilter,
  SaidRecord,
  SessionFilter,
  SessionStore,
  TurnStore,
} from "./journal-store.ts";
export { exportSession, type ImportReport, importLines } from "./json-lines.ts";
export {
  type Actor,
  type Correction,
  Journal,
  type LearnedFromUse,
  type LearnedMessage,
  type ListedSession,
  type OutcomeReport,
  type RecordUse,
  useRecorder,
} from "./reader.ts";
export type { Rival, SkillRecall, SkillRecalls } from "./recalls.ts";
export {
  NOTHING_REMEMBERED,
  packRemembered,
  REMEMBERED,
  RememberedBook,
  type RememberedMessage,
  type SimilarMessage,
  strongest,
  turnKey,
  USE_WEIGHT,
  weightNow,
  withRemembered,
} from "./remembered.ts";
export {
  type RelevantSkill,
  SessionLog,
  type SessionState,
  type SessionStep,
  type SessionSummary,
  turnStep,
  usesOf,
} from "./sessions.ts";
export {
  libraryStats,
  type SkillStats,
  type SkillSummary,
  skillStats,
  sparkline,
  type VersionStats,
} from "./stats.ts";
export {
  type EarlierOutcome,
  type EffectivenessProvider,
  effectivenessFrom,
  emptyTally,
  HALF_LIFE_MS,
  isOpenOutcome,
  isUse,
  mayOverrule,
  outcomeForEach,
  type Tally,
  type TallyBook,
  tallied,
  tallyKey,
  type WeekCount,
  weekChanges,
  withoutOutcome,
} from "./tally.ts";
export { withUsageFiles } from "./usage-files.ts";
