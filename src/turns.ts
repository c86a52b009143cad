// Owns a turn: what the session remembers -> recall -> disclose. Composes stages; no logic of its own.

import { randomUUID } from "node:crypto";
import { disclose } from "./disclose/disclose.ts";
import { asksForList } from "./disclose/question.ts";
import type { Repertoire } from "./engine.ts";
import { Indexing } from "./indexing.ts";
import { rankForDisclosure } from "./library/rank.ts";
import { type Meaning, openMeaning } from "./meaning.ts";
import type { SkillName } from "./model/name.ts";
import type { Budget, Match, Section, Style, Turn } from "./model/turn.ts";
import { effectiveMessage } from "./recall/continuation.ts";
import { type Recalled, type RecallOptions, recall } from "./recall/recall.ts";
import { NOTHING_KNOWN } from "./recall/signals/effectiveness.ts";
import { type Explanation, explain } from "./recall/why.ts";
import type { LightStore } from "./stores/light.ts";

export interface RecallRequest {
  /** How many matches at most. */
  readonly limit?: number;
  /** Matches below this score are not shown. */
  readonly threshold?: number;
  /** Recall among these skills only. */
  readonly allows?: (name: SkillName) => boolean;
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

export class Turns {
  private readonly engine: Repertoire;
  private readonly memory: LightStore;
  private meaning: Promise<Meaning> | undefined;
  private upkeep: Indexing | undefined;

  constructor(engine: Repertoire, memory: LightStore) {
    this.engine = engine;
    this.memory = memory;
  }

  /** Within a session nothing is recalled twice unless the message names it. */
  async recall(turn: Turn, request: RecallRequest): Promise<RecallAnswer> {
    const started = performance.now();
    const { session } = turn;
    const before = session === undefined ? undefined : this.memory.sessions.read(session);
    const message = effectiveMessage(turn.message, before?.lastMessage);
    const recalled = await this.recallNow({ ...turn, message }, request, new Set(before?.shown));
    if (session !== undefined) {
      this.memory.sessions.begin(session, { key: turn.id ?? randomUUID(), message });
      const names = recalled.matches.map(({ name }) => name);
      this.memory.sessions.add(session, { step: "recalled", names, frame: recalled.frame.name });
    }
    return { message: turn.message, ...recalled, ms: Math.round((performance.now() - started) * 100) / 100 };
  }

  async why(name: string, turn: Turn): Promise<Explanation> {
    return explain(this.engine.find(name), turn, await this.recallOptions());
  }

  async prompt(turn: Turn, options: PromptOptions): Promise<Prompt> {
    const before = turn.session === undefined ? undefined : this.memory.sessions.read(turn.session);
    const { matches } = turn.message.trim() === "" ? { matches: [] } : await this.recall(turn, options);
    const section = disclose({
      style: options.style ?? this.engine.config.style,
      budget: options.budget ?? this.engine.config.budget,
      skills: rankForDisclosure(this.engine.view().visible(), this.engine.sources),
      matches,
      readBody: (skill) => this.engine.body(skill),
      seen: new Set(before?.shown),
      firstTurn: (before?.turn ?? 0) === 0,
      asksForList: asksForList(turn.message),
    });
    const shown = matches
      .map(({ name }) => name)
      .filter((name) => section.shown.some((one) => one.name === name));
    if (turn.session !== undefined) this.memory.sessions.claim(turn.session, shown);
    return { ...section, matches };
  }

  /** The recall index and its upkeep, made when first asked for. */
  async indexing(): Promise<Indexing> {
    this.meaning ??= openMeaning(this.engine.config);
    const meaning = await this.meaning;
    this.upkeep ??= new Indexing(this.engine, meaning);
    return this.upkeep;
  }

  /** Answers from the index as it is, and once more from a fresh one when a match turns out to have changed. */
  private async recallNow(
    turn: Turn,
    request: RecallRequest,
    seen: ReadonlySet<SkillName>,
  ): Promise<Recalled> {
    const options = { ...this.engine.config.recall, ...(await this.recallOptions()), ...request, seen };
    const recalled = await recall(turn, options);
    const indexing = await this.indexing();
    if (indexing.stillTrue(recalled.matches.map(({ name }) => name))) return recalled;
    await indexing.refresh();
    return recall(turn, { ...options, index: await indexing.current() });
  }

  private async recallOptions(): Promise<RecallOptions> {
    const index = await (await this.indexing()).current();
    const visibility = this.engine.visibility();
    const stateOf = visibility.judge();
    const places = new Map(this.engine.sources.map(({ id }, place) => [id, place]));
    return {
      index,
      ...(await this.meaning!),
      effectiveness: NOTHING_KNOWN,
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
      ...(visibility.options.allowlist && { allows: (name: SkillName) => visibility.allows(name) }),
    };
  }
}
