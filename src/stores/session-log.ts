// Owns how the steps of a session add up to its state. Does not own where the steps are kept.

import { isFrame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";
import type { MemoryItem, SessionState, SessionStep } from "../model/session.ts";

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
  const turnClaims = new Map<string, string | undefined>();
  const shownClaims = new Map<SkillName, string | undefined>();
  const activated = new Set<SkillName>();
  let recalled: readonly SkillName[] = [];
  let memory: readonly MemoryItem[] = [];
  let last: { frame?: SessionState["frame"]; message?: string } = {};
  for (const step of steps.filter(isStep)) {
    switch (step.step) {
      case "turn":
        if (turnClaims.has(step.key)) break;
        turnClaims.set(step.key, step.claim);
        last = { message: step.message };
        recalled = [];
        break;
      case "recalled":
        recalled = step.names;
        if (isFrame(step.frame)) last.frame = step.frame;
        break;
      case "shown":
        for (const name of step.names) if (!shownClaims.has(name)) shownClaims.set(name, step.claim);
        break;
      case "activated":
        for (const name of step.names) activated.add(name);
        break;
      case "memory":
        memory = step.items;
    }
  }
  const state: SessionState = {
    id,
    turn: turnClaims.size,
    ...(last.frame !== undefined && { frame: last.frame }),
    ...(last.message !== undefined && { lastMessage: last.message }),
    shown: [...shownClaims.keys()],
    recalled,
    activated: [...activated],
    memory,
  };
  return { state, turnClaims, shownClaims };
}

/** Whether a line of a session's file can be read as a step; the file may hold what others wrote. */
function isStep(value: unknown): value is SessionStep {
  const step = value as Partial<Record<string, unknown>> & { step?: unknown };
  if (step.step === "turn") return typeof step.key === "string" && typeof step.message === "string";
  return Array.isArray(step.step === "memory" ? step.items : step.names);
}
