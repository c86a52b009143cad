// Reads the journal as people and programs ask for it: events, statistics, conversations, JSON lines; and takes outcomes.

import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import {
  type EventDetails,
  type EventKind,
  eventOf,
  type JournalEvent,
  type Outcome,
  type Rating,
  type SkillVersion,
} from "./events.ts";
import type {
  ConversationStore,
  EventQuery,
  JournalStore,
  SaidFilter,
  SaidRecord,
  SessionFilter,
  SessionStore,
} from "./journal-store.ts";
import { exportSession, type ImportReport, importLines } from "./json-lines.ts";
import { type SkillRecalls, skillRecalls } from "./recalls.ts";
import type { RememberedMessage } from "./remembered.ts";
import type { SessionState, SessionSummary } from "./sessions.ts";
import { libraryStats, type SkillStats, type SkillSummary, skillStats } from "./stats.ts";

export interface OutcomeReport {
  readonly outcome: Outcome;
  /** The skill it is about; every skill activated in the turn unless given. */
  readonly skill?: string | undefined;
  readonly note?: string | undefined;
  /** The number of the turn in its session; the current one unless given. */
  readonly turn?: number | undefined;
}

/** Somebody says which skill a message should have led to. */
export interface Correction {
  readonly skill: SkillVersion;
  /** The message of the session's current turn unless given. */
  readonly message?: string | undefined;
  readonly at: number;
}

/** What recall learns from use. The journal tells it what happened. */
export interface LearnedFromUse {
  outcome(events: readonly JournalEvent[]): Promise<void>;
  /** Returns the skills that were taken for the right one. */
  correction(correction: Correction, actor: Actor): Promise<readonly SkillName[]>;
  /** Forgets the messages of one skill, or all, and returns how many there were. */
  forget(skill?: SkillName): Promise<number>;
  messages(skill: SkillName): Promise<readonly RememberedMessage[]>;
}

interface JournalNeeds {
  readonly journal: JournalStore;
  readonly conversation: ConversationStore;
  readonly sessions: Pick<SessionStore, "read">;
  /** A skill that the agent may use now; fails with the names that it may use instead. */
  readonly find: (name: string, agent: string | undefined) => Promise<SkillVersion>;
  /** The current name of a skill. */
  readonly currentName: (spelling: string) => Promise<string>;
  /** Fails for a name that no skill has, whatever its state, with the names that resemble it. */
  readonly requireSkill: (name: string) => Promise<unknown>;
  /** What recall learns from outcomes and corrections. */
  readonly learning: LearnedFromUse;
  readonly now: () => number;
  /** For the journal, if an actor names no agent or host. */
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

export interface ListedSession extends SessionSummary {
  /** What the person said first, if it was recorded. */
  readonly firstMessage?: string | undefined;
}

/** A message that recall remembers for a skill: a weight above 0 counts for the skill, below 0 against it. */
export type LearnedMessage = Pick<RememberedMessage, "text" | "at" | "weight">;

/** Older sessions are not offered instead of an unknown one. */
const SESSIONS_SEARCHED = 500;

/** Enough to tell a rival from a chance meeting. */
const RECALLS_READ = 100;

export class Journal {
  private readonly needs: JournalNeeds;

  constructor(needs: JournalNeeds) {
    this.needs = needs;
  }

  /**
   * The events that fit, oldest first unless asked otherwise.
   *
   * @example
   * const failures = await skills.journal.query({ kinds: ["outcome"], newestFirst: true, limit: 20 });
   */
  async query(query: EventQuery): Promise<readonly JournalEvent[]> {
    return this.needs.journal.query(query);
  }

  /**
   * Counts of every skill that was ever recalled, shown or used.
   *
   * @example
   * for (const { name, activated } of await skills.journal.stats()) console.log(name, activated);
   */
  async stats(): Promise<readonly SkillSummary[]> {
    return libraryStats(this.needs.journal);
  }

