// Owns a recall in a session: what the session remembers -> recall -> what it will remember. Composes stages; no logic of
// its own. Does not own what is shown (`turns.ts`), and reads nothing of the library but its index.

import type { Recaller } from "../engine/engine.ts";
import { type Meaning, openMeaning } from "../engine/engine.ts";
import type { SessionState, TurnStore } from "../journal/journal.ts";
import { effectivenessFrom, recalledEvents } from "../journal/journal.ts";
import type { Visibility } from "../library/library.ts";
import type { SkillName } from "../model/name.ts";
import type { Match, Turn } from "../model/turn.ts";
import { effectiveMessage } from "./continuation.ts";
import { Indexing } from "./index-upkeep.ts";
import { REPEATED, type Recalled, type RecallOptions, recall } from "./recall-skills.ts";
import { isMentioned } from "./signals/mention.ts";

export interface RecallRequest {
  /** Who asks: only what this agent may see. The configured one unless given. */
  readonly agent?: string;
  /** How many matches at most. */
  readonly limit?: number;
  /** Matches below this score are not shown. */
  readonly threshold?: number;
  /** Recall among these skills only. A function that is given again finds its view of the library made. */
  readonly allows?: (name: SkillName) => boolean;
  /** The caller shows the answer as it is: what is in it counts as shown in the session. */
  readonly shows?: boolean;
  /**
   * The model asked by itself, and is owed an answer: what the session has seen is in it too, named in `seen`, and the
   * whole answer counts as shown. It belongs to the turn under way, or begins one where the host sees no messages.
   */
  readonly asked?: "in-turn" | "as-turn";
}

export interface RecallAnswer extends Recalled {
  readonly message: string;
  readonly ms: number;
  /** Of the matches, those that the session was shown before and the message does not name; only where the model asked. */
  readonly seen?: readonly SkillName[];
}

const NOTHING_SEEN: ReadonlySet<SkillName> = new Set();

export class Recalls {
  readonly store: TurnStore;
  private readonly engine: Recaller;
  private meaning: Promise<Meaning> | undefined;
  private upkeep: Indexing | undefined;
  private readonly allowlists = new Map<string, (name: SkillName) => boolean>();

  constructor(engine: Recaller, store: TurnStore) {
    this.engine = engine;
    this.store = store;
  }

  /**
   * Within a session nothing is recalled twice unless the message names it; a repeated event recalls nothing. `before` is
   * the session's state if the caller has read it already.
   */
  recall(turn: Turn, request: RecallRequest, before?: SessionState): Promise<RecallAnswer> {
    return this.engine.tracing.trace("recall", turn, () => this.recallTurn(turn, request, before));
  }

  private async recallTurn(
    turn: Turn,
    request: RecallRequest,
    before: SessionState | undefined,
  ): Promise<RecallAnswer> {
    const started = process.hrtime();
    const answer = await (request.asked ? this.asked(turn, request) : this.told(turn, request, before));
    return { message: turn.message, ...answer, ms: millisecondsSince(started) };
  }

  private async told(turn: Turn, request: RecallRequest, known: SessionState | undefined): Promise<Recalled> {
    const before = known ?? (turn.session === undefined ? undefined : await this.session(turn.session));
    const message = effectiveMessage(turn.message, before?.lastMessage);
    // "Yes, do it" means what the turn before recalled, shown or not.
    const again = new Set(message === turn.message ? [] : before?.recalled);
    const seen = new Set(before?.shown.filter((name) => !again.has(name)));
    // Before the session hears of the turn: a recall that fails leaves it free to be tried again.
    const found = await this.recallNow({ ...turn, message }, request, seen);
    const begun = await this.begin(turn, message);
    const recalled = begun?.first === false ? REPEATED : found;
    if (begun?.first)
      await this.remember(begun.state, turn, { recalled, agent: request.agent, wasSaid: true });
    const shown = request.shows && (await this.markShown(turn, recalled.matches, again));
    return shown ? { ...recalled, matches: shown.matches } : recalled;
  }

  private async asked(turn: Turn, request: RecallRequest): Promise<Recalled & Pick<RecallAnswer, "seen">> {
    const recalled = await this.recallNow(turn, request, NOTHING_SEEN);
    const { session } = turn;
    if (session === undefined) return recalled;
    const { sessions } = this.store;
    const under = request.asked === "in-turn" ? await sessions.read(session) : undefined;
    const isNew = under === undefined || under.turn === 0;
    const state = isNew ? (await this.begin(turn, turn.message))!.state : under;
    await this.remember(state, turn, { recalled, agent: request.agent, wasSaid: isNew });
    const names = recalled.matches.map(({ name }) => name);
    const { fresh } = await sessions.markShown(session, names);
    const seen = recalled.matches.filter((match) => !fresh.includes(match.name) && !isMentioned(match));
    return { ...recalled, seen: seen.map(({ name }) => name) };
  }

