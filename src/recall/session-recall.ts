// Owns a recall in a session: what the session remembers -> recall -> what it will remember. Composes stages; no logic of
// its own. Does not own what is shown (`turns.ts`), and reads nothing of the library but its index.

import type { Recaller } from "../engine/engine.ts";
import { type Meaning, openMeaning } from "../engine/engine.ts";
import type { SessionState } from "../journal/journal.ts";
import { effectivenessFrom, recalledEvents, turnKey } from "../journal/journal.ts";
import type { Visibility } from "../library/library.ts";
import type { SkillName } from "../model/name.ts";
import type { Match, Turn } from "../model/turn.ts";
import { type LightStore, openLightStore } from "../stores/stores.ts";
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
  readonly memory: LightStore;
  private readonly engine: Recaller;
  private meaning: Promise<Meaning> | undefined;
  private upkeep: Indexing | undefined;
  private readonly allowlists = new Map<string, (name: SkillName) => boolean>();

  constructor(engine: Recaller) {
    this.engine = engine;
    this.memory = openLightStore({ directory: engine.dataDirectory, clock: engine.clock });
  }

  /** Within a session nothing is recalled twice unless the message names it; a repeated event recalls nothing. */
  recall(turn: Turn, request: RecallRequest): Promise<RecallAnswer> {
    return this.engine.tracing.trace("recall", turn, () => this.recallTurn(turn, request));
  }

  private async recallTurn(turn: Turn, request: RecallRequest): Promise<RecallAnswer> {
    const started = process.hrtime();
    const answer = await (request.asked ? this.asked(turn, request) : this.told(turn, request));
    return { message: turn.message, ...answer, ms: millisecondsSince(started) };
  }

  private async told(turn: Turn, request: RecallRequest): Promise<Recalled> {
    const before = turn.session === undefined ? undefined : this.memory.sessions.read(turn.session);
    const message = effectiveMessage(turn.message, before?.lastMessage);
    // "Yes, do it" means what the turn before recalled, shown or not.
    const again = new Set(message === turn.message ? [] : before?.recalled);
    const seen = new Set(before?.shown.filter((name) => !again.has(name)));
    // Before the session hears of the turn: a recall that fails leaves it free to be tried again.
    const found = await this.recallNow({ ...turn, message }, request, seen);
    const begun = this.begin(turn, message);
    const recalled = begun?.first === false ? REPEATED : found;
    if (begun?.first) this.remember(begun.state, turn, { recalled, agent: request.agent, wasSaid: true });
    const matches = request.shows ? this.claim(turn, recalled.matches, again) : recalled.matches;
    return { ...recalled, matches };
  }

  private async asked(turn: Turn, request: RecallRequest): Promise<Recalled & Pick<RecallAnswer, "seen">> {
    const recalled = await this.recallNow(turn, request, NOTHING_SEEN);
    const { session } = turn;
    if (session === undefined) return recalled;
    const { sessions } = this.memory;
    const under = request.asked === "in-turn" ? sessions.read(session) : undefined;
    const isNew = under === undefined || under.turn === 0;
    const state = isNew ? this.begin(turn, turn.message)!.state : under;
    this.remember(state, turn, { recalled, agent: request.agent, wasSaid: isNew });
    const names = recalled.matches.map(({ name }) => name);
    const fresh = new Set(sessions.claim(session, names));
    const seen = recalled.matches.filter((match) => !fresh.has(match.name) && !isMentioned(match));
    return { ...recalled, seen: seen.map(({ name }) => name) };
  }

  /** The session's agent has lost its context: what was shown may be shown again. */
  forgetShown(session: string): void {
    this.memory.sessions.add(session, { step: "forgotten" });
  }

  /** What a session remembers: what it has seen and used, and its working memory. */
  session(id: string): SessionState {
    return this.memory.sessions.read(id);
  }

  /** The recall index and its upkeep, made when first asked for. */
  async indexing(): Promise<Indexing> {
    this.meaning ??= openMeaning(this.engine.config);
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
      effectiveness: effectivenessFrom(this.memory.tallyBook(), { now: this.engine.clock.now().getTime() }),
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

  /** Each match goes to one caller only, unless the message names it. */
  claim(turn: Turn, matches: readonly Match[], again: ReadonlySet<SkillName> = new Set()): readonly Match[] {
    if (turn.session === undefined) return matches;
    const ours = new Set(
      this.memory.sessions.claim(
        turn.session,
        matches.map(({ name }) => name),
      ),
    );
    return matches.filter((match) => ours.has(match.name) || again.has(match.name) || isMentioned(match));
  }

  digestOf(name: SkillName): string {
    return this.upkeep?.skill(name)?.digest ?? "";
  }

  /** Who acts, for the journal. */
  by({ host = this.engine.options.host }: Turn, agent = this.engine.config.agent) {
    return { ...(agent !== undefined && { agent }), ...(host !== undefined && { host }) };
  }

  /** A turn without an id is a turn of its own: unique among the processes of this machine at one moment. */
  private begin(turn: Turn, message: string) {
    if (turn.session === undefined) return undefined;
    const key =
      turn.id === undefined
        ? `${process.pid}-${Date.now()}-${Math.random()}`
        : turnKey({ id: turn.id, text: turn.message });
    return this.memory.sessions.begin(turn.session, { key, message });
  }

  /** What the model asked within somebody's turn was not said by them. */
  private remember(
    { id, turn: number }: SessionState,
    turn: Turn,
    happened: { readonly recalled: Recalled; readonly agent: string | undefined; readonly wasSaid: boolean },
  ): void {
    const { matches, frame } = happened.recalled;
    this.memory.sessions.add(id, {
      step: "recalled",
      names: matches.map(({ name }) => name),
      frame: frame.name,
    });
    const at = this.engine.clock.now().getTime();
    const said = { session: id, turn: number, role: "user" as const, text: turn.message, at };
    const digests = matches.map((match) => ({ ...match, digest: this.digestOf(match.name) }));
    const context = { at, session: id, turn: number, ...this.by(turn, happened.agent) };
    this.memory.record(recalledEvents(context, digests), happened.wasSaid ? [said] : []);
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
