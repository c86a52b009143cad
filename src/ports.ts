// Owns the interfaces behind which the engine's outside stands. Does not own any implementation:
// `embedders/` and `stores/` do. A port appears here when its first implementation does.

import type { EventKind, JournalEvent, NewEvent } from "./journal/events.ts";
import type { SessionState, SessionStep } from "./journal/session.ts";
import type { Tally, TallyBook } from "./journal/tally.ts";
import type { SkillName } from "./model/name.ts";
import type {
  ConsentRecord,
  ProposalRecord,
  ProposalState,
  RedirectRecord,
  SaidRecord,
  TaskRecord,
  TrustRecord,
  VersionRecord,
} from "./model/records.ts";

/** Turns texts into unit vectors; a row is all zero when nothing is known about the text. */
export interface Embedder {
  /** Names the model and its version; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Float32Array[] | Promise<Float32Array[]>;
}

export interface ModelRequest {
  /** What the answer is for, as the journal counts it: `summary`, `gaps`, `merge`. */
  readonly purpose: string;
  readonly system?: string;
  readonly prompt: string;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

export interface ModelAnswer {
  readonly text: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** In US dollars, where the price is known. */
  readonly cost?: number;
}

/** A model that continues text. Every call has a time limit; a failed one throws and has changed nothing. */
export interface LanguageModel {
  /** Names the provider and the model, for the journal. */
  readonly id: string;
  generate(request: ModelRequest): Promise<ModelAnswer>;
}

/** What a span or an event says: names and numbers. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TelemetrySpan {
  set(attributes: TelemetryAttributes): void;
  event(name: string, attributes: TelemetryAttributes): void;
}

/** Tells a tracing system what happens. Runs the work exactly once; a failure of its own never reaches it. */
export interface Telemetry {
  span<T>(
    name: string,
    attributes: TelemetryAttributes,
    work: (span: TelemetrySpan) => Promise<T>,
  ): Promise<T>;
}

/** The time, passed in so that tests can set it. */
export interface Clock {
  now(): Date;
}

/** A store on this machine answers at once, a remote one later; callers `await` and need not know. */
export type Awaitable<T> = T | Promise<T>;

/** Everything that outlives a process. Every store passes `test/contracts/store.test.ts`. */
export interface Store {
  readonly journal: JournalStore;
  readonly sessions: SessionStore;
  readonly tasks: TaskStore;
  readonly trust: TrustStore;
  readonly versions: VersionStore;
  readonly blobs: BlobStore;
  readonly redirects: RedirectStore;
  readonly conversation: ConversationStore;
  readonly proposals: ProposalStore;
  readonly meta: MetaStore;
  /** Runs the work while nobody else, in any process, runs theirs. Let go when the process dies. Not re-entrant. */
  exclusive<T>(work: () => Awaitable<T>): Promise<T>;
  /** Takes over what hooks have left, and forgets sessions that have long been quiet. */
  tidy(): Awaitable<void>;
  close(): Awaitable<void>;
}

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

export interface TaskStore {
  /** The task, started now when it is new. */
  start(task: TaskRecord): Awaitable<TaskRecord>;
  get(id: string): Awaitable<TaskRecord | undefined>;
  /** Tasks that have not ended, oldest first. */
  list(): Awaitable<readonly TaskRecord[]>;
  /** Ends the task and forgets its consents; says whether there was one. */
  end(id: string): Awaitable<boolean>;
  /** The latest consent for a skill replaces the earlier one. */
  consent(consent: ConsentRecord): Awaitable<void>;
  consentFor(task: string, skill: SkillName): Awaitable<ConsentRecord | undefined>;
  consents(task: string): Awaitable<readonly ConsentRecord[]>;
}

export interface TrustStore {
  add(trust: TrustRecord): Awaitable<void>;
  has(digest: string): Awaitable<boolean>;
  list(): Awaitable<readonly TrustRecord[]>;
  /** By digest or by skill name; returns how many were withdrawn. */
  revoke(digestOrName: string): Awaitable<number>;
}

export interface VersionStore {
  /** Kept for good once this returns, together with what `blobs` holds. An id that is there already is left alone. */
  add(version: VersionRecord): Awaitable<void>;
  get(id: string): Awaitable<VersionRecord | undefined>;
  /** Newest first. */
  list(filter: {
    readonly name?: SkillName;
    readonly batch?: string;
    readonly limit?: number;
  }): Awaitable<readonly VersionRecord[]>;
  /** The newest version of every skill, by name. */
  heads(): Awaitable<readonly VersionRecord[]>;
}

/** Bytes by their SHA-256, each kept once. */
export interface BlobStore {
  /** Kept for good once this returns. */
  put(bytes: Uint8Array): Awaitable<string>;
  /** Nothing when it is missing or no longer what its name says. */
  get(sha256: string): Awaitable<Uint8Array | undefined>;
}

export interface RedirectStore {
  put(redirect: RedirectRecord): Awaitable<void>;
  /** Where a name leads in the end; itself when nowhere. A circle ends where it closes. */
  resolve(name: SkillName): Awaitable<SkillName>;
  list(): Awaitable<readonly RedirectRecord[]>;
  remove(from: SkillName): Awaitable<boolean>;
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

export type NewProposal = Omit<ProposalRecord, "number" | "state" | "decidedAt" | "note" | "batch">;

export interface ProposalDecision {
  readonly state: ProposalState;
  readonly at: number;
  readonly note?: string;
  readonly batch?: string;
}

export interface ProposalStore {
  add(proposal: NewProposal): Awaitable<ProposalRecord>;
  get(number: number): Awaitable<ProposalRecord | undefined>;
  list(filter?: {
    readonly state?: ProposalState;
    readonly changeHash?: string;
  }): Awaitable<readonly ProposalRecord[]>;
  /** Only an open proposal can be decided, and only once; nothing when it was not open. */
  decide(number: number, decision: ProposalDecision): Awaitable<ProposalRecord | undefined>;
}

/** Small facts by key, such as when the last dream ran. */
export interface MetaStore {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  remove(key: string): Awaitable<boolean>;
  /** Keys that begin with the prefix, in order. */
  keys(prefix?: string): Awaitable<readonly string[]>;
}

/** How well one version of a skill has done, as recall reads it. */
export interface Effectiveness {
  readonly activations: number;
  readonly successes: number;
  readonly failures: number;
  /** Smoothed and faded share of successes, between 0 and 1; 0.5 when nothing is known. */
  readonly rate: number;
  readonly deprioritised: boolean;
  /** Milliseconds; 0 when never used. Breaks ties in recall. */
  readonly lastUsedAt: number;
}

/** Answers at once, from accounts that were loaded before the turn. */
export interface EffectivenessProvider {
  of(name: SkillName, digest: string): Effectiveness;
}
