// Holds the process in which a skill's toolsets run: sends it calls, reads its answers, and kills it when it runs out of
// time, prints without end, says something that is not an answer, or is not needed any more.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { messageOf } from "../model/errors.ts";
import type { IsolatedProgram } from "./isolation.ts";
import { SCRIPT_LIMITS, TOOLSET_LIMITS } from "./limits.ts";
import { startGroup } from "./process.ts";
import type { PlainOutput } from "./tool-output.ts";
import {
  type LoadedEntry,
  type LoadRequest,
  readWorkerLine,
  type WorkerLine,
  type WorkerRequest,
} from "./toolset-protocol.ts";

/** How a call ended. */
export type ToolAnswer =
  | ({ readonly how: "result" } & PlainOutput)
  | { readonly how: "invalid"; readonly issues: readonly string[] }
  | { readonly how: "failed"; readonly why: string }
  | { readonly how: "timeout" | "aborted" };

export interface ToolCall {
  readonly toolset: string;
  readonly tool: string;
  readonly args: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What was loaded; `stopped` says why the process ended before it had loaded everything. */
interface LoadOutcome {
  readonly loaded: readonly LoadedEntry[];
  readonly stopped?: { readonly isLate: boolean; readonly why: string } | undefined;
}

interface PendingCall {
  readonly settle: (answer: ToolAnswer) => void;
  /** Set when the call was cancelled and the tool may still obey. */
  cut?: "timeout" | "aborted";
  grace?: NodeJS.Timeout;
}

interface PendingLoad {
  readonly entries: number;
  readonly loaded: LoadedEntry[];
  readonly settle: (outcome: LoadOutcome) => void;
}

export class ToolsetWorker {
  private readonly program: IsolatedProgram;
  private readonly child: ChildProcess;
  private readonly kill: () => void;
  private readonly unwatch: (() => void) | undefined;
  private readonly calls = new Map<string, PendingCall>();
  private loading: PendingLoad | undefined;
  private idle: NodeJS.Timeout | undefined;
  private printed = 0;
  private lastPrinted = "";
  private whyEnded: string | undefined;
  private released: Promise<unknown> | undefined;

  constructor(program: IsolatedProgram) {
    this.program = program;
    const { child, kill } = startGroup(program, { stdin: true, more: this.needsLifeline ? 2 : 1 });
    this.child = child;
    this.kill = kill;
    this.unwatch =
      child.pid === undefined
        ? undefined
        : program.watch?.(child.pid, () => this.end("it started too many processes"));
    child.on("error", (error) => this.end(`its process could not be started: ${error.message}`));
    child.on("close", (code, signal) => this.end(this.crash(code, signal)));
    // A grandchild that left the group may hold the pipes open.
    child.on("exit", (code, signal) =>
      setTimeout(() => this.end(this.crash(code, signal)), SCRIPT_LIMITS.drainMs).unref(),
    );
    for (const stream of this.pipes) stream.on("error", () => stream.destroy());
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => this.print(chunk));
    readLines(this.answers, (line) => this.read(line));
    this.rest();
  }

