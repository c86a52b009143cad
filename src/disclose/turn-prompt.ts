// Makes the section of a turn: recall, disclose, and record what was shown.

import { eventOf, type SessionState, shownEvents, type TurnStore } from "../journal/journal.ts";
import type { LibraryView } from "../library/library.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Budget, Match, Section, Style, Turn } from "../model/turn.ts";
import type { RecallAnswer, RecallRequest, SessionRecall } from "../recall/recall.ts";
import { MATCHES_FOR, SEE_ALSO_FOR, SHOWS_BODIES } from "./limits.ts";
import { asksForList } from "./question.ts";
import { disclose } from "./section.ts";
import { type MemoryItem, workingMemory } from "./working-memory.ts";

export interface PromptOptions extends RecallRequest {
  readonly style?: Style | undefined;
  readonly budget?: Budget | undefined;
  /** The task whose consents count if the style shows instructions; the session unless given. */
  readonly task?: string | undefined;
}

export interface Prompt extends Section {
  readonly matches: readonly Match[];
}

interface TurnPromptNeeds {
  readonly recall: (turn: Turn, request: RecallRequest) => Promise<RecallAnswer>;
  readonly sessions: Pick<SessionRecall, "session" | "markShown" | "digestOf" | "actor">;
  readonly store: TurnStore;
  /** Makes something of what an agent may see now, in the order in which it competes for room. Asks twice if stored skills prove damaged. */
  readonly withSkills: <T>(agent: string | undefined, make: (skills: readonly Skill[]) => T) => Promise<T>;
  /** What an agent may see of the library. */
  readonly view: (agent: string | undefined) => Promise<LibraryView>;
  /** The instructions of those skills that a person has agreed to. */
  readonly bodies: (
    names: readonly SkillName[],
    reading: { readonly agent?: string | undefined; readonly task?: string | undefined },
  ) => Promise<ReadonlyMap<SkillName, string>>;
  readonly settings: {
    readonly style: Style;
    readonly budget?: Budget | undefined;
    readonly limit?: number | undefined;
  };
  readonly now: () => number;
}

export class TurnPrompt {
  private readonly needs: TurnPromptNeeds;

  constructor(needs: TurnPromptNeeds) {
    this.needs = needs;
  }

  /** The section of a turn. `recall` makes the turn's recall, or returns the one that was made before. */
  async prompt(
    turn: Turn,
    options: PromptOptions = {},
    recall = (request: RecallRequest) => this.needs.recall(turn, request),
  ): Promise<Prompt> {
    const { settings, sessions } = this.needs;
    const style = options.style ?? settings.style;
    const limit = options.limit ?? settings.limit ?? MATCHES_FOR[style];
    const isEmpty = turn.message.trim() === "";
    const answer = isEmpty ? undefined : await recall({ ...options, limit, seeAlso: SEE_ALSO_FOR[style] });
    const { matches, session } = await sessions.markShown(turn, answer?.matches ?? []);
    const budget = options.budget ?? settings.budget;
    const firstTurn = answer === undefined ? await this.isUnused(turn.session) : (answer.turn ?? 1) <= 1;
    const near = answer?.near;
    const { agent, task = turn.session } = options;
    const names = SHOWS_BODIES.has(style) ? matches.map(({ name }) => name) : [];
    const asked = {
      style,
      budget,
      matches,
      near,
      bodyOf: await this.bodiesOf(names, { agent, task }),
      firstTurn,
      asksForList: asksForList(turn.message),
    };
    const section = await this.needs.withSkills(options.agent, (skills) => disclose({ ...asked, skills }));
    if (session !== undefined && matches.length > 0)
      await this.record(turn, section, { matches, session, agent: options.agent });
    return { ...section, matches };
  }

  /** The cards of the skills that the session recalled lately, most relevant first. */
  async workingMemory(session: string): Promise<readonly MemoryItem[]> {
    const { library } = await this.needs.view(undefined);
    const state = await this.needs.sessions.session(session);
    const known = state.relevant.map(({ name }) => name).filter((name) => library.skills.has(name));
    const bodyOf = await this.bodiesOf(known, { task: session });
    return workingMemory(state, (name) => {
      const skill = library.skills.get(name);
      if (skill === undefined) return undefined;
      const matches = [{ name, score: 1, evidence: 1, boosts: 0, reasons: [] }];
      return disclose({ style: "cards", skills: [skill], matches, bodyOf }).text;
    });
  }

  private async bodiesOf(
    names: readonly SkillName[],
    reading: { readonly agent?: string | undefined; readonly task?: string | undefined },
  ): Promise<(skill: Skill) => string | undefined> {
    const bodies = names.length === 0 ? undefined : await this.needs.bodies(names, reading);
    return ({ name }) => bodies?.get(name);
  }

  private async isUnused(session: string | undefined): Promise<boolean> {
    return session === undefined || (await this.needs.sessions.session(session)).turn === 0;
  }

  /** The catalog is in every prompt, so it is not recorded. A body that a style includes counts as an activation. */
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
    const { sessions, store } = this.needs;
    const actor = sessions.actor(turn, agent);
    const context = { at: this.needs.now(), session: session.id, turn: session.turn, ...actor };
    const named = section.shown.filter(({ name }) => matches.some((match) => match.name === name));
    const shown = await Promise.all(
      named.map(async (one) => ({ ...one, digest: await sessions.digestOf(one.name) })),
    );
    const injected = shown.filter(({ level }) => level === "body");
    await store.record([
      ...shownEvents(context, shown),
      ...injected.map((skill) => eventOf(context, { kind: "activated", skill, details: { by: "style" } })),
    ]);
    if (injected.length > 0)
      await store.sessions.add(session.id, { step: "activated", names: injected.map(({ name }) => name) });
  }
}
