// `repertoire hook HOST`: answers one event of a host's hook with the host's JSON, or with nothing. Never fails the host's
// turn: problems go to a log, and the exit code is always 0.

import { appendFileSync, renameSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import {
  makeFolder,
  type OpenOptions,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  type TurnEngine,
} from "../../engine/engine.ts";
import { codeOf, isRepertoireError, messageOf } from "../../model/errors.ts";
import { redacted } from "../../text/secrets.ts";
import { answerQuickly, refreshBehind } from "../answer-quickly.ts";
import { writeOut } from "../write-out.ts";
import { answerEvent } from "./answer.ts";
import { HOOK_MODES, type HookMode } from "./catalog.ts";
import { HOOK_HOSTS, type HookEvent, type HookHost, readEvent } from "./event.ts";
import { ancestorsOf, forgetSilent, markHeard } from "./heard.ts";
import { readHookInput } from "./input.ts";

/** How a hook was called. */
export interface HookCall {
  readonly host: HookHost;
  readonly mode: HookMode;
  readonly home?: string | undefined;
}

interface HookRan {
  /** For standard error, when the verb was misused. */
  readonly misuse?: string;
  /** Whether a message was answered, if only with silence: most events are messages, and their code is kept compiled. */
  readonly answered: boolean;
}

interface HookAnswer {
  /** For standard output; empty if there is nothing to add. */
  readonly output: string;
  /** Set if the index may need an update after the answer, which begins so many seconds later. */
  readonly turns?: TurnEngine | undefined;
  readonly after?: number | undefined;
  readonly isMessage?: boolean | undefined;
}

/** A host that begins a session is busy with itself; the index waits for so long. */
const HOST_START_SECONDS = 10;

/** Takes the arguments after `hook`: the host, `--home FOLDER` and `--mode MODE`; and the input, if it was read already. */
export async function runHook(words: readonly string[], input?: string | undefined): Promise<HookRan> {
  const call = readCall(words);
  if (call === undefined) {
    const misuse = `There is no hook for "${words[0] ?? ""}". Hosts: ${HOOK_HOSTS.join(", ")}.\n`;
    return { misuse, answered: false };
  }
  const { output, turns, after, isMessage = false } = await answerHook(call, () => input ?? readHookInput());
  if (output !== "") writeOut(`${output}\n`);
  const ran = { answered: isMessage };
  if (turns === undefined) return ran;
  try {
    const { dir, home: from } = turns.config;
    await refreshBehind(turns, { dir, home: from, after });
  } catch (thrown) {
    logProblem(thrown, call);
  }
  return ran;
}

/** How the hook was called; undefined if the host is unknown. */
export function readCall([named, ...flags]: readonly string[]): HookCall | undefined {
  const host = HOOK_HOSTS.find((known) => known === named);
  const given = (flag: string) => (flags.includes(flag) ? flags[flags.indexOf(flag) + 1] : undefined);
  const mode = HOOK_MODES.find((known) => known === given("--mode")) ?? "complement";
  return host && { host, mode, home: given("--home") };
}

/** Reads standard input; what goes wrong there is logged like the rest. */
async function answerHook(call: HookCall, read: () => string): Promise<HookAnswer> {
  try {
    const event = readEvent(read());
    noteHeard(event, call, process.ppid);
    if (event.kind === "other") return { output: "" };
    const options = hookOptions(call, event.dir);
    const { answer, turns } = await answerQuickly(options, (engine) =>
      answerEvent(event, { ...call, turns: engine }),
    );
    if (event.kind === "session") return { output: answer, turns, after: HOST_START_SECONDS };
    return event.kind === "message" ? { output: answer, turns, isMessage: true } : { output: answer };
  } catch (thrown) {
    logProblem(thrown, call);
    return { output: "" };
  }
}

/** Reading more instructions than this takes longer than a person waits for a message: it is done behind this one. */
const READ_AT_ONCE = 500;

/** How a hook opens its engine. */
export function hookOptions({ host, home }: HookCall, dir: string | undefined): OpenOptions {
  return { host, dir, home, encoder: "off", bodiesUpTo: READ_AT_ONCE };
}

/** Remembers the session, for `doctor` and for the MCP server that the same host started. */
export function noteHeard(event: HookEvent, { host, home }: HookCall, parent: number): void {
  const { session, dir } = event;
  const place = resolve(home ?? process.env.REPERTOIRE_HOME ?? homedir());
  markHeard(host, place, { session, dir: dir ?? "", ancestors: ancestorsOf(parent) });
  if (event.kind === "session") forgetSilent(host, place, Date.now());
}

/** A larger log is set aside once, so that a failing hook never fills a disk. */
const LOG_BYTES = 1024 * 1024;

/** Adds a line to the log of failed hooks. Knows the folder without a configuration: that may be what is broken. */
function logProblem(thrown: unknown, { host, home }: HookCall): void {
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
    makeFolder(directory, PRIVATE_FOLDER);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.old`);
    appendFileSync(path, `${redacted(JSON.stringify(line))}\n`, { mode: PRIVATE_FILE });
  } catch {
    // There is no other place to report it: hosts hide standard error, or take it for a failure.
    return;
  }
}