  get isAlive(): boolean {
    return this.whyEnded === undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Loads entries one after the other. */
  load(request: Omit<LoadRequest, "answers" | "lifeline">, loadMs: number): Promise<LoadOutcome> {
    return new Promise((resolve) => {
      if (this.whyEnded !== undefined) {
        resolve({ loaded: [], stopped: { isLate: false, why: this.whyEnded } });
        return;
      }
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.end("it was not loaded in time");
      }, loadMs);
      const settle = (outcome: LoadOutcome) => {
        clearTimeout(timer);
        this.loading = undefined;
        const { stopped } = outcome;
        resolve({ ...outcome, stopped: stopped && { ...stopped, isLate } });
        this.rest();
      };
      this.loading = { entries: request.entries.length, loaded: [], settle };
      this.wake();
      const answers = 3 + (this.program.inputs?.length ?? 0);
      const lifeline = this.needsLifeline ? answers + 1 : undefined;
      this.write(`${JSON.stringify({ ...request, answers, lifeline } satisfies LoadRequest)}\n`);
    });
  }

  /** Calls a tool. When its time is over it is told to stop, and its process is killed if it does not. */
  async call({ toolset, tool, args, timeoutMs, signal }: ToolCall): Promise<ToolAnswer> {
    // Another tool of the skill cannot guess it, and so cannot answer in the place of this one.
    const id = randomBytes(16).toString("hex");
    const line = asLine({ call: id, toolset, tool, args });
    if (line === undefined) return { how: "invalid", issues: ["arguments: they are not JSON, or too long"] };
    if (this.whyEnded !== undefined) return { how: "failed", why: this.whyEnded };
    return new Promise((resolve) => {
      const cut = (how: "timeout" | "aborted") => {
        if (pending.cut) return;
        pending.cut = how;
        this.write(`${JSON.stringify({ cancel: id } satisfies WorkerRequest)}\n`);
        pending.grace = setTimeout(
          () => this.end("another call did not stop when its time was over"),
          TOOLSET_LIMITS.graceMs,
        );
      };
      const onAbort = () => cut("aborted");
      const timer = setTimeout(() => cut("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
      const pending: PendingCall = {
        settle: (answer) => {
          clearTimeout(timer);
          clearTimeout(pending.grace);
          signal?.removeEventListener("abort", onAbort);
          this.calls.delete(id);
          resolve(pending.cut ? { how: pending.cut } : answer);
          this.rest();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.calls.set(id, pending);
      this.printed = 0;
      this.wake();
      this.write(line);
    });
  }

  /** Kills the process and removes what was made for it. */
  async stop(): Promise<void> {
    this.end("its process was stopped");
    await this.released;
  }

  /** bubblewrap kills its processes when this one is gone; elsewhere they must notice it. */
  private get needsLifeline(): boolean {
    return this.program.isolation !== "bubblewrap";
  }

  private get answers(): Socket {
    return this.child.stdio[3 + (this.program.inputs?.length ?? 0)] as Socket;
  }

  private get pipes(): Socket[] {
    return this.child.stdio.filter((stream) => stream !== null && stream !== undefined) as Socket[];
  }

  private write(line: string): void {
    this.child.stdin?.write(line);
  }

  private read(line: string | undefined): void {
    const message = line === undefined ? undefined : readWorkerLine(line);
    if (!message || !this.accept(message)) this.end("its process said something that is not an answer");
  }

  /** Whether the message is one that was asked for. */
  private accept(message: WorkerLine): boolean {
    if ("loaded" in message) {
      const { loading } = this;
      if (message.loaded !== loading?.loaded.length) return false;
      loading.loaded.push(message);
      if (loading.loaded.length === loading.entries) loading.settle({ loaded: loading.loaded });
      return true;
    }
    const call = this.calls.get(message.answer);
    if ("result" in message) call?.settle({ how: "result", ...message.result });
    else if ("invalid" in message) call?.settle({ how: "invalid", issues: message.invalid });
    else call?.settle({ how: "failed", why: message.failed });
    return call !== undefined;
  }

  private print(chunk: Buffer): void {
    this.printed += chunk.length;
    this.lastPrinted = (this.lastPrinted + chunk.toString("latin1")).slice(-TOOLSET_LIMITS.keptBytes);
    if (this.printed > TOOLSET_LIMITS.printedBytes) this.end("it printed too much");
  }

  private crash(code: number | null, signal: string | null): string {
    const lines = Buffer.from(this.lastPrinted, "latin1").toString("utf8").split("\n");
    const reason = lines.find((line) => /\berror\b|Error:/i.test(line)) ?? "";
    const how = code === null ? `was killed (${signal})` : `ended with exit code ${code}`;
    return `its process ${how}${reason === "" ? "" : `: ${reason.trim().slice(0, 300)}`}`;
  }

  /** Only a process that works for somebody keeps this one from ending. */
  private rest(): void {
    if (this.calls.size > 0 || this.loading || !this.isAlive) return;
    this.child.unref();
    for (const pipe of this.pipes) if (!pipe.destroyed) pipe.unref();
    this.idle = setTimeout(() => this.end("nobody called it for a long time"), TOOLSET_LIMITS.idleMs).unref();
  }

  private wake(): void {
    clearTimeout(this.idle);
    this.child.ref();
    this.answers.ref();
  }

  private end(why: string): void {
    if (this.whyEnded !== undefined) return;
    this.whyEnded = why;
    clearTimeout(this.idle);
    this.unwatch?.();
    this.kill();
    for (const pipe of this.pipes) pipe.destroy();
    this.loading?.settle({ loaded: this.loading.loaded, stopped: { isLate: false, why } });
    for (const call of [...this.calls.values()]) call.settle({ how: "failed", why });
    // What cannot be removed is an empty folder or group. It must not make a call fail that has its answer.
    this.released = this.program.release().catch(messageOf);
  }
}

/** The request as a line; undefined if its arguments cannot be sent. */
function asLine(request: WorkerRequest): string | undefined {
  try {
    const line = `${JSON.stringify(request)}\n`;
    return line.length > SCRIPT_LIMITS.stdinBytes ? undefined : line;
  } catch (error) {
    // A circle or a BigInt, or a `toJSON` that throws.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** Splits a stream into lines; `undefined` means that a line is too long. */
function readLines(stream: Socket, onLine: (line: string | undefined) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      from = at + 1;
      onLine(line);
    }
    const rest = chunk.subarray(from);
    parts.push(rest);
    length += rest.length;
    if (length <= TOOLSET_LIMITS.lineBytes) return;
    parts = [];
    length = 0;
    onLine(undefined);
  });
}
