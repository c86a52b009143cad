// The front door of journal: what other rooms may use.

export { type EffectivenessProvider, effectivenessFrom } from "./effectiveness.ts";
export {
  EVENT_KINDS,
  type EventDetails,
  type EventKind,
  type JournalEvent,
  type NewEvent,
  OUTCOMES,
  type Outcome,
  type Rating,
  toEvent,
  USE_KINDS,
} from "./events.ts";
export type {
  ConversationStore,
  CoUse,
  EpisodeLink,
  EventFilter,
  EventQuery,
  JournalStore,
  SaidRecord,
  SessionStore,
  WeekCount,
} from "./journal-store.ts";
export { exportSession, importLines } from "./json-lines.ts";
export { type Actor, type RecordUse, useRecorder } from "./recorder.ts";
export type { SessionState, SessionStep } from "./session.ts";
export { accountOf, RunningAccount, type SessionAccount, turnStep } from "./session-log.ts";
export { libraryStats, type SkillStats, skillStats } from "./stats.ts";
export { sparkline } from "./stats-sparkline.ts";
export {
  type EarlierOutcome,
  emptyTally,
  HALF_LIFE_MS,
  type Tally,
  type TallyBook,
  tallied,
  tallyKey,
} from "./tally.ts";
export { eventOf, recalledEvents, recordOutcome, shownEvents } from "./turn-events.ts";
export { turnKey } from "./turn-key.ts";
export { remember } from "./working-memory.ts";
