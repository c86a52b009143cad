// Reads the journal as people and programs ask for it: events, statistics, conversations, JSON lines; and takes outcomes.

import type { Awaitable } from "../model/awaitable.ts";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import {
  type EventDetails,
  type EventKind,
  eventOf,
  type JournalEvent,
  type Outcome,
  recordOutcome,
  type SkillVersion,
} from "./events.ts";
import type {
  ConversationStore,
  EventQuery,
  JournalStore,
  SaidFilter,
  SaidRecord,
  SessionStore,
} from "./journal-store.ts";
import { exportSession, type ImportReport, importLines } from "./json-lines.ts";
import type { SessionState } from "./sessions.ts";
import { libraryStats, type SkillStats, type SkillSummary, skillStats } from "./stats.ts";

export interface OutcomeReport {
  readonly outcome: Outcome;
  /** The skill it is about; every skill activated in the turn unless given. */
  readonly skill?: string | undefined;
  readonly note?: string | undefined;
}

interface JournalNeeds {
  readonly journal: JournalStore;
  readonly conversation: ConversationStore;
  readonly sessions: Pick<SessionStore, "read">;
  /** A skill that the agent may use now; fails with the names that it may use instead. */
  readonly find: (name: string, agent: string | undefined) => Promise<SkillVersion>;
  /** The current name of a skill. */
  readonly currentName: (spelling: string) => Promise<string>;
  readonly now: () => number;
  /** For the journal, if an actor names no agent or host. */
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

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
   * The statistics of one skill, over its versions and weeks.
   *
   * @example
   * const { versions } = await skills.journal.statsOf("pdf-tables");
   */
  async statsOf(name: string): Promise<SkillStats> {
    const skill = lookupKey(await this.needs.currentName(name));
    return skillStats(this.needs.journal, skill, { now: this.needs.now() });
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
   *
   * @example
   * await skills.journal.reportOutcome({ outcome: "success" }, { session: "s1" });
   */
  async reportOutcome(report: OutcomeReport, actor: Actor): Promise<readonly SkillName[]> {
    const { session, agent = this.needs.agent, host = this.needs.host } = actor;
    const turn = session === undefined ? undefined : (await this.needs.sessions.read(session)).turn;
    const { outcome: result, skill, note } = report;
    const details = { result, note };
    const now = { at: this.needs.now(), session, turn, agent, host };
    if (skill !== undefined) {
      const { name, digest } = await this.needs.find(skill, agent);
      await this.needs.journal.append([eventOf(now, { kind: "outcome", skill: { name, digest }, details })]);
      return [name];
    }
    if (session === undefined || turn === undefined) {
      throw new RepertoireError(
        "no-session",
        "The host did not name the session, so the skills of this turn are unknown. Name the skill, or continue without reporting.",
      );
    }
    return recordOutcome(this.needs.journal, { ...now, session, turn }, details);
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
