// Owns a host's hook: one event in, the host's JSON out, or nothing. Never fails the host's turn.
// The engine recalls, and its store knows what the session has seen.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type OpenOptions, openRecaller, type Recaller, recallQuickly } from "../../engine/engine.ts";
import type { NewEvent } from "../../journal/journal.ts";
import { type HookEvent, type HookHost, readEvent } from "./event.ts";
import { HINT, hintFor } from "./hint.ts";
import { logProblem } from "./problem-log.ts";

type MessageEvent = Extract<HookEvent, { kind: "message" }>;

export interface HookRequest {
  readonly host: HookHost;
  /** Reads standard input; what goes wrong there is logged like the rest. */
  readonly read: () => string;
  readonly home?: string | undefined;
}

export interface HookAnswer {
  /** For standard output; empty when there is nothing to say. */
  readonly output: string;
  /** Set when an index may have to be brought up to date behind the answer. */
  readonly engine?: Recaller;
}

/** Two events of one message come within moments; the same words again later are another message. */
const SAME_MESSAGE_MS = 5_000;

/** Reading more skills than this takes longer than a person waits for a message: it is done behind this one, for the next. */
const READ_AT_ONCE = 500;

/** The session's catalog is read once, so it may take more than a turn's hint and still leave room. */
const CATALOG_CHARS = 4_000;

export async function answerHook({ host, read, home }: HookRequest): Promise<HookAnswer> {
  try {
    const event = readEvent(read());
    const options = {
      host,
      ...(event.dir !== undefined && { dir: event.dir }),
      ...(home !== undefined && { home }),
    };
    if (event.kind === "session") return await catalog(event, options);
    if (event.kind === "stop") await recordAnswer(event, openRecaller(options));
    if (event.kind !== "message" || event.text.trim() === "") return { output: "" };
    const { answer, engine } = await recallQuickly(options, async (recaller) =>
      (await hasTooMuchToRead(recaller)) ? "" : hint(event, { host, recaller }),
    );
    return { output: answer, engine };
  } catch (thrown) {
    noteProblem(thrown, { host, home });
    return { output: "" };
  }
}

/** Knows the folder without a configuration: that may be what is broken. */
export function noteProblem(thrown: unknown, { host, home }: Pick<HookRequest, "host" | "home">): void {
  const base = home ?? process.env.REPERTOIRE_HOME ?? homedir();
  logProblem(join(base, ".repertoire", "logs"), { host, thrown, at: new Date() });
}

async function hasTooMuchToRead(recaller: Recaller): Promise<boolean> {
  return (await (await recaller.indexing()).unread()) > READ_AT_ONCE;
}

async function hint(
  event: MessageEvent,
  { host, recaller }: { readonly host: HookHost; readonly recaller: Recaller },
): Promise<string> {
  const { session, text } = event;
  const now = recaller.clock.now().getTime();
  const { matches } = await recaller.recall({ id: messageId(event, now), message: text, session });
  if (matches.length === 0) return "";
  const store = recaller.turnStore;
  const names = matches.map(({ name }) => name);
  const { fresh, state } = await store.sessions.markShown(session, names);
  if (fresh.length === 0) return "";
  const indexing = await recaller.indexing();
  const skills = fresh.map((name) => indexing.skill(name)).filter((skill) => skill !== undefined);
  const { text: words, shown } = hintFor(skills);
  const { agent } = recaller.config;
  await store.record(
    shown.map(
      ({ name, digest }): NewEvent => ({
        at: now,
        session,
        turn: state.turn,
        host,
        agent,
        kind: "shown",
        skill: name,
        digest,
        details: { level: "full" },
      }),
    ),
  );
  return contextOutput("UserPromptSubmit", words);
}

/** A resumed session still holds its catalog, and what it was shown; a cleared or compacted one has lost both. */
async function catalog(
  event: Extract<HookEvent, { kind: "session" }>,
  options: OpenOptions,
): Promise<HookAnswer> {
  if (event.source === "resume") return { output: "" };
  const { answer, engine } = await recallQuickly(options, async (recaller) => {
    await recaller.forgetShown(event.session);
    return recaller.prompt({ message: "" }, { style: "adaptive", budget: { chars: CATALOG_CHARS } });
  });
  return { output: contextOutput("SessionStart", answer.text), engine };
}

async function recordAnswer(
  { session, answer }: Extract<HookEvent, { kind: "stop" }>,
  { clock, turnStore }: Recaller,
): Promise<void> {
  const { turn } = await turnStore.sessions.read(session);
  if (answer === undefined || turn === 0) return;
  const at = clock.now().getTime();
  await turnStore.record([], [{ session, turn, role: "assistant", text: answer, at }]);
}

/** The host's id of the turn; else the place in the conversation, else the moment, tells two equal messages apart. */
function messageId({ id, text, transcript }: MessageEvent, now: number): string {
  if (id !== undefined) return id;
  const place = transcript === undefined ? undefined : statSync(transcript, { throwIfNoEntry: false })?.size;
  return `${place ?? `t${Math.floor(now / SAME_MESSAGE_MS)}`}:${text}`;
}

function contextOutput(hookEventName: string, additionalContext: string): string {
  if (additionalContext === "") return "";
  return JSON.stringify({
    hookSpecificOutput: { hookEventName, additionalContext: additionalContext.slice(0, HINT.chars) },
  });
}
