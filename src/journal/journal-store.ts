// The ports that keep what happened: the journal of events, the sessions, the conversation, and what a turn needs of them.

import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";
import type { EventKind, JournalEvent, NewEvent } from "./events.ts";
import type { RememberedBook, RememberedMessage } from "./remembered.ts";
import type { SessionState, SessionStep, SessionSummary } from "./sessions.ts";
import type { Tally, TallyBook, WeekCount } from "./tally.ts";

/** Which events are meant; every given condition must hold. */
export interface EventFilter {
  readonly skill?: SkillName | undefined;
  readonly digest?: string | undefined;
  readonly session?: string | undefined;
  readonly turn?: number | undefined;
  readonly kinds?: readonly EventKind[] | undefined;
  /** Milliseconds, inclusive. */
  readonly since?: number | undefined;
  /** Milliseconds, exclusive. */
  readonly until?: number | undefined;
  readonly afterSeq?: number | undefined;
}

export interface EventQuery extends EventFilter {
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** That a session used a skill. */
export interface EpisodeLink {
  readonly session: string;
  readonly skill: SkillName;
  readonly digest: string;
  readonly times: number;
  readonly lastAt: number;
}

export interface EpisodeFilter {
  readonly session?: string | undefined;
  readonly skill?: SkillName | undefined;
  readonly since?: number | undefined;
}

/** Two skills that sessions used together, in alphabetical order. */
export interface CoUse {
  readonly a: SkillName;
  readonly b: SkillName;
  readonly sessions: number;
}

export interface CoUseFilter {
  readonly skill?: SkillName | undefined;
  readonly since?: number | undefined;
  readonly limit: number;
}

export interface SessionFilter {
  /** Only sessions in which something happened since then. */
  readonly since?: number | undefined;
  readonly limit: number;
}

export interface JournalStore {
  /**
   * Adds the events in order, all or none. An outcome without a skill is kept once for each skill activated in its
   * turn; an outcome for the same skill and turn overrules the earlier one in every count. Returns what was kept.
   */
  append(events: readonly NewEvent[]): Awaitable<readonly JournalEvent[]>;
  query(query: EventQuery): Awaitable<readonly JournalEvent[]>;
  /** Tallies per skill version, of one skill or of all. Kept up to date by `append`, so reading costs no scan. */
  tallies(name?: SkillName): Awaitable<readonly Tally[]>;
  /** The sessions, the latest first. */
  sessions(filter: SessionFilter): Awaitable<readonly SessionSummary[]>;
  weeks(name: SkillName, since?: number): Awaitable<readonly WeekCount[]>;
  episodes(filter: EpisodeFilter): Awaitable<readonly EpisodeLink[]>;
  /** Most sessions first; with `skill`, only pairs that contain it. */
  coUsed(filter: CoUseFilter): Awaitable<readonly CoUse[]>;
}

export interface SessionStore {
  /** The state of an unknown session is empty. */
  read(id: string): Awaitable<SessionState>;
  /** Starts a turn. `first` is false when this `key` had started one already, here or in another process. */
  begin(
    id: string,
    turn: { readonly key: string; readonly message: string },
  ): Awaitable<{ readonly first: boolean; readonly state: SessionState }>;
  /** Marks skills as shown. `fresh` are those that nobody had shown before: each name goes to one caller only. */
  markShown(
    id: string,
    names: readonly SkillName[],
  ): Awaitable<{ readonly fresh: readonly SkillName[]; readonly state: SessionState }>;
  add(id: string, step: Exclude<SessionStep, { step: "turn" | "shown" }>): Awaitable<void>;
}

export interface SaidRecord {
  readonly session: string;
  readonly turn: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: number;
}

export interface SaidFilter {
  readonly session?: string | undefined;
  readonly role?: SaidRecord["role"] | undefined;
  readonly since?: number | undefined;
  /** Not included. */
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ConversationStore {
  append(said: SaidRecord): Awaitable<void>;
  /** In the order it was said. */
  query(filter: SaidFilter): Awaitable<readonly SaidRecord[]>;
}

export interface RememberedStore {
  /** Adds messages, each by the rules of `withRemembered`. The weakest are dropped beyond the limits of `REMEMBERED`. */
  add(messages: readonly RememberedMessage[]): Awaitable<void>;
  /** The messages of one skill, under its name of today, or of all; oldest first. */
  list(skill?: SkillName): Awaitable<readonly RememberedMessage[]>;
  /** Removes the messages of one skill, or all, and returns how many there were. */
  forget(skill?: SkillName): Awaitable<number>;
}

/** What a turn reads and writes. A store may keep it apart, so that a hook opens no database. */
export interface TurnStore {
  readonly sessions: SessionStore;
  /** Records events for the journal and lines for the conversation. Both may show there a little later. */
  record(events: readonly NewEvent[], said?: readonly SaidRecord[]): Awaitable<void>;
  /** Looks up the tallies of used skill versions in constant time. May lag behind the journal by a few seconds. */
  tallyBook(): Awaitable<TallyBook>;
  /** The messages that recall compares with, under the names that redirects lead to. */
  rememberedBook(): Awaitable<RememberedBook>;
}
