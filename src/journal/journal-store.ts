// The ports that keep what happened: the journal of events, the sessions, and the conversation.

import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";
import type { EventKind, JournalEvent, NewEvent } from "./events.ts";
import type { SessionState, SessionStep } from "./session.ts";
import type { Tally, TallyBook } from "./tally.ts";

/** Which events are meant; every given condition must hold. */
export interface EventFilter {
  readonly skill?: SkillName;
  readonly digest?: string;
  readonly session?: string;
  readonly turn?: number;
  readonly kinds?: readonly EventKind[];
  /** Milliseconds, inclusive. */
  readonly since?: number;
  /** Milliseconds, exclusive. */
  readonly until?: number;
  readonly afterSeq?: number;
}

export interface EventQuery extends EventFilter {
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** One week of one skill, all its versions together. */
export interface WeekCount {
  /** When the week began (Monday, UTC), in milliseconds. */
  readonly week: number;
  readonly recalled: number;
  readonly shown: number;
  readonly activated: number;
  readonly successes: number;
  readonly failures: number;
}

/** That a session used a skill. */
export interface EpisodeLink {
  readonly session: string;
  readonly skill: SkillName;
  readonly digest: string;
  readonly times: number;
  readonly lastAt: number;
}

/** Two skills that sessions used together, in alphabetical order. */
export interface CoUse {
  readonly a: SkillName;
  readonly b: SkillName;
  readonly sessions: number;
}

export interface JournalStore {
  /**
   * Adds the events in order, all or none. An outcome without a skill is kept once for each skill activated in its
   * turn; an outcome for the same skill and turn overrules the earlier one in every count. Returns what was kept.
   */
  append(events: readonly NewEvent[]): Awaitable<readonly JournalEvent[]>;
  query(query: EventQuery): Awaitable<readonly JournalEvent[]>;
  count(filter: EventFilter): Awaitable<number>;
  /** Accounts per skill version, of one skill or of all. Kept up to date by `append`, so reading costs no scan. */
  tallies(name?: SkillName): Awaitable<readonly Tally[]>;
  /** The same for recall, at a price that grows with nothing. Answers from what is known at the time of the call. */
  tallyBook(): Awaitable<TallyBook>;
  weeks(name: SkillName, since?: number): Awaitable<readonly WeekCount[]>;
  episodes(filter: {
    readonly session?: string;
    readonly skill?: SkillName;
    readonly since?: number;
  }): Awaitable<readonly EpisodeLink[]>;
  /** Most sessions first; with `skill`, only pairs that hold it. */
  coUsed(filter: {
    readonly skill?: SkillName;
    readonly since?: number;
    readonly limit: number;
  }): Awaitable<readonly CoUse[]>;
}

export interface SessionStore {
  /** A session that never was is empty, not an error. */
  read(id: string): Awaitable<SessionState>;
  /** Starts a turn. `first` is false when this `key` had started one already, here or in another process. */
  begin(
    id: string,
    turn: { readonly key: string; readonly message: string },
  ): Awaitable<{ readonly first: boolean; readonly state: SessionState }>;
  /** Marks skills as shown and returns those that nobody had shown before: each name goes to one caller only. */
  claim(id: string, names: readonly SkillName[]): Awaitable<readonly SkillName[]>;
  add(id: string, step: Exclude<SessionStep, { step: "turn" }>): Awaitable<void>;
  list(): Awaitable<readonly string[]>;
  remove(id: string): Awaitable<void>;
}

export interface SaidRecord {
  readonly session: string;
  readonly turn: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: number;
}

export interface ConversationStore {
  append(said: SaidRecord): Awaitable<void>;
  /** In the order it was said. */
  query(filter: {
    readonly session?: string;
    readonly turn?: number;
    readonly role?: SaidRecord["role"];
    readonly since?: number;
    /** Only the first line of each session that fits the rest. */
    readonly firstOfSession?: boolean;
    readonly limit?: number;
  }): Awaitable<readonly SaidRecord[]>;
}
