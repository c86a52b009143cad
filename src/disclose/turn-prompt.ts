// Owns what a turn puts before the model: recall -> disclose -> what the session will remember of it. Composes stages; no
// logic of its own.

import type { Repertoire } from "../engine/engine.ts";
import { eventOf, remember as intoMemory, shownEvents } from "../journal/journal.ts";
import { rankForDisclosure } from "../library/library.ts";
import type { Budget, Match, Section, Style, Turn } from "../model/turn.ts";
import type { RecallRequest, Recalls } from "../recall/recall.ts";
import { type Explanation, explain } from "../recall/recall.ts";
import { MATCHES_FOR } from "./limits.ts";
import { asksForList } from "./question.ts";
import { disclose } from "./section.ts";

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
    const before = turn.session === undefined ? undefined : this.recalls.session(turn.session);
    const style = options.style ?? this.engine.config.style;
    const limit = options.limit ?? this.engine.config.recall.limit ?? MATCHES_FOR[style];
    const request = limit === undefined ? options : { ...options, limit };
    const recalled = turn.message.trim() === "" ? [] : (await this.recalls.recall(turn, request)).matches;
    const matches = this.recalls.claim(turn, recalled);
    const section = disclose({
      style,
      budget: options.budget ?? this.engine.config.budget,
      skills: rankForDisclosure(this.engine.view(options.agent).visible(), this.engine.sources),
      matches,
      readBody: (skill) => this.engine.body(skill),
      firstTurn: (before?.turn ?? 0) === 0,
      asksForList: asksForList(turn.message),
    });
    if (turn.session !== undefined && matches.length > 0) {
      this.record(turn, section, { matches, agent: options.agent });
      this.keepCards(turn.session, matches);
    }
    return { ...section, matches };
  }

  /** Of the catalog nothing is recorded: it stands in every prompt. A body that a style injects is an activation. */
  private record(
    turn: Turn,
    section: Section,
    { matches, agent }: { readonly matches: readonly Match[]; readonly agent: string | undefined },
  ): void {
    const { memory } = this.recalls;
    const session = turn.session!;
    const { turn: number } = memory.sessions.read(session);
    const context = {
      at: this.engine.clock.now().getTime(),
      session,
      turn: number,
      ...this.recalls.by(turn, agent),
    };
    const shown = section.shown
      .filter(({ name }) => matches.some((match) => match.name === name))
      .map((one) => ({ ...one, digest: this.recalls.digestOf(one.name) }));
    const injected = shown.filter(({ level }) => level === "body");
    memory.record([
      ...shownEvents(context, shown),
      ...injected.map((skill) => eventOf(context, { kind: "activated", skill, details: { by: "style" } })),
    ]);
    if (injected.length > 0)
      memory.sessions.add(session, { step: "activated", names: injected.map(({ name }) => name) });
  }

  /** The cards of this turn's skills go into the session's working memory; the least relevant leave. */
  private keepCards(session: string, matches: readonly Match[]): void {
    const { sessions } = this.recalls.memory;
    const { memory, frame } = sessions.read(session);
    const cards = matches.flatMap((match) => {
      const skill = this.engine.library.skills.get(match.name);
      if (skill === undefined || match.via !== undefined) return [];
      const readBody = () => this.engine.body(skill);
      const { text } = disclose({ style: "cards", skills: [skill], matches: [match], readBody });
      return [{ refId: match.name, refType: "skill", content: text, relevance: Math.min(1, match.score) }];
    });
    const { items } = intoMemory(memory, cards, frame ?? "task");
    sessions.add(session, { step: "memory", items });
  }
}
