// Defines what a session remembers between its turns: its steps, and the state that they add up to.

import { type Frame, isFrame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";
import type { JournalEvent, Outcome } from "./events.ts";

export interface SessionState {
  readonly id: string;
  /** How many messages the session has had. */
  readonly turn: number;
  readonly frame?: Frame | undefined;
  readonly lastMessage?: string | undefined;
  /** Every skill shown since the agent last lost its context, in the order of its first showing. */
  readonly shown: readonly SkillName[];
  /** Recalled in the last turn. */
  readonly recalled: readonly SkillName[];
  readonly activated: readonly SkillName[];
  /** Recalled lately, most relevant first; what is not recalled again fades. */
  readonly relevant: readonly RelevantSkill[];
}

export interface RelevantSkill {
  readonly name: SkillName;
  /** Between 0 and 1. */
  readonly relevance: number;
}

/** One step of a session. Steps are only ever added. */
export type SessionStep =
  | { readonly step: "turn"; readonly key: string; readonly message: string; readonly mark?: string }
  | {
      readonly step: "recalled";
      readonly names: readonly SkillName[];
      readonly frame?: Frame | undefined;
      /** Of each name, between 0 and 1; 0 for a skill that only came along with another one. */
      readonly relevance?: readonly number[] | undefined;
    }
  | { readonly step: "shown"; readonly names: readonly SkillName[]; readonly mark?: string }
  | { readonly step: "activated"; readonly names: readonly SkillName[] }
  /** The agent's context was cut: everything may be shown again. */
  | { readonly step: "forgotten" };

/** Longer messages are cut: the state only serves to understand the next, shorter one. */
const MESSAGE_LIMIT = 4_000;

const RELEVANCE = {
  /** What was not recalled again keeps this much of its relevance: it matters for two or three turns. */
  fade: 0.7,
  /** Less is forgotten. */
  least: 0.05,
} as const;

/** `mark` names the writer, so that of two writers of one key the first can be told. */
export function turnStep(turn: { key: string; message: string }, mark: string): SessionStep {
  return { step: "turn", key: turn.key, message: turn.message.slice(0, MESSAGE_LIMIT), mark };
}

/** Adds up the steps of a session, more of them as they come. Values that are not steps are ignored. */
export class SessionLog {
  private readonly id: string;
  private readonly turnMarks = new Map<string, string | undefined>();
  private readonly shownMarks = new Map<SkillName, string | undefined>();
  private readonly activated = new Set<SkillName>();
  private recalled: readonly SkillName[] = [];
  private relevance = new Map<SkillName, number>();
  private last: { frame?: Frame; message?: string } = {};

  constructor(id: string) {
    this.id = id;
  }

  take(steps: readonly unknown[]): this {
    for (const step of steps) if (isStep(step)) this.add(step);
    return this;
  }

  get state(): SessionState {
    const { id, turnMarks, shownMarks, activated, recalled, relevance, last } = this;
    return {
      id,
      turn: turnMarks.size,
      frame: last.frame,
      lastMessage: last.message,
      shown: [...shownMarks.keys()],
      recalled,
      activated: [...activated],
      relevant: [...relevance]
        .map(([name, value]) => ({ name, relevance: value }))
        .sort((a, b) => b.relevance - a.relevance || (a.name < b.name ? -1 : 1)),
    };
  }

  /** Whether the writer of this mark was the first to start the turn. */
  isFirst(key: string, mark: string): boolean {
    return this.turnMarks.get(key) === mark;
  }

  /** Of the names, those that the writer of this mark was the first to show. */
  firstShown(names: readonly SkillName[], mark: string): readonly SkillName[] {
    return [...new Set(names)].filter((name) => this.shownMarks.get(name) === mark);
  }

  private add(step: SessionStep): void {
    switch (step.step) {
      case "turn":
        if (this.turnMarks.has(step.key)) break;
        this.turnMarks.set(step.key, step.mark);
        this.last = { message: step.message };
        this.recalled = [];
        break;
      case "recalled":
        this.recalled = step.names;
        if (isFrame(step.frame)) this.last.frame = step.frame;
        this.fade(step);
        break;
      case "shown":
        for (const name of step.names) if (!this.shownMarks.has(name)) this.shownMarks.set(name, step.mark);
        break;
      case "activated":
        for (const name of step.names) this.activated.add(name);
        break;
      case "forgotten":
        this.shownMarks.clear();
    }
  }

  private fade({ names, relevance = [] }: Extract<SessionStep, { step: "recalled" }>): void {
    const now = new Map<SkillName, number>();
    for (const [name, value] of this.relevance) now.set(name, value * RELEVANCE.fade);
    for (const [index, name] of names.entries()) now.set(name, Number(relevance[index] ?? 0));
    this.relevance = new Map([...now].filter(([, value]) => value >= RELEVANCE.least));
  }
}

/** Whether a line of a session's file is a step; others may have written to the file. */
function isStep(value: unknown): value is SessionStep {
  const { step, key, message, names } = (value ?? {}) as Record<string, unknown>;
  if (step === "forgotten") return true;
  if (step === "turn") return typeof key === "string" && typeof message === "string";
  return Array.isArray(names);
}

/** What a session did, as a list of sessions shows it. */
export interface SessionSummary {
  readonly session: string;
  readonly host?: string | undefined;
  readonly agent?: string | undefined;
  readonly turns: number;
  readonly startedAt: number;
  readonly lastAt: number;
  /** Activated, in the order of the first time. */
  readonly skills: readonly SkillName[];
  /** Outcomes of skills; one that was overruled does not count. */
  readonly successes: number;
  readonly failures: number;
}

/** What the activations and outcomes of a session, oldest first, add up to. */
export function usesOf(
  events: readonly JournalEvent[],
): Pick<SessionSummary, "skills" | "successes" | "failures"> {
  const outcomes = new Map<string, Outcome>();
  const skills = new Set<SkillName>();
  for (const event of events) {
    if (event.skill === undefined) continue;
    if (event.kind === "activated") skills.add(event.skill);
    if (event.kind === "outcome") outcomes.set(`${event.turn} ${event.skill}`, event.details.result);
  }
  const ended = [...outcomes.values()];
  return {
    skills: [...skills],
    successes: ended.filter((result) => result === "success").length,
    failures: ended.filter((result) => result === "failure").length,
  };
}
