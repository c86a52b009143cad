// `repertoire hook HOST`: answers one event of a host's hook with the host's JSON, or with nothing. Never fails the host's
// turn: problems go to a log, and the exit code is always 0.

import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  type OpenOptions,
  openTurnEngine,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  type PromptOptions,
  readInput,
  SPEC,
  type TurnEngine,
} from "../../engine/engine.ts";
import { codeOf, isRepertoireError, messageOf } from "../../model/errors.ts";
import type { Skill } from "../../model/skill.ts";
import type { ToolNames } from "../../model/turn.ts";
import { forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { redacted } from "../../text/secrets.ts";
import { answerQuickly, refreshBehind, writeOut } from "../answer-quickly.ts";
import { toolNamesIn } from "../tool-names.ts";
import { HOOK_HOSTS, type HookEvent, type HookHost, readEvent } from "./event.ts";

type MessageEvent = Extract<HookEvent, { kind: "message" }>;

interface HookRequest {
  readonly host: HookHost;
  /** Reads standard input; what goes wrong there is logged like the rest. */
  readonly read: () => string;
  readonly home?: string | undefined;
}

interface HookRan {
  /** For standard error, when the verb was misused. */
  readonly misuse?: string;
  /** Whether there was something to add to the host's prompt. */
  readonly answered: boolean;
}

interface HookAnswer {
  /** For standard output; empty if there is nothing to add. */
  readonly output: string;
  /** Set if the index may need an update after the answer. */
  readonly turns?: TurnEngine;
}

const STANDARD_INPUT = 0;

/** A message with what was pasted into it; a host sends no more. */
const INPUT_BYTES = 8 * 1024 * 1024;

/** Claude Code keeps longer output out of the prompt and shows a preview only. */
const HINT_CHARS = 10_000;

/** Two events of one message come within moments; the same words again later are another message. */
const SAME_MESSAGE_MS = 5_000;

/** Reading more skills than this takes longer than a person waits for a message: it is done behind this one, for the next. */
const READ_AT_ONCE = 500;

/** The session's catalog is read once, so it may take more than a turn's hint and still leave room. */
const CATALOG_CHARS = 4_000;

/** A host keeps what a hook adds. No tools come with it: those belong to the process that serves them. */
function hookSection({ config: { context = "append" } }: TurnEngine, host: HookHost): PromptOptions {
  return { context, activates: false, hostChars: HINT_CHARS, tools: toolNamesIn(host) };
}

/** Takes the arguments after `hook`: the host, and `--home FOLDER`. */
export async function runHook(words: readonly string[]): Promise<HookRan> {
  const [named = "", flag, folder] = words;
  const host = HOOK_HOSTS.find((known) => known === named);
  if (host === undefined) {
    const misuse = `There is no hook for "${named}". Hosts: ${HOOK_HOSTS.join(", ")}.\n`;
    return { misuse, answered: false };
  }
  const home = flag === "--home" ? folder : undefined;
  const { output, turns } = await answerHook({
    host,
    home,
    read: () => readInput(STANDARD_INPUT, INPUT_BYTES).toString("utf8"),
  });
  if (output !== "") writeOut(`${output}\n`);
  const answered = output !== "";
  if (turns === undefined) return { answered };
  try {
    const { dir, home: from } = turns.config;
    await refreshBehind(turns, { dir, home: from });
  } catch (thrown) {
    logProblem(thrown, { host, home });
  }
  return { answered };
}

async function answerHook({ host, read, home }: HookRequest): Promise<HookAnswer> {
  try {
    const event = readEvent(read());
    const options = { host, dir: event.dir, home, encoder: "off" as const };
    if (event.kind === "session") return await catalog(event, options);
    if (event.kind === "stop") await recordAnswer(event, openTurnEngine(options));
    if (event.kind !== "message" || event.text.trim() === "") return { output: "" };
    const { answer, turns } = await answerQuickly(options, async (engine) =>
      (await (await engine.indexing()).unread()) > READ_AT_ONCE ? "" : hint(event, { host, turns: engine }),
    );
    return { output: answer, turns };
  } catch (thrown) {
    logProblem(thrown, { host, home });
    return { output: "" };
  }
}

async function hint(
  event: MessageEvent,
  { host, turns }: { readonly host: HookHost; readonly turns: TurnEngine },
): Promise<string> {
  const { session, text } = event;
  const now = turns.clock.now().getTime();
  const turn = { id: messageId(event, now), message: text, session };
  // The style adaptive has sent its catalog at the start, and here needs no more than names and descriptions.
  if (turns.config.style !== "adaptive") {
    const section = await turns.prompt(turn, { ...hookSection(turns, host), standing: false });
    return contextOutput("UserPromptSubmit", section.text);
  }
  const { matches } = await turns.recall(turn);
  if (matches.length === 0) return "";
  const { store } = turns;
  const names = matches.map(({ name }) => name);
  const { fresh, state } = await store.sessions.markShown(session, names);
  if (fresh.length === 0) return "";
  const indexing = await turns.indexing();
  const skills = fresh.map((name) => indexing.skill(name)).filter((skill) => skill !== undefined);
  const { text: words, shown } = hintFor(skills, host);
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
  options: OpenOptions & { readonly host: HookHost },
): Promise<HookAnswer> {
  if (event.source === "resume") return { output: "" };
  const { answer, turns } = await answerQuickly(options, async (engine) => {
    await engine.sessions.forgetShown(event.session);
    const { style } = engine.config;
    const budget = style === "adaptive" ? { chars: CATALOG_CHARS } : undefined;
    return engine.prompt({ message: "" }, { ...hookSection(engine, options.host), budget });
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
    hookSpecificOutput: { hookEventName, additionalContext: additionalContext.slice(0, HINT_CHARS) },
  });
}

const headFor = ({ activate }: ToolNames) =>
  `Skills that fit this message. Before work that one of them covers, load it with ${activate} and follow what that returns:\n`;

/** As many as fit, best first; nothing when there are none. */
function hintFor(
  skills: readonly Skill[],
  host: HookHost,
): { readonly text: string; readonly shown: readonly Skill[] } {
  let text = headFor(toolNamesIn(host));
  const shown: Skill[] = [];
  for (const skill of skills) {
    const { name, manifest } = skill;
    const description = clip(oneLine(manifest.description), SPEC.descriptionChars);
    // Without its path: an agent that reads the file itself has asked nobody.
    const line = `- ${forLine(name)}: ${forLine(description)}\n`;
    if (text.length + line.length > HINT_CHARS) break;
    text += line;
    shown.push(skill);
  }
  return shown.length === 0 ? { text: "", shown } : { text: text.trimEnd(), shown };
}

/** A larger log is set aside once, so that a failing hook never fills a disk. */
const LOG_BYTES = 1024 * 1024;

/** Adds a line to the log of failed hooks. Knows the folder without a configuration: that may be what is broken. */
function logProblem(thrown: unknown, { host, home }: Pick<HookRequest, "host" | "home">): void {
  const directory = join(home ?? process.env.REPERTOIRE_HOME ?? homedir(), ".repertoire", "logs");
  const path = join(directory, "hook.log");
  const line = {
    at: new Date().toISOString(),
    host,
    code: codeOf(thrown) || "unexpected",
    message: messageOf(thrown),
    value: isRepertoireError(thrown) ? thrown.value : undefined,
  };
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.old`);
    appendFileSync(path, `${redacted(JSON.stringify(line))}\n`, { mode: PRIVATE_FILE });
  } catch {
    // There is no other place to report it: hosts hide standard error, or take it for a failure.
    return;
  }
}
