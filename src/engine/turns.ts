// Owns a turn: what the session remembers -> recall -> disclose. Composes stages; no logic of its own.

import { randomUUID } from "node:crypto";
import { disclose } from "../disclose/disclose.ts";
import { MATCHES_FOR } from "../disclose/limits.ts";
import { asksForList } from "../disclose/question.ts";
import type { Repertoire } from "../engine.ts";
import { effectivenessFrom } from "../learn/effectiveness.ts";
import { eventOf, recalledEvents, shownEvents } from "../learn/journal.ts";
import { turnKey } from "../learn/session.ts";
import { remember as intoMemory } from "../learn/working-memory.ts";
import { rankForDisclosure } from "../library/rank.ts";
import type { SkillName } from "../model/name.ts";
import type { SessionState } from "../model/session.ts";
import type { Budget, Match, Section, Style, Turn } from "../model/turn.ts";
import { effectiveMessage } from "../recall/continuation.ts";
import { REPEATED, type Recalled, type RecallOptions, recall } from "../recall/recall.ts";
import { isMentioned } from "../recall/signals/mention.ts";
import { type Explanation, explain } from "../recall/why.ts";
import { type LightStore, openLightStore } from "../stores/light.ts";
import { Indexing } from "./indexing.ts";
import { type Meaning, openMeaning } from "./meaning.ts";

export interface RecallRequest {
  /** How many matches at most. */
  readonly limit?: number;
  /** Matches below this score are not shown. */
  readonly threshold?: number;
  /** Recall among these skills only. */
  readonly allows?: (name: SkillName) => boolean;
  /** The caller shows the answer as it is: what is in it counts as shown in the session. */
  readonly shows?: boolean;
}

export interface RecallAnswer extends Recalled {
  readonly message: string;
  readonly ms: number;
}

export interface PromptOptions extends RecallRequest {
  readonly style?: Style;
  readonly budget?: Budget;
}

export interface Prompt extends Section {
  readonly matches: readonly Match[];
}

export function openTurns(engine: Repertoire): Turns {
  return new Turns(engine, openLightStore({ directory: engine.dataDirectory, clock: engine.clock }));
}

export class Turns {
  private readonly engine: Repertoire;
  private readonly memory: LightStore;
  private meaning: Promise<Meaning> | undefined;
  private upkeep: Indexing | undefined;

  constructor(engine: Repertoire, memory: LightStore) {
    this.engine = engine;
    this.memory = memory;
  }

  /** Within a session nothing is recalled twice unless the message names it; a repeated event recalls nothing. */
  async recall(turn: Turn, request: RecallRequest): Promise<RecallAnswer> {
    const started = performance.now();
    const before = turn.session === undefined ? undefined : this.memory.sessions.read(turn.session);
    const message = effectiveMessage(turn.message, before?.lastMessage);
    // "Yes, do it" means what the turn before recalled, shown or not.
    const again = new Set(message === turn.message ? [] : before?.recalled);
    const seen = new Set(before?.shown.filter((name) => !again.has(name)));
    const begun = this.begin(turn, message);
    const recalled =
      begun?.first === false ? REPEATED : await this.recallNow({ ...turn, message }, request, seen);
    if (begun?.first) this.remember(begun.state, turn, recalled);
    const matches = request.shows ? this.claim(turn, recalled.matches, again) : recalled.matches;
    return {
      message: turn.message,
      ...recalled,
      matches,
      ms: Math.round((performance.now() - started) * 100) / 100,
    };
  }

  /** What a session remembers: what it has seen and used, and its working memory. */
  session(id: string): SessionState {
    return this.memory.sessions.read(id);
  }

  async why(name: string, turn: Turn): Promise<Explanation> {
    const options = { ...this.engine.config.recall, ...(await this.recallOptions()) };
    return explain(this.engine.find(name), turn, options);
  }

  async prompt(turn: Turn, options: PromptOptions): Promise<Prompt> {
    const before = turn.session === undefined ? undefined : this.memory.sessions.read(turn.session);
    const style = options.style ?? this.engine.config.style;
    const limit = options.limit ?? this.engine.config.recall.limit ?? MATCHES_FOR[style];
    const request = limit === undefined ? options : { ...options, limit };
    const recalled = turn.message.trim() === "" ? [] : (await this.recall(turn, request)).matches;
    const matches = this.claim(turn, recalled);
    const section = disclose({
      style,
      budget: options.budget ?? this.engine.config.budget,
      skills: rankForDisclosure(this.engine.view().visible(), this.engine.sources),
      matches,
      readBody: (skill) => this.engine.body(skill),
      firstTurn: (before?.turn ?? 0) === 0,
      asksForList: asksForList(turn.message),
    });
    if (turn.session !== undefined && matches.length > 0) {
      this.record(turn, section, matches);
      this.keepCards(turn.session, matches);
    }
    return { ...section, matches };
  }

