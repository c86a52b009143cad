// Defines what a journal event is: its kinds, their details, how a turn becomes events, and the checks of foreign events.

import type { SkillName } from "../model/name.ts";
import type { ShownLevel } from "../model/turn.ts";
import { isRecord } from "../text/json.ts";

export const OUTCOMES = ["success", "failure", "neutral"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const RATINGS = ["poor", "fair", "good", "excellent"] as const;
export type Rating = (typeof RATINGS)[number];

/** What each kind of event says besides who, when and which skill. */
export interface EventDetails {
  /** Without a skill: the message recalled none. */
  readonly recalled: {
    readonly score?: number;
    readonly rank?: number;
    readonly via?: SkillName | undefined;
  };
  readonly shown: { readonly level?: ShownLevel };
  readonly activated: {
    readonly task?: string | undefined;
    readonly by?: "model" | "person" | "style" | undefined;
    /** Digest of the instructions: the package without its front matter. */
    readonly instructions?: string | undefined;
  };
  readonly file_read: { readonly path: string };
  readonly script_run: {
    readonly script: string;
    readonly ok: boolean;
    readonly isolation?: string;
    readonly ms?: number;
  };
  readonly tool_call: { readonly tool: string; readonly ok: boolean; readonly ms?: number };
  /** Recorded without a skill, it goes to every skill activated in its turn, and to no other. */
  readonly outcome: { readonly result: Outcome; readonly note?: string | undefined };
  readonly feedback:
    | { readonly type: "correction"; readonly text: string }
    | { readonly type: "summary"; readonly rating: Rating; readonly text?: string | undefined };
  readonly edited: {
    /** The content that this one replaces: its history stays visible as the parent's. */
    readonly parent?: string | undefined;
    readonly version?: string;
    readonly reason?: string | undefined;
  };
  readonly archived: {
    readonly into?: SkillName | undefined;
    readonly version?: string;
    readonly reason?: string | undefined;
  };
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

export interface EventBase {
  /** Milliseconds since 1970. For people and for decay; the order of events is `seq`. */
  readonly at: number;
  readonly session?: string | undefined;
  /** Which message of the session, from 1. */
  readonly turn?: number | undefined;
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
  readonly skill?: SkillName | undefined;
  /** SHA-256 of the SKILL.md that was meant, so that statistics belong to a version. */
  readonly digest?: string | undefined;
}

/** An event as it is recorded. */
export type NewEvent = {
  [K in EventKind]: EventBase & { readonly kind: K; readonly details: EventDetails[K] };
}[EventKind];

/** An event as it is kept: `seq` only ever grows, whatever the clock does. */
export type JournalEvent = NewEvent & { readonly seq: number };

/** Kinds that mean a skill was really used, not only offered. */
export const USE_KINDS: ReadonlySet<EventKind> = new Set(["activated", "file_read", "script_run"]);

/** Who is in which turn, and when. */
type TurnContext = Omit<EventBase, "skill" | "digest">;

/** A skill with the content that was meant. */
export interface SkillVersion {
  readonly name: SkillName;
  readonly digest: string;
}

/** One event; with a skill if it is about one. */
export function eventOf<K extends EventKind>(
  turn: TurnContext,
  happened: {
    readonly kind: K;
    readonly details: EventDetails[K];
    readonly skill?: SkillVersion | undefined;
  },
): NewEvent {
  const { kind, details, skill } = happened;
  return { ...turn, kind, details, ...(skill && { skill: skill.name, digest: skill.digest }) } as NewEvent;
}

/** The skills recalled for a turn, best first. A turn without matches is an event too: it reveals a gap in the library. */
export function recalledEvents(
  turn: TurnContext,
  matches: readonly (SkillVersion & { readonly score: number; readonly via?: SkillName | undefined })[],
): readonly NewEvent[] {
  if (matches.length === 0) return [eventOf(turn, { kind: "recalled", details: {} })];
  return matches.map((skill, index) => {
    const details = { score: skill.score, rank: index + 1, via: skill.via };
    return eventOf(turn, { kind: "recalled", skill, details });
  });
}

export function shownEvents(
  turn: TurnContext,
  shown: readonly (SkillVersion & { readonly level: ShownLevel })[],
): readonly NewEvent[] {
  return shown.map((skill) => eventOf(turn, { kind: "shown", skill, details: { level: skill.level } }));
}

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

/** The event that a foreign value describes; nothing if it does not describe one. */
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

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
