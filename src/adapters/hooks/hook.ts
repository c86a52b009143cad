// Answers one event of a host's hook with the host's JSON, or with nothing. Never fails the host's turn.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type OpenOptions, openTurnEngine, type TurnEngine } from "../../engine/engine.ts";
import { answerQuickly } from "../answer-quickly.ts";
import { type HookEvent, type HookHost, readEvent } from "./event.ts";
import { HINT, hintFor } from "./hint.ts";
import { logProblem } from "./problem-log.ts";

type MessageEvent = Extract<HookEvent, { kind: "message" }>;

interface HookRequest {
  readonly host: HookHost;
  /** Reads standard input; what goes wrong there is logged like the rest. */
  readonly read: () => string;
  readonly home?: string | undefined;
}

interface HookAnswer {
  /** For standard output; empty if there is nothing to add. */
  readonly output: string;
  /** Set if the index may need an update after the answer. */
  readonly turns?: TurnEngine;
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
    const options = { host, dir: event.dir, home };
    if (event.kind === "session") return await catalog(event, options);
    if (event.kind === "stop") await recordAnswer(event, openTurnEngine(options));
    if (event.kind !== "message" || event.text.trim() === "") return { output: "" };
    const { answer, turns } = await answerQuickly(options, async (engine) =>
      (await hasTooMuchToRead(engine)) ? "" : hint(event, { host, turns: engine }),
    );
    return { output: answer, turns };
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

async function hasTooMuchToRead(turns: TurnEngine): Promise<boolean> {
  return (await (await turns.indexing()).unread()) > READ_AT_ONCE;
}

async function hint(
  event: MessageEvent,
  { host, turns }: { readonly host: HookHost; readonly turns: TurnEngine },
): Promise<string> {
  const { session, text } = event;
  const now = turns.clock.now().getTime();
  const { matches } = await turns.recall({ id: messageId(event, now), message: text, session });
  if (matches.length === 0) return "";
  const { store } = turns;
  const names = matches.map(({ name }) => name);
  const { fresh, state } = await store.sessions.markShown(session, names);
  if (fresh.length === 0) return "";
  const indexing = await turns.indexing();
  const skills = fresh.map((name) => indexing.skill(name)).filter((skill) => skill !== undefined);
  const { text: words, shown } = hintFor(skills);
  const { agent } = turns.config;
  await store.record(
    shown.map(({ name, digest }) => ({
      at: now,
      session,
      turn: state.turn,
      host,
      agent,
      kind: "shown",
      skill: name,
      digest,
      details: { level: "full" },
    })),
  );
  return contextOutput("UserPromptSubmit", words);
}

/** A resumed session still holds its catalog, and what it was shown; a cleared or compacted one has lost both. */
async function catalog(
  event: Extract<HookEvent, { kind: "session" }>,
  options: OpenOptions,
): Promise<HookAnswer> {
  if (event.source === "resume") return { output: "" };
  const { answer, turns } = await answerQuickly(options, async (engine) => {
    await engine.sessions.forgetShown(event.session);
    return engine.prompt({ message: "" }, { style: "adaptive", budget: { chars: CATALOG_CHARS } });
  });
  return { output: contextOutput("SessionStart", answer.text), turns };
}

async function recordAnswer(
  { session, answer }: Extract<HookEvent, { kind: "stop" }>,
  { clock, store }: TurnEngine,
): Promise<void> {
  const { turn } = await store.sessions.read(session);
  if (answer === undefined || turn === 0) return;
  const at = clock.now().getTime();
  await store.record([], [{ session, turn, role: "assistant", text: answer, at }]);
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
