// Owns what a turn puts before the model: recall -> disclose -> what the session will remember of it. Composes stages; no
// logic of its own.

import type { Repertoire } from "../engine/engine.ts";
import { eventOf, type SessionState, shownEvents } from "../journal/journal.ts";
import { rankForDisclosure } from "../library/library.ts";
import type { Budget, Match, Section, Style, Turn } from "../model/turn.ts";
import type { RecallRequest, Recalls } from "../recall/recall.ts";
import { type Explanation, explain } from "../recall/recall.ts";
import { MATCHES_FOR } from "./limits.ts";
import { asksForList } from "./question.ts";
import { disclose } from "./section.ts";
import { type MemoryItem, workingMemory } from "./working-memory.ts";

export interface PromptOptions extends RecallRequest {
  readonly style?: Style;
  readonly budget?: Budget;
}

export interface Prompt extends Section {
  readonly matches: readonly Match[];
}

export class Turns {
  private readonly engine: Repertoire;
  private readonly recalls: Recalls;

  constructor(engine: Repertoire, recalls: Recalls) {
    this.engine = engine;
    this.recalls = recalls;
  }

  async why(name: string, turn: Turn): Promise<Explanation> {
    const options = { ...this.engine.config.recall, ...(await this.recalls.options()) };
    return explain(this.engine.find(name), turn, options);
  }

  prompt(turn: Turn, options: PromptOptions): Promise<Prompt> {
    return this.engine.tracing.trace("prompt", turn, () => this.promptFor(turn, options));
  }

  private async promptFor(turn: Turn, options: PromptOptions): Promise<Prompt> {
    const before = turn.session === undefined ? undefined : await this.recalls.session(turn.session);
    const style = options.style ?? this.engine.config.style;
    const limit = options.limit ?? this.engine.config.recall.limit ?? MATCHES_FOR[style];
    const request = limit === undefined ? options : { ...options, limit };
    const recalled =
      turn.message.trim() === "" ? [] : (await this.recalls.recall(turn, request, before)).matches;
    const { matches, session } = await this.recalls.markShown(turn, recalled);
    const section = disclose({
      style,
      budget: options.budget ?? this.engine.config.budget,
      skills: rankForDisclosure(this.engine.view(options.agent).visible(), this.engine.sources),
      matches,
      readBody: (skill) => this.engine.body(skill),
      firstTurn: (before?.turn ?? 0) === 0,
      asksForList: asksForList(turn.message),
    });
    if (session !== undefined && matches.length > 0)
      await this.record(turn, section, { matches, session, agent: options.agent });
    return { ...section, matches };
  }

  /** The cards of the skills that the session recalled lately, most relevant first. */
  async workingMemory(session: string): Promise<readonly MemoryItem[]> {
    return workingMemory(await this.recalls.session(session), (name) => {
      const skill = this.engine.library.skills.get(name);
      if (skill === undefined) return undefined;
      const matches = [{ name, score: 1, reasons: [] }];
      const readBody = () => this.engine.body(skill);
      return disclose({ style: "cards", skills: [skill], matches, readBody }).text;
    });
  }

  /** The catalog is in every prompt, so nothing is recorded of it. A body that a style injects is an activation. */
  private async record(
    turn: Turn,
    section: Section,
    {
      matches,
      session,
      agent,
    }: {
      readonly matches: readonly Match[];
      readonly session: SessionState;
      readonly agent: string | undefined;
    },
  ): Promise<void> {
    const { store } = this.recalls;
    const at = this.engine.clock.now().getTime();
    const context = { at, session: session.id, turn: session.turn, ...this.recalls.by(turn, agent) };
    const shown = section.shown
      .filter(({ name }) => matches.some((match) => match.name === name))
      .map((one) => ({ ...one, digest: this.recalls.digestOf(one.name) }));
    const injected = shown.filter(({ level }) => level === "body");
    await store.record([
      ...shownEvents(context, shown),
      ...injected.map((skill) => eventOf(context, { kind: "activated", skill, details: { by: "style" } })),
    ]);
    if (injected.length > 0)
      await store.sessions.add(session.id, {
        step: "activated",
        names: injected.map(({ name }) => name),
      });
  }
}
