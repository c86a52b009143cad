// Answers hooks from a process that lives as long as a session, such as our MCP server: the hook asks over a socket and gets the
// answer that it would have given itself, without opening an engine of its own.

import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join, resolve } from "node:path";
import {
  type OpenOptions,
  openTurnEngine,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  type TurnEngine,
} from "../../engine/engine.ts";
import { codeOf } from "../../model/errors.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import { refreshBehind } from "../answer-quickly.ts";
import { answerEvent } from "./answer.ts";
import { readEvent } from "./event.ts";
import { hookOptions, noteHeard, readCall } from "./hook.ts";
import {
  pidOfSocket,
  socketFolder,
  socketName,
  TAKE_MS,
  TAKEN,
  type WarmAnswer,
  type WarmRequest,
} from "./warm-socket.ts";

/** What systems accept as the path of a socket, less a margin. */
const PATH_BYTES = 100;

/** Bytes of a request: the message, twice for escapes, and the environment. */
const REQUEST_BYTES = 24 * 1024 * 1024;

/** Engines that are kept: a session works in one folder, now and then in a second one. */
const ENGINES = 4;

/** What the hook is told, and the engine whose index may need an update. */
interface Answered extends WarmAnswer {
  readonly turns?: TurnEngine | undefined;
}

/** The hook answers itself, and logs what is wrong. */
const NO_ANSWER: Answered = {};

interface WarmEngine {
  readonly turns: TurnEngine;
  /** What the engine was opened from; another state means another answer. */
  readonly state: string;
  /** Filled with the environment of each hook, which decides which skills are available. */
  readonly env: Record<string, string | undefined>;
}

export interface WarmOptions {
  readonly home: string;
  /** Called if there will be no answers from here, with the reason. */
  readonly onProblem: (error: unknown) => void;
}

/** Begins to answer; returns how to end it. On Windows, and if the home's path is too long, hooks answer themselves. */
export function answerHooks({ home, onProblem }: WarmOptions): () => void {
  const folder = socketFolder(resolve(home));
  const path = join(folder, socketName(process.pid));
  if (process.platform === "win32" || Buffer.byteLength(path) > PATH_BYTES) return () => {};
  const engines = new WarmEngines(resolve(home));
  let last: Promise<unknown> = Promise.resolve();
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.unref();
    receive(socket, (text) => {
      // One after the other, as the steps of a session come.
      last = last.then(async () => {
        const { turns, ...answer } = await engines
          .answer(text, () => socket.write(TAKEN))
          .catch(() => NO_ANSWER);
        socket.end(JSON.stringify(answer));
        if (turns) await refreshBehind(turns, turns.config).catch(onProblem);
      });
    });
  });
  server.on("error", onProblem);
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    chmodSync(folder, PRIVATE_FOLDER);
    removeDead(folder);
    listenPrivately(server, path);
    server.unref();
  } catch (thrown) {
    onProblem(thrown);
  }
  return () => {
    server.close();
    rmSync(path, { force: true });
  };
}

/** Nobody else can open the socket at any moment: it is made with its mode, which is done before `listen` returns. */
function listenPrivately(server: Server, path: string): void {
  const usual = process.umask(0o777 & ~PRIVATE_FILE);
  try {
    server.listen(path);
  } finally {
    process.umask(usual);
  }
}

/** Collects a request; one that is too large, or whose sender is gone, is dropped. */
function receive(socket: Socket, take: (text: string) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  socket.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > REQUEST_BYTES) socket.destroy();
    else parts.push(part);
  });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => take(Buffer.concat(parts).toString("utf8")));
}

/** Removes the sockets of processes that are gone. */
function removeDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = pidOfSocket(name);
    if (pid !== undefined && !isAlive(pid)) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

class WarmEngines {
  private readonly home: string;
  private readonly open = new Map<string, WarmEngine>();

  constructor(home: string) {
    this.home = home;
  }

  /** Nothing if the hook has to answer itself: its request is not for us, is too old, or needs a scan. */
  async answer(text: string, onTaken: () => void): Promise<Answered> {
    const request = asRequest(jsonIn(text));
    const call = request && readCall(request.words);
    if (!request || !call || request.home !== this.home || isLate(request)) return NO_ANSWER;
    const event = readEvent(request.input);
    const known = { ...call, home: this.home };
    noteHeard(event, known, request.parent);
    const key = JSON.stringify([call.host, event.dir, request.cwd, settingsIn(request.env)]);
    const { turns } = this.engine(
      key,
      hookOptions(known, event.dir ?? request.env.REPERTOIRE_DIR ?? request.cwd),
      request,
    );
    try {
      const take = () => {
        if (isLate(request)) throw new Error("The hook may have answered by itself.");
        onTaken();
      };
      const output = await answerEvent(event, { ...known, turns, take });
      return { output, turns: event.kind === "message" ? turns : undefined };
    } catch (thrown) {
      this.open.delete(key);
      throw thrown;
    }
  }

  private engine(key: string, options: OpenOptions, { env }: WarmRequest): WarmEngine {
    const known = this.open.get(key);
    this.open.delete(key);
    if (known) setAll(known.env, env);
    const engine = known && isCurrent(known, options.host) ? known : openWarm(options, env);
    this.open.set(key, engine);
    for (const old of [...this.open.keys()].slice(0, -ENGINES)) this.open.delete(old);
    return engine;
  }
}

function openWarm(options: OpenOptions, given: WarmRequest["env"]): WarmEngine {
  const env = { ...given };
  const turns = openTurnEngine({ ...options, env });
  return { turns, env, state: stateOf(turns) };
}

function setAll(env: WarmEngine["env"], given: WarmRequest["env"]): void {
  for (const name of Object.keys(env)) delete env[name];
  Object.assign(env, given);
}

/** Whether neither the configuration nor anybody's decision about the folder has changed. */
function isCurrent({ turns, state }: WarmEngine, host: string | undefined): boolean {
  return state === stateOf(turns) && turns.project.shown === turns.projectFor(host).shown;
}

const isLate = ({ sentAt }: WarmRequest) => Date.now() - sentAt > TAKE_MS;

/** The times of all that an engine was opened from: its configuration, and the folder of the stored library and index. */
function stateOf({ config }: TurnEngine): string {
  const { home, dir, files, cacheDir } = config;
  const own = [join(home, ".repertoire"), dir];
  const paths = [...files, ...own.map((folder) => join(folder, "repertoire.config.json")), cacheDir ?? ""];
  return paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0).join(" ");
}

/** The variables that configure us. */
function settingsIn(env: WarmRequest["env"]): (readonly [string, string | undefined])[] {
  return Object.entries(env).filter(([name]) => name.startsWith("REPERTOIRE_"));
}

function asRequest(value: unknown): WarmRequest | undefined {
  if (!isRecord(value) || !isRecord(value.env) || !Array.isArray(value.words)) return undefined;
  const texts = [value.input, value.home, value.cwd, ...value.words];
  if (!texts.every((text) => typeof text === "string")) return undefined;
  if (!Number.isSafeInteger(value.parent) || !Number.isFinite(value.sentAt)) return undefined;
  return value as unknown as WarmRequest;
}