  /**
   * The statistics of one skill, over its versions and weeks, and the messages that recall remembers for it.
   *
   * @example
   * const { versions, messages } = await skills.journal.statsOf("pdf-tables");
   */
  async statsOf(name: string): Promise<SkillStats & { readonly messages: readonly LearnedMessage[] }> {
    const skill = lookupKey(await this.needs.currentName(name));
    const stats = await skillStats(this.needs.journal, skill, { now: this.needs.now() });
    const messages = await this.needs.learning.messages(skill);
    const isUnknown = stats.recalled + stats.shown + stats.activated + messages.length === 0;
    if (isUnknown) await this.needs.requireSkill(name);
    return { ...stats, messages: messages.map(({ text, at, weight }) => ({ text, at, weight })) };
  }

  /**
   * The latest messages that recalled a skill, and its rivals: the skills that were recalled for the same ones.
   *
   * @example
   * const { rivals } = await skills.journal.recallsOf("pdf-tables");
   */
  async recallsOf(
    name: string,
    { limit = RECALLS_READ }: { readonly limit?: number | undefined } = {},
  ): Promise<SkillRecalls> {
    const skill = lookupKey(await this.needs.currentName(name));
    const found = await skillRecalls(this.needs, skill, limit);
    if (found.recalls.length === 0) await this.needs.requireSkill(name);
    return found;
  }

  /**
   * Makes recall forget the messages that it remembers for a skill, or all of them. Returns how many there were.
   *
   * @example
   * const { forgotten } = await skills.journal.forgetMessages("pdf-tables");
   */
  async forgetMessages(name?: string): Promise<{ readonly forgotten: number }> {
    const skill = name === undefined ? undefined : lookupKey(await this.needs.currentName(name));
    const forgotten = await this.needs.learning.forget(skill);
    if (name !== undefined && forgotten === 0) await this.needs.requireSkill(name);
    return { forgotten };
  }

  /**
   * What was said, in order.
   *
   * @example
   * const said = await skills.journal.conversation({ session: "s1" });
   */
  async conversation(filter: SaidFilter): Promise<readonly SaidRecord[]> {
    return this.needs.conversation.query(filter);
  }

  /**
   * Records a line of the conversation.
   *
   * @example
   * await skills.journal.say({ session: "s1", turn: 1, role: "user", text: message, at: Date.now() });
   */
  async say(said: SaidRecord): Promise<void> {
    await this.needs.conversation.append(said);
  }

  /**
   * Records a call of a host's language model in the current turn of a session.
   *
   * @example
   * const usage = { inputTokens: 900, outputTokens: 120 };
   * await skills.journal.recordModelCall({ model: "openai/gpt", purpose: "agent", ...usage }, { session: "s1" });
   */
  async recordModelCall(
    details: EventDetails["model_call"],
    actor: Actor & { session: string },
  ): Promise<void> {
    const { session, agent = this.needs.agent, host = this.needs.host } = actor;
    const { turn } = await this.needs.sessions.read(session);
    const at = this.needs.now();
    await this.needs.journal.append([{ kind: "model_call", at, session, turn, agent, host, details }]);
  }

  /**
   * The sessions, the latest first, each with its first message.
   *
   * @example
   * const [latest] = await skills.journal.sessions({ limit: 1 });
   */
  async sessions(filter: SessionFilter): Promise<readonly ListedSession[]> {
    const sessions = await this.needs.journal.sessions(filter);
    return Promise.all(
      sessions.map(async (each) => {
        const [first] = await this.needs.conversation.query({ session: each.session, role: "user" });
        return { ...each, firstMessage: first?.text };
      }),
    );
  }

  /**
   * What a session has seen and used.
   *
   * @example
   * const { shown } = await skills.journal.session("s1");
   */
  async session(id: string): Promise<SessionState> {
    return this.needs.sessions.read(id);
  }

  /**
   * The events of a session as JSON lines.
   *
   * @example
   * const lines = await skills.journal.exportSession("s1");
   */
  async exportSession(session: string): Promise<string> {
    await this.requireSession(session);
    return exportSession(this.needs.journal, session);
  }

