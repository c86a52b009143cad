// Makes the section of a turn: recall, disclose, and record what was shown.

import { eventOf, type SessionState, shownEvents, type TurnStore } from "../journal/journal.ts";
import type { LibraryView } from "../library/library.ts";
import { type NamedTools, namedTools } from "../model/agent-tool-alias.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Budget, ContextMode, Match, Section, Style, Turn } from "../model/turn.ts";
import type { RecallAnswer, RecallRequest, SessionRecall } from "../recall/recall.ts";
import { MATCHES_FOR, ORDER_FOR, SEE_ALSO_FOR, SHOWS_BODIES, usualContext } from "./limits.ts";
import { asksForList } from "./question.ts";
import { disclose } from "./section.ts";
import type { ToolLine } from "./styles/style.ts";
import { keptFrom, type MemoryItem, workingMemory } from "./working-memory.ts";

export interface PromptOptions extends RecallRequest {
  readonly style?: Style | undefined;
  readonly budget?: Budget | undefined;
  /** Characters that the host takes at most, whatever the budget. */
  readonly hostChars?: number | undefined;
  /**
   * Whether the section has what is the same at every turn, such as a list of all skills. By default always in a rebuilt
   * context, else in the first turn of a session. A question for the list brings it in any case.
   */
  readonly standing?: boolean | undefined;
  /** Whether skills whose whole instructions are shown are activated in the task, with their tools; true by default. */
  readonly activates?: boolean | undefined;
  /** Which skills the standing part lists; all by default. */
  readonly lists?: CatalogChoice | undefined;
  /** The tools that the model gets, by name, so that the text names no other; those of `tools.serve` unless given. */
  readonly served?: readonly string[] | undefined;
  /** The same tools, if the host has other names for them. */
  readonly tools?: NamedTools | undefined;
  /** The task whose consents count if the style shows instructions; the session unless given. */
  readonly task?: string | undefined;
}

/** Chooses and orders what a catalog lists. `counted` skills more are mentioned by their number. */
export type CatalogChoice = (skills: readonly Skill[]) => {
  readonly listed: readonly Skill[];
  readonly counted: number;
};

export interface Prompt extends Section {
  readonly matches: readonly Match[];
}

/** Activates skills in a task and returns the tools that they brought. */
export type BringTools = (
  names: readonly SkillName[],
  context: Pick<Turn, "session" | "host"> & { readonly agent?: string | undefined; readonly task: string },
) => Promise<ReadonlyMap<SkillName, readonly ToolLine[]>>;

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
  /** Activates skills that a person has agreed to in a task, and returns the tools that they brought. */
  readonly bringTools: BringTools;
  readonly settings: {
    readonly style: Style;
    readonly context?: ContextMode | undefined;
    readonly order?: RecallRequest["order"];
    readonly budget?: Budget | undefined;
    readonly limit?: number | undefined;
    /** The tools that the text names. */
    readonly tools: NamedTools;
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
    const context = options.context ?? settings.context ?? usualContext(style);
    const isRebuilt = context === "rebuild";
    const limit = options.limit ?? settings.limit ?? MATCHES_FOR[style];
    const order = options.order ?? settings.order ?? ORDER_FOR[style];
    const showsBodies = SHOWS_BODIES.has(style);
    const { agent, task = turn.session } = options;
    let bodies: ReadonlyMap<SkillName, string> | undefined;
    // An engine that cannot read instructions fails here, so that another one can take the turn.
    const beforeRecord = async (found: readonly Match[]) => {
      const earlier = isRebuilt ? await this.keptFor(turn, found) : [];
      const names = [...found, ...earlier].map(({ name }) => name);
      bodies = await this.bodiesOf(names, { agent, task });
    };
    const isEmpty = turn.message.trim() === "";
    const answer = isEmpty
      ? undefined
      : await recall({
          ...options,
          context,
          limit,
          order,
          seeAlso: SEE_ALSO_FOR[style],
          beforeRecord: showsBodies ? beforeRecord : undefined,
        });
    const recalled = answer?.matches ?? [];
    const marked = await sessions.markShown(turn, recalled);
    const { session } = marked;
    const matches = isRebuilt ? recalled : marked.matches;
    const firstTurn = answer === undefined ? await this.isUnused(turn.session) : (answer.turn ?? 1) <= 1;
    const kept = isRebuilt && showsBodies ? await this.keptFor(turn, matches) : [];
    const names = showsBodies ? [...matches, ...kept].map(({ name }) => name) : [];
    const read = bodies ?? (await this.bodiesOf(names, { agent, task }));
    const agreed = names.filter((name) => read.has(name));
    const tools =
      style === "tiers" && task !== undefined && options.activates !== false && agreed.length > 0
        ? await this.needs.bringTools(agreed, { ...turn, agent, task })
        : undefined;
    const asked = {
      style,
      budget: options.budget ?? settings.budget,
      hostChars: options.hostChars,
      matches,
      kept,
      near: answer?.near,
      bodyOf: ({ name }: Skill) => read.get(name),
      toolsOf: ({ name }: Skill) => tools?.get(name),
      tools: options.tools ?? (options.served ? namedTools(options.served) : settings.tools),
      standing: options.standing ?? (isRebuilt || firstTurn),
      asksForList: asksForList(turn.message),
    };
    const section = await this.needs.withSkills(options.agent, (all) => {
      const { listed, counted } = options.lists?.(all) ?? { listed: all, counted: 0 };
      return disclose({ ...asked, skills: listed, counted });
    });
    if (session !== undefined && matches.length > 0)
      await this.record(turn, section, { matches, session, agent: options.agent });
    return { ...section, matches };
  }

  /** The cards of the skills that the session recalled lately: of the last turn, then the others, each most relevant first. */
  async workingMemory(session: string): Promise<readonly MemoryItem[]> {
    const { library } = await this.needs.view(undefined);
    const state = await this.needs.sessions.session(session);
    const names = new Set([...state.recalled, ...state.relevant.map(({ name }) => name)]);
    const skills = [...names].map((name) => library.skills.get(name)).filter((skill) => skill !== undefined);
    const bodies = await this.bodiesOf([...names], { task: session });
    return workingMemory(state, {
      skills,
      budget: this.needs.settings.budget,
      tools: this.needs.settings.tools,
      bodyOf: ({ name }) => bodies.get(name),
    });
  }

  /** What the session recalled before this turn and has not forgotten. */
  private async keptFor({ session }: Turn, matches: readonly Match[]): Promise<Match[]> {
    return session === undefined ? [] : keptFrom(await this.needs.sessions.session(session), matches);
  }

  private async bodiesOf(
    names: readonly SkillName[],
    reading: { readonly agent?: string | undefined; readonly task?: string | undefined },
  ): Promise<ReadonlyMap<SkillName, string>> {
    return names.length === 0 ? new Map() : this.needs.bodies(names, reading);
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