  /** The recall index and its upkeep, made when first asked for. */
  async indexing(): Promise<Indexing> {
    this.meaning ??= openMeaning(this.engine.config);
    const meaning = await this.meaning;
    this.upkeep ??= new Indexing(this.engine, meaning);
    return this.upkeep;
  }

  private begin(turn: Turn, message: string) {
    if (turn.session === undefined) return undefined;
    const key = turn.id === undefined ? randomUUID() : turnKey({ id: turn.id, text: turn.message });
    return this.memory.sessions.begin(turn.session, { key, message });
  }

  /** Each match goes to one caller only, unless the message names it. */
  private claim(
    turn: Turn,
    matches: readonly Match[],
    again: ReadonlySet<SkillName> = new Set(),
  ): readonly Match[] {
    if (turn.session === undefined) return matches;
    const ours = new Set(
      this.memory.sessions.claim(
        turn.session,
        matches.map(({ name }) => name),
      ),
    );
    return matches.filter((match) => ours.has(match.name) || again.has(match.name) || isMentioned(match));
  }

  private remember({ id, turn: number }: SessionState, turn: Turn, { matches, frame }: Recalled): void {
    this.memory.sessions.add(id, {
      step: "recalled",
      names: matches.map(({ name }) => name),
      frame: frame.name,
    });
    const at = this.engine.clock.now().getTime();
    const said = { session: id, turn: number, role: "user" as const, text: turn.message, at };
    const digests = matches.map((match) => ({ ...match, digest: this.digestOf(match.name) }));
    this.memory.record(recalledEvents({ at, session: id, turn: number, ...this.agent }, digests), [said]);
  }

  /** Of the catalog nothing is recorded: it stands in every prompt. A body that a style injects is an activation. */
  private record(turn: Turn, section: Section, matches: readonly Match[]): void {
    const session = turn.session!;
    const { turn: number } = this.memory.sessions.read(session);
    const context = { at: this.engine.clock.now().getTime(), session, turn: number, ...this.agent };
    const shown = section.shown
      .filter(({ name }) => matches.some((match) => match.name === name))
      .map((one) => ({ ...one, digest: this.digestOf(one.name) }));
    const injected = shown.filter(({ level }) => level === "body");
    this.memory.record([
      ...shownEvents(context, shown),
      ...injected.map((skill) => eventOf(context, { kind: "activated", skill, details: { by: "style" } })),
    ]);
    if (injected.length > 0)
      this.memory.sessions.add(session, { step: "activated", names: injected.map(({ name }) => name) });
  }

  /** The cards of this turn's skills go into the session's working memory; the least relevant leave. */
  private keepCards(session: string, matches: readonly Match[]): void {
    const { memory, frame } = this.memory.sessions.read(session);
    const cards = matches.flatMap((match) => {
      const skill = this.engine.library.skills.get(match.name);
      if (skill === undefined || match.via !== undefined) return [];
      const readBody = () => this.engine.body(skill);
      const { text } = disclose({ style: "cards", skills: [skill], matches: [match], readBody });
      return [{ refId: match.name, refType: "skill", content: text, relevance: Math.min(1, match.score) }];
    });
    const { items } = intoMemory(memory, cards, frame ?? "task");
    this.memory.sessions.add(session, { step: "memory", items });
  }

  private digestOf(name: SkillName): string {
    return this.upkeep?.digestOf(name) ?? this.engine.library.skills.get(name)?.digest ?? "";
  }

  private get agent() {
    return this.engine.config.agent === undefined ? {} : { agent: this.engine.config.agent };
  }

  /** Answers from the index as it is, and once more from a fresh one when a match turns out to have changed. */
  private async recallNow(
    turn: Turn,
    request: RecallRequest,
    seen: ReadonlySet<SkillName>,
  ): Promise<Recalled> {
    const ask = async () =>
      recall(turn, { ...this.engine.config.recall, ...(await this.recallOptions()), ...request, seen });
    const namesIn = ({ matches }: Recalled) => matches.map(({ name }) => name);
    return (await this.indexing()).answer(ask, namesIn);
  }

  private async recallOptions(): Promise<RecallOptions> {
    const index = await (await this.indexing()).current();
    const visibility = this.engine.visibility();
    const stateOf = visibility.judge();
    const places = new Map(this.engine.sources.map(({ id }, place) => [id, place]));
    return {
      index,
      ...(await this.meaning!),
      effectiveness: effectivenessFrom(this.memory.tallyBook(), { now: this.engine.clock.now().getTime() }),
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
      ...(visibility.options.allowlist && { allows: (name: SkillName) => visibility.allows(name) }),
    };
  }
}