  /**
   * Imports events from JSON lines; events that the journal has already are left out.
   *
   * @example
   * const lines = await skills.journal.exportSession("s1");
   * const { imported, known } = await skills.journal.importLines(lines);
   */
  async importLines(text: string): Promise<ImportReport> {
    return importLines(this.needs.journal, text);
  }

  /**
   * Records how a turn ended, for one skill or for all that were activated in it, and returns the skills it counts for.
   * Fails for a skill that was not activated in the turn.
   *
   * @example
   * await skills.journal.reportOutcome({ outcome: "success" }, { session: "s1" });
   */
  async reportOutcome(report: OutcomeReport, actor: Actor): Promise<readonly SkillName[]> {
    const { session, agent = this.needs.agent, host = this.needs.host } = actor;
    if (session === undefined) {
      throw new RepertoireError(
        "no-session",
        "An outcome belongs to a turn of a session, and the host did not name the session. Name it, or continue without reporting.",
      );
    }
    const latest = (await this.needs.sessions.read(session)).turn;
    const { outcome: result, skill, note, turn = latest } = report;
    const now = { at: this.needs.now(), session, turn, agent, host };
    const version = skill === undefined ? undefined : await this.activatedIn({ session, turn }, skill, agent);
    if (skill === undefined) await this.requireTurn({ session, turn }, latest);
    const outcome = eventOf(now, { kind: "outcome", skill: version, details: { result, note } });
    const kept = await this.needs.journal.append([outcome]);
    await this.needs.learning.outcome(kept);
    return kept.flatMap((event) => event.skill ?? []);
  }

  /**
   * Records how a session went as a whole. A dream looks at the skills of poor and fair sessions again.
   *
   * @example
   * await skills.journal.rateSession({ rating: "poor", text: "It took three attempts." }, { session: "s1" });
   */
  async rateSession(
    { rating, text }: { readonly rating: Rating; readonly text?: string | undefined },
    actor: Actor & { readonly session: string },
  ): Promise<void> {
    const { session, agent = this.needs.agent, host = this.needs.host } = actor;
    await this.requireSession(session);
    const details = { type: "summary", rating, text } as const;
    const context = { at: this.needs.now(), session, agent, host };
    await this.needs.journal.append([eventOf(context, { kind: "feedback", details })]);
  }

  /**
   * The messages after which a skill was activated with success, each with its skills; the newest first.
   *
   * @example
   * for (const { message, skills: used } of await skills.journal.successes()) console.log(message, used);
   */
  async successes(): Promise<{ readonly message: string; readonly skills: readonly SkillName[] }[]> {
    const { journal, conversation } = this.needs;
    const outcomes = await journal.query({ kinds: ["outcome"], newestFirst: true });
    const found = new Map<string, Set<SkillName>>();
    for (const { session, turn, skill, details } of outcomes) {
      if (
        session === undefined ||
        turn === undefined ||
        (details as EventDetails["outcome"]).result !== "success"
      )
        continue;
      const said = await conversation.query({ session, role: "user" });
      const message = said.find((each) => each.turn === turn)?.text;
      if (message === undefined) continue;
      const used = await journal.query({ session, turn, kinds: ["activated"] });
      const names = skill === undefined ? used.flatMap((event) => event.skill ?? []) : [skill];
      if (names.length > 0) found.set(message, new Set([...(found.get(message) ?? []), ...names]));
    }
    return [...found].map(([message, names]) => ({ message, skills: [...names] }));
  }

  /**
   * Fails for a session of which nothing was recorded, with the ids that resemble it.
   *
   * @example
   * await skills.journal.requireSession("s1");
   */
  async requireSession(session: string): Promise<void> {
    const [known] = await this.needs.journal.query({ session, limit: 1 });
    if (known !== undefined || (await this.needs.sessions.read(session)).turn > 0) return;
    const latest = await this.needs.journal.sessions({ limit: SESSIONS_SEARCHED });
    const near = nearTo(
      session,
      latest.map((each) => each.session),
    );
    throw new RepertoireError(
      "session-not-found",
      `There is no session "${session}".${didYouMean(near)} \`repertoire sessions\` lists them.`,
      session,
    );
  }

