// The front door of journal: what other rooms may use.

export { type EffectivenessProvider, effectivenessFrom } from "./effectiveness.ts";
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
  type Rating,
  recalledEvents,
  recordOutcome,
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
  SaidFilter,
  SaidRecord,
  SessionStore,
  TurnStore,
} from "./journal-store.ts";
export { exportSession, type ImportReport, importLines } from "./json-lines.ts";
export { Journal, type OutcomeReport } from "./reader.ts";
export { type Actor, type RecordUse, useRecorder } from "./recorder.ts";
export { type RelevantSkill, SessionLog, type SessionState, type SessionStep, turnStep } from "./sessions.ts";
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
} from "./tally.ts";
