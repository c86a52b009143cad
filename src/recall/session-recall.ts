// Recalls skills for a turn of a session: what was shown before is left out, and what was recalled is recorded.

import type { Actor, SessionState, TurnStore } from "../journal/journal.ts";
import { effectivenessFrom, recalledEvents } from "../journal/journal.ts";
import type { Visibility } from "../library/library.ts";
import { codeOf, isRepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import type { ContextMode, Match, RecallOrder, Turn } from "../model/turn.ts";
import { instructionsDigest, snapshotPackage } from "../package/package.ts";
import { effectiveMessage } from "./continuation.ts";
import type { Indexing } from "./index-upkeep.ts";
import { REPEATED, type Recalled, type RecallOptions, type RecallSettings, recall } from "./recall-skills.ts";
import { type Explanation, explain } from "./why.ts";

export interface RecallRequest {
  /** Recall only what this agent may see; the configured agent unless given. */
  readonly agent?: string | undefined;
  /** How many matches at most. */
  readonly limit?: number | undefined;
  /** Whether the limit counts related skills too. */
  readonly limitsAll?: boolean | undefined;
  /** Matches with less evidence are left out. */
  readonly threshold?: number | undefined;
  /** Which see-also are added: those that fit the message themselves, which is the default, or all. */
  readonly seeAlso?: "fitting" | "all" | undefined;
  /** By score, or as designs with triggers do: named, exact phrase, recent use, score. The configured order unless given. */
  readonly order?: RecallOrder | undefined;
  /** What the caller does with the answer: in a rebuilt context, what the session was shown counts as new. */
  readonly context?: ContextMode | undefined;
  /** Recall among these skills only. Pass the same function again to reuse its view of the index. */
  readonly allows?: ((name: SkillName) => boolean) | undefined;
  /** Called with the matches before the turn is recorded: if it fails, the turn can be tried again. */
  readonly beforeRecord?: ((matches: readonly Match[]) => Promise<void>) | undefined;
  /** Set if the caller shows the answer as it is: its matches count as shown in the session. */
  readonly shows?: boolean | undefined;
  /**
   * Set when the model calls recall itself. The answer then includes what the session has seen, listed in `seen`, and
   * counts as shown. `in-turn`: it belongs to the current turn; `as-turn`: it begins one, for hosts that pass on no
   * messages.
   */
  readonly byModel?: "in-turn" | "as-turn" | undefined;
}

export interface RecallAnswer extends Recalled {
  readonly message: string;
  readonly ms: number;
  /** The number of the turn in its session. */
  readonly turn?: number | undefined;
  /** Matches that the session was shown before and the message does not name; only with `byModel`. */
  readonly seen?: readonly SkillName[] | undefined;
}

interface SessionRecallNeeds {
  readonly store: TurnStore;
  /** Opened by the first recall. */
  readonly indexing: () => Promise<Indexing>;
  readonly visibility: (agent: string | undefined) => Visibility;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  readonly settings: RecallSettings;
  readonly now: () => number;
  /** For the journal, if a turn names no agent or host. */
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

const NOTHING_SEEN: ReadonlySet<SkillName> = new Set();

export class SessionRecall {
  private readonly needs: SessionRecallNeeds;
  private readonly allowlists = new Map<string, (name: SkillName) => boolean>();

  constructor(needs: SessionRecallNeeds) {
    this.needs = needs;
  }

  /** Within a session nothing is recalled twice unless the message names it; a repeated event recalls nothing. */
  async recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    const started = process.hrtime();
    const answer = await (request.byModel
      ? this.recallForModel(turn, request)
      : this.recallForMessage(turn, request));
    return { message: turn.message, ...answer, ms: millisecondsSince(started) };
  }

  private async recallForMessage(
    turn: Turn,
    request: RecallRequest,
  ): Promise<Recalled & Pick<RecallAnswer, "turn">> {
    const before = turn.session === undefined ? undefined : await this.session(turn.session);
    const message = effectiveMessage(turn.message, before?.lastMessage);
    // "Yes, do it" means what the turn before recalled, shown or not.
    const again = new Set(message === turn.message ? [] : before?.recalled);
    const isRebuilt = request.context === "rebuild";
    const seen = new Set(isRebuilt ? [] : before?.shown.filter((name) => !again.has(name)));
    // Before the turn is recorded, so that a recall that fails can be tried again.
    const found = await this.recallNow({ ...turn, message }, request, seen);
    await request.beforeRecord?.(found.matches);
    const begun = await this.begin(turn, message);
    const recalled = begun?.first === false && !isRebuilt ? REPEATED : found;
    if (begun?.first)
      await this.remember(begun.state, turn, { recalled, agent: request.agent, wasSaid: true });
    const shown = request.shows && (await this.markShown(turn, recalled.matches, again));
    return { ...recalled, ...(shown && { matches: shown.matches }), turn: begun?.state.turn };
  }

  private async recallForModel(
    turn: Turn,
    request: RecallRequest,
  ): Promise<Recalled & Pick<RecallAnswer, "turn" | "seen">> {
    const recalled = await this.recallNow(turn, request, NOTHING_SEEN);
    const { session } = turn;
    if (session === undefined) return recalled;
    const { sessions } = this.needs.store;
    const current = request.byModel === "in-turn" ? await sessions.read(session) : undefined;
    const isNew = current === undefined || current.turn === 0;
    const state = isNew ? (await this.begin(turn, turn.message))!.state : current;
    await this.remember(state, turn, { recalled, agent: request.agent, wasSaid: isNew });
    const names = recalled.matches.map(({ name }) => name);
    const { fresh } = await sessions.markShown(session, names);
    const seen = recalled.matches.filter((match) => !fresh.includes(match.name) && !match.named);
    return { ...recalled, turn: state.turn, seen: seen.map(({ name }) => name) };
  }

  /** After the agent's context was cut: what the session was shown may be shown again. */
  async forgetShown(session: string): Promise<void> {
    await this.needs.store.sessions.add(session, { step: "forgotten" });
  }

  /** What a session has seen and used. */
  async session(id: string): Promise<SessionState> {
    return this.needs.store.sessions.read(id);
  }

  /** Why a skill was or was not recalled for a message. */
  async why(skill: Skill, turn: Turn): Promise<Explanation> {
    return explain(skill, turn, { ...this.needs.settings, ...(await this.options()) });
  }

  /** What recall and its explanation need besides the turn. */
  private async options({
    agent,
    allows,
  }: Pick<RecallRequest, "agent" | "allows"> = {}): Promise<RecallOptions> {
    const indexing = await this.needs.indexing();
    const whole = await indexing.current();
    const visibility = this.needs.visibility(agent);
    const among = allows ?? this.allowlist(visibility);
    const stateOf = visibility.judge();
    const places = new Map(this.needs.sources.map(({ id }, place) => [id, place]));
    const bundled = new Set(
      this.needs.sources.filter(({ scope }) => scope === "bundled").map(({ id }) => id),
    );
    const { store, now: time, settings } = this.needs;
    const now = time();
    return {
      index: among ? whole.among(among) : whole,
      embedder: indexing.settings.embedder,
      background: indexing.settings.background,
      glossary: indexing.settings.glossary,
      intent: indexing.settings.intent,
      topics: indexing.settings.topics,
      encoded: (index, message) => indexing.encoding.of(index, message),
      isBundled: ({ source }) => bundled.has(source),
      effectiveness: effectivenessFrom(await store.tallyBook(), { now, instructionsOf }),
      used: settings.learn === false ? undefined : { book: await store.rememberedBook(), now },
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
    };
  }

  /** The same function for every turn of an agent, so that its view of the index is made once. */
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
    const { fresh, state } = await this.needs.store.sessions.markShown(turn.session, names);
    const isDue = (match: Match) =>
      fresh.includes(match.name) || again.has(match.name) || match.named === true;
    return { matches: matches.filter(isDue), session: state };
  }

  /** The digest of a skill as it was indexed. */
  async digestOf(name: SkillName): Promise<string> {
    return (await this.needs.indexing()).skill(name)?.digest ?? "";
  }

  /** Who acts, for the journal. */
  actor({ host = this.needs.host }: Turn, agent = this.needs.agent): Pick<Actor, "agent" | "host"> {
    return { ...(agent !== undefined && { agent }), ...(host !== undefined && { host }) };
  }

  /** A turn without an id gets a key that is unique among the processes of this machine. */
  private async begin(turn: Turn, message: string) {
    if (turn.session === undefined) return undefined;
    const key = turn.id ? `id:${turn.id}` : `${process.pid}-${Date.now()}-${Math.random()}`;
    return this.needs.store.sessions.begin(turn.session, { key, message });
  }

  /** Records the recall; the message only if a person wrote it. */
  private async remember(
    { id, turn: number }: SessionState,
    turn: Turn,
    happened: { readonly recalled: Recalled; readonly agent: string | undefined; readonly wasSaid: boolean },
  ): Promise<void> {
    const { matches, frame } = happened.recalled;
    await this.needs.store.sessions.add(id, {
      step: "recalled",
      names: matches.map(({ name }) => name),
      relevance: matches.map(({ score, via }) => (via === undefined ? Math.min(1, score) : 0)),
      frame: frame.name,
    });
    const at = this.needs.now();
    const said = { session: id, turn: number, role: "user" as const, text: turn.message, at };
    const indexing = await this.needs.indexing();
    const digests = matches.map((match) => ({ ...match, digest: indexing.skill(match.name)?.digest ?? "" }));
    const context = { at, session: id, turn: number, ...this.actor(turn, happened.agent) };
    await this.needs.store.record(recalledEvents(context, digests), happened.wasSaid ? [said] : []);
  }

  /** Answers from the index as it is, and again from a fresh one if a match has changed on disk. */
  private async recallNow(
    turn: Turn,
    request: RecallRequest,
    seen: ReadonlySet<SkillName>,
  ): Promise<Recalled> {
    const ask = async () =>
      recall(turn, {
        ...(await this.options(request)),
        limit: request.limit ?? this.needs.settings.limit,
        limitsAll: request.limitsAll,
        threshold: request.threshold ?? this.needs.settings.threshold,
        seeAlso: request.seeAlso,
        order: request.order ?? this.needs.settings.order,
        links: this.needs.settings.links,
        seen,
      });
    const namesIn = ({ matches }: Recalled) => matches.map(({ name }) => name);
    return (await this.needs.indexing()).answer(ask, namesIn);
  }
}

/** The digest of a skill's instructions as they are on disk; empty if they cannot be read, so that no record fits. */
function instructionsOf({ directory }: { readonly directory: string }): string {
  try {
    return instructionsDigest(snapshotPackage(directory));
  } catch (thrown) {
    if (isRepertoireError(thrown) || codeOf(thrown) !== "") return "";
    throw thrown;
  }
}

/** Uses `process.hrtime`, because `performance` would load another module of Node at every message. */
function millisecondsSince(started: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(started);
  return Math.round(seconds * 1e5 + nanoseconds / 1e4) / 100;
}