  /** Fails for a turn in which nothing happened. A skill that was activated before the first message is in turn 0. */
  private async requireTurn(at: { readonly session: string; readonly turn: number }, latest: number) {
    if (at.turn > 0 && at.turn <= latest) return;
    const [known] = await this.needs.journal.query({ ...at, limit: 1 });
    if (known !== undefined) return;
    const message =
      latest === 0
        ? "Nothing was asked in this session yet, so there is no turn to report on."
        : `The latest turn of this session is ${latest}; there is no turn ${at.turn}.`;
    throw new RepertoireError("turn-not-found", message, String(at.turn));
  }

  /** The version of a skill that was activated last in a turn. */
  private async activatedIn(
    at: { readonly session: string; readonly turn: number },
    spelling: string,
    agent: string | undefined,
  ): Promise<SkillVersion> {
    const { session, turn } = at;
    const name = lookupKey(await this.needs.currentName(spelling));
    const events = await this.needs.journal.query({ session, skill: name, kinds: ["activated"] });
    const found = events.findLast((event) => event.turn === turn);
    if (found !== undefined) return { name, digest: found.digest ?? "" };
    await this.needs.find(spelling, agent);
    const last = events.at(-1)?.turn;
    const next =
      last === undefined
        ? "Report only on skills that were activated."
        : `If turn ${last} is meant, name it.`;
    throw new RepertoireError(
      "not-activated",
      `"${spelling}" was not activated in turn ${turn} of this session, so this outcome says nothing about it. ${next}`,
      spelling,
    );
  }

  /**
   * Records that a message should have led to this skill: the strongest evidence that recall learns from. Without a message,
   * the current one of the session is meant. What was activated or recalled before the skill counts as mistaken.
   *
   * @example
   * await skills.journal.shouldHaveBeen({ skill: "write-changelog", message: "write up what changed" });
   */
  async shouldHaveBeen(
    { skill: spelling, message }: { readonly skill: string; readonly message?: string | undefined },
    actor: Actor = {},
  ): Promise<{ readonly skill: SkillName; readonly insteadOf: readonly SkillName[] }> {
    const { session, agent = this.needs.agent, host = this.needs.host } = actor;
    if (session === undefined && message === undefined) {
      throw new RepertoireError(
        "no-session",
        "The host did not name the session, so the message is unknown. Give the message too.",
      );
    }
    const { name, digest } = await this.needs.find(spelling, agent);
    const skill = { name, digest };
    const at = this.needs.now();
    const insteadOf = await this.needs.learning.correction({ skill, message, at }, actor);
    if (session !== undefined) {
      const { turn } = await this.needs.sessions.read(session);
      const details = { type: "correction", text: `should have been ${name}` } as const;
      const context = { at, session, turn, agent, host };
      await this.needs.journal.append([eventOf(context, { kind: "feedback", details })]);
    }
    return { skill: name, insteadOf };
  }
}

/** Who acts, for the journal. */
export interface Actor {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

export type RecordUse = <K extends EventKind>(
  actor: Actor,
  skill: SkillVersion,
  happened: { readonly kind: K; readonly details: EventDetails[K] },
) => Promise<void>;

interface RecorderNeeds extends Pick<JournalNeeds, "now" | "agent" | "host"> {
  readonly sessions: Pick<SessionStore, "read" | "add">;
  readonly journal: { append(...input: Parameters<JournalStore["append"]>): Awaitable<unknown> };
}

export function useRecorder(needs: RecorderNeeds): RecordUse {
  return async ({ session, agent = needs.agent, host = needs.host }, { name, digest }, happened) => {
    const turn = session === undefined ? undefined : (await needs.sessions.read(session)).turn;
    const context = { at: needs.now(), session, turn, agent, host };
    await needs.journal.append([eventOf(context, { ...happened, skill: { name, digest } })]);
    if (session !== undefined && happened.kind === "activated")
      await needs.sessions.add(session, { step: "activated", names: [name] });
  };
}
