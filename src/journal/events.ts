// Owns what a journal event is: its kinds, what each kind tells, and the checks that a foreign event must pass.
// Does not own where events are kept (`stores/`) or who records them (`learn/journal.ts`).

import type { SkillName } from "../model/name.ts";
import type { ShownLevel } from "../model/turn.ts";

export const OUTCOMES = ["success", "failure", "neutral"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const RATINGS = ["poor", "fair", "good", "excellent"] as const;
export type Rating = (typeof RATINGS)[number];

/** What each kind of event tells besides who, when and which skill. */
export interface EventDetails {
  /** Without a skill: the message recalled none. */
  readonly recalled: { readonly score?: number; readonly rank?: number; readonly via?: SkillName };
  readonly shown: { readonly level?: ShownLevel };
  readonly activated: { readonly task?: string; readonly by?: "model" | "person" | "style" };
  readonly file_read: { readonly path: string };
  readonly script_run: {
    readonly script: string;
    readonly ok: boolean;
    readonly isolation?: string;
    readonly ms?: number;
  };
  readonly tool_call: { readonly tool: string; readonly ok: boolean; readonly ms?: number };
  /** Recorded without a skill, it goes to every skill activated in its turn, and to no other. */
  readonly outcome: { readonly result: Outcome; readonly note?: string };
  readonly feedback:
    | { readonly type: "correction"; readonly text: string }
    | { readonly type: "summary"; readonly rating: Rating; readonly text?: string };
  readonly edited: {
    /** The content that this one replaces: its history stays visible as the parent's. */
    readonly parent?: string;
    readonly version?: string;
    readonly reason?: string;
  };
  readonly archived: { readonly into?: SkillName; readonly version?: string; readonly reason?: string };
  readonly model_call: {
    readonly model: string;
    readonly purpose: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** In US dollars, where the price is known. */
    readonly cost?: number;
  };
}

export type EventKind = keyof EventDetails;

/** In the order of the store's numbers for them: add at the end only. */
export const EVENT_KINDS = [
  "recalled",
  "shown",
  "activated",
  "file_read",
  "script_run",
  "tool_call",
  "outcome",
  "feedback",
  "edited",
  "archived",
  "model_call",
] as const satisfies readonly EventKind[];

interface EventBase {
  /** Milliseconds since 1970. For people and for decay; the order of events is `seq`. */
  readonly at: number;
  readonly session?: string;
  /** Which message of the session, from 1. */
  readonly turn?: number;
  readonly agent?: string;
  readonly host?: string;
  readonly skill?: SkillName;
  /** SHA-256 of the SKILL.md that was meant, so that statistics belong to a version. */
  readonly digest?: string;
}

/** An event as it is recorded. */
export type NewEvent = {
  [K in EventKind]: EventBase & { readonly kind: K; readonly details: EventDetails[K] };
}[EventKind];

/** An event as it is kept: `seq` only ever grows, whatever the clock does. */
export type JournalEvent = NewEvent & { readonly seq: number };

/** Kinds that mean a skill was really used, not only offered. */
export const USE_KINDS: ReadonlySet<EventKind> = new Set(["activated", "file_read", "script_run"]);

const REQUIRED: Readonly<Partial<Record<EventKind, (details: Record<string, unknown>) => boolean>>> = {
  file_read: (d) => typeof d.path === "string",
  script_run: (d) => typeof d.script === "string" && typeof d.ok === "boolean",
  tool_call: (d) => typeof d.tool === "string" && typeof d.ok === "boolean",
  outcome: (d) => OUTCOMES.includes(d.result as Outcome),
  feedback: (d) =>
    (d.type === "correction" && typeof d.text === "string") ||
    (d.type === "summary" && RATINGS.includes(d.rating as Rating)),
  model_call: (d) => typeof d.model === "string" && isCount(d.inputTokens) && isCount(d.outputTokens),
};

/** The event that a foreign value stands for, or nothing when it is none. */
export function toEvent(value: unknown): NewEvent | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, at, session, turn, agent, host, skill, digest } = value;
  const details = value.details ?? {};
  if (!EVENT_KINDS.includes(kind as EventKind) || !Number.isSafeInteger(at) || !isRecord(details))
    return undefined;
  for (const text of [session, agent, host, skill, digest])
    if (text !== undefined && (typeof text !== "string" || text === "")) return undefined;
  if (turn !== undefined && !isCount(turn)) return undefined;
  if (REQUIRED[kind as EventKind]?.(details) === false) return undefined;
  const known = { kind, at, session, turn, agent, host, skill, digest, details };
  return Object.fromEntries(Object.entries(known).filter(([, v]) => v !== undefined)) as unknown as NewEvent;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
