// Owns how the steps of a session add up to its state. Does not own where the steps are kept.

import { isFrame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";
import type { MemoryItem, SessionState, SessionStep } from "./session.ts";

/** Longer messages are cut: the state only serves to understand the next, shorter one. */
const MESSAGE_LIMIT = 4_000;

/** A session's state, and who was first with each turn and each shown skill. */
export interface SessionAccount {
  readonly state: SessionState;
  readonly turnClaims: ReadonlyMap<string, string | undefined>;
  readonly shownClaims: ReadonlyMap<SkillName, string | undefined>;
}

export function turnStep(turn: { key: string; message: string }, claim: string): SessionStep {
  return { step: "turn", key: turn.key, message: turn.message.slice(0, MESSAGE_LIMIT), claim };
}

/** Adds up the steps; what is no step is passed over. */
export function accountOf(id: string, steps: readonly unknown[]): SessionAccount {
  return new RunningAccount(id).take(steps);
}

/** An account that goes on: a long session is not added up from its beginning at every message. */
export class RunningAccount implements SessionAccount {
  readonly turnClaims = new Map<string, string | undefined>();
  readonly shownClaims = new Map<SkillName, string | undefined>();
  private readonly id: string;
  private readonly activated = new Set<SkillName>();
  private recalled: readonly SkillName[] = [];
  private memory: readonly MemoryItem[] = [];
  private last: { frame?: SessionState["frame"]; message?: string } = {};

  constructor(id: string) {
    this.id = id;
  }

  take(steps: readonly unknown[]): this {
    for (const step of steps) if (isStep(step)) this.add(step);
    return this;
  }

  get state(): SessionState {
    const { id, turnClaims, shownClaims, activated, recalled, memory, last } = this;
    return {
      id,
      turn: turnClaims.size,
      ...(last.frame !== undefined && { frame: last.frame }),
      ...(last.message !== undefined && { lastMessage: last.message }),
      shown: [...shownClaims.keys()],
      recalled,
      activated: [...activated],
      memory,
    };
  }

  private add(step: SessionStep): void {
    switch (step.step) {
      case "turn":
        if (this.turnClaims.has(step.key)) break;
        this.turnClaims.set(step.key, step.claim);
        this.last = { message: step.message };
        this.recalled = [];
        break;
      case "recalled":
        this.recalled = step.names;
        if (isFrame(step.frame)) this.last.frame = step.frame;
        break;
      case "shown":
        for (const name of step.names)
          if (!this.shownClaims.has(name)) this.shownClaims.set(name, step.claim);
        break;
      case "activated":
        for (const name of step.names) this.activated.add(name);
        break;
      case "memory":
        this.memory = step.items;
        break;
      case "forgotten":
        this.shownClaims.clear();
    }
  }
}

/** Whether a line of a session's file can be read as a step; the file may hold what others wrote. */
function isStep(value: unknown): value is SessionStep {
  const step = value as Partial<Record<string, unknown>> & { step?: unknown };
  if (step.step === "forgotten") return true;
  if (step.step === "turn") return typeof step.key === "string" && typeof step.message === "string";
  return Array.isArray(step.step === "memory" ? step.items : step.names);
}