  /** The session's agent has lost its context: what was shown may be shown again. */
  async forgetShown(session: string): Promise<void> {
    await this.store.sessions.add(session, { step: "forgotten" });
  }

  /** What a session remembers: what it has seen and used. */
  async session(id: string): Promise<SessionState> {
    return this.store.sessions.read(id);
  }

  /** The recall index and its upkeep, made when first asked for. */
  async indexing(): Promise<Indexing> {
    this.meaning ??= openMeaning(this.engine.config, this.engine.options.embedder);
    const meaning = await this.meaning;
    this.upkeep ??= new Indexing(this.engine, meaning);
    return this.upkeep;
  }

  /** What recall and its explanation need besides the turn. */
  async options({ agent, allows }: Pick<RecallRequest, "agent" | "allows"> = {}): Promise<RecallOptions> {
    const whole = await (await this.indexing()).current();
    const visibility = this.engine.visibility(agent);
    const among = allows ?? this.allowlist(visibility);
    const stateOf = visibility.judge();
    const places = new Map(this.engine.sources.map(({ id }, place) => [id, place]));
    return {
      index: among ? whole.among(among) : whole,
      ...(await this.meaning!),
      effectiveness: effectivenessFrom(await this.store.tallyBook(), {
        now: this.engine.clock.now().getTime(),
      }),
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
    };
  }

  /** One and the same for every turn of an agent, so that its view of the index is made once. */
  private allowlist(visibility: Visibility): ((name: SkillName) => boolean) | undefined {
    const { allowlist } = visibility.options;
    if (allowlist === undefined) return undefined;
    const key = allowlist.join("\n");
    const known = this.allowlists.get(key) ?? ((name: SkillName) => visibility.allows(name));
    this.allowlists.set(key, known);
    return known;
  }

  /** Marks the matches as shown, and returns those that may be: new to the session, or named by the message. */
  async markShown(
    turn: Turn,
    matches: readonly Match[],
    again: ReadonlySet<SkillName> = NOTHING_SEEN,
  ): Promise<{ readonly matches: readonly Match[]; readonly session?: SessionState | undefined }> {
    if (turn.session === undefined || matches.length === 0) return { matches };
    const names = matches.map(({ name }) => name);
    const { fresh, state } = await this.store.sessions.markShown(turn.session, names);
    const isDue = (match: Match) => fresh.includes(match.name) || again.has(match.name) || isMentioned(match);
    return { matches: matches.filter(isDue), session: state };
  }

  digestOf(name: SkillName): string {
    return this.upkeep?.skill(name)?.digest ?? "";
  }

  /** Who acts, for the journal. */
  by({ host = this.engine.options.host }: Turn, agent = this.engine.config.agent) {
    return { ...(agent !== undefined && { agent }), ...(host !== undefined && { host }) };
  }

  /** A turn without an id is a turn of its own: unique among the processes of this machine at one moment. */
  private async begin(turn: Turn, message: string) {
    if (turn.session === undefined) return undefined;
    const key = turn.id ? `id:${turn.id}` : `${process.pid}-${Date.now()}-${Math.random()}`;
    return this.store.sessions.begin(turn.session, { key, message });
  }

  /** What the model asked within somebody's turn was not said by them. */
  private async remember(
    { id, turn: number }: SessionState,
    turn: Turn,
    happened: { readonly recalled: Recalled; readonly agent: string | undefined; readonly wasSaid: boolean },
  ): Promise<void> {
    const { matches, frame } = happened.recalled;
    await this.store.sessions.add(id, {
      step: "recalled",
      names: matches.map(({ name }) => name),
      relevance: matches.map(({ score, via }) => (via === undefined ? Math.min(1, score) : 0)),
      frame: frame.name,
    });
    const at = this.engine.clock.now().getTime();
    const said = { session: id, turn: number, role: "user" as const, text: turn.message, at };
    const digests = matches.map((match) => ({ ...match, digest: this.digestOf(match.name) }));
    const context = { at, session: id, turn: number, ...this.by(turn, happened.agent) };
    await this.store.record(recalledEvents(context, digests), happened.wasSaid ? [said] : []);
  }

  /** Answers from the index as it is, and once more from a fresh one when a match turns out to have changed. */
  private async recallNow(
    turn: Turn,
    request: RecallRequest,
    seen: ReadonlySet<SkillName>,
  ): Promise<Recalled> {
    const ask = async () =>
      recall(turn, {
        ...this.engine.config.recall,
        ...(await this.options(request)),
        ...request,
        seen,
      });
    const namesIn = ({ matches }: Recalled) => matches.map(({ name }) => name);
    return (await this.indexing()).answer(ask, namesIn);
  }
}

/** From the process's own clock: `performance` would load a module of Node's at every message. */
function millisecondsSince(started: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(started);
  return Math.round(seconds * 1e5 + nanoseconds / 1e4) / 100;
}
