// Starts programs in process groups of their own, runs them with limits on time and output, and ends everything that
// they started.

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { codeOf } from "../model/errors.ts";
import { SCRIPT_LIMITS } from "./limits.ts";

/** How to start a program. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the program reads from the file descriptors 3, 4, ... */
  readonly inputs?: readonly (string | Uint8Array)[] | undefined;
  /** Called with the process's id; may stop the program; returns a function that ends the watch. */
  readonly watch?: ((pid: number, stop: () => void) => () => void) | undefined;
}

interface Run extends Launch {
  readonly stdin?: string | undefined;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Ended {
  readonly how: "exit" | "timeout" | "aborted" | "flood" | "stopped" | "not-started";
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Why the program did not start. */
  readonly error?: string | undefined;
}

/** Process groups that are killed when this process exits. */
const running = new Set<number>();
process.once("exit", () => {
  for (const pid of running) killGroup(pid);
});

/**
 * Starts a program in a process group of its own, so that one signal reaches all processes in it. What is left of the
 * group when the program or this process ends is killed. `more` opens that many pipes after those of the inputs.
 */
export function startGroup(
  { command, args, cwd, env, inputs = [] }: Launch,
  pipes: { readonly stdin: boolean; readonly more?: number },
): { readonly child: ChildProcess; readonly kill: () => void } {
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: [
      pipes.stdin ? "pipe" : "ignore",
      "pipe",
      "pipe",
      ...inputs.map(() => "pipe" as const),
      ...Array.from({ length: pipes.more ?? 0 }, () => "pipe" as const),
    ],
  });
  const { pid } = child;
  const kill = () => killGroup(pid);
  if (pid !== undefined) running.add(pid);
  child.on("exit", () => {
    kill();
    if (pid !== undefined) running.delete(pid);
  });
  for (const [index, input] of inputs.entries()) feed(child.stdio[3 + index] as Writable, input);
  return { child, kill };
}

/** Runs a program to its end; never rejects. */
export function runProcess(run: Run): Promise<Ended> {
  return new Promise((resolve) => {
    if (run.signal?.aborted) {
      resolve({ how: "aborted", exitCode: null, stdout: "", stderr: "", truncated: false });
      return;
    }
    const { child, kill } = startGroup(run, { stdin: run.stdin !== undefined });
    const output = new CappedOutput(run.outputBytes);
    let how: Ended["how"] = "exit";
    let exitCode: number | null = null;
    let error: string | undefined;
    let drained: NodeJS.Timeout | undefined;

    const end = (reason: Ended["how"]) => {
      if (how === "exit") how = reason;
      kill();
      finishSoon();
    };
    const cutOff = () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      finish();
    };
    // A grandchild that left the group may hold the pipes open forever, so the pipes are cut after a time. If this process
    // was busy until then, the pipes still have unread data, which Node reads before it runs an immediate.
    const finishSoon = () => {
      drained ??= setTimeout(() => setImmediate(cutOff), SCRIPT_LIMITS.drainMs);
    };
    const onAbort = () => end("aborted");
    const timer = setTimeout(() => end("timeout"), run.timeoutMs);
    const unwatch = child.pid === undefined ? undefined : run.watch?.(child.pid, () => end("stopped"));
    run.signal?.addEventListener("abort", onAbort, { once: true });

    let finished = false;
    const finish = () => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      clearTimeout(drained);
      unwatch?.();
      run.signal?.removeEventListener("abort", onAbort);
      resolve({ how, exitCode, ...output.texts(), error });
    };

    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.on("data", (chunk: Buffer) => {
        output.add(stream, chunk);
        if (output.seen > run.outputBytes * SCRIPT_LIMITS.floodFactor) end("flood");
      });
    }
    child.on("error", (problem) => {
      if (child.pid !== undefined) return;
      how = "not-started";
      error = problem.message;
      finish();
    });
    child.on("exit", (code) => {
      if (how === "exit") exitCode = code;
      finishSoon();
    });
    child.on("close", finish);
    if (child.stdin && run.stdin !== undefined) feed(child.stdin, run.stdin);
  });
}

function feed(stream: Writable, input: string | Uint8Array): void {
  // A program may close its input without reading it; its exit code shows whether that is an error.
  stream.on("error", () => stream.destroy());
  stream.end(input);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: all have ended already. EPERM: the remaining processes belong to another user.
    if (!["ESRCH", "EPERM"].includes(codeOf(error))) throw error;
  }
}

/** Keeps the first bytes of both streams together and counts the rest. */
class CappedOutput {
  seen = 0;
  #kept: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  add(stream: "stdout" | "stderr", chunk: Buffer): void {
    this.seen += chunk.length;
    if (this.#left === 0) return;
    const part = chunk.subarray(0, this.#left);
    this.#left -= part.length;
    this.#kept[stream].push(part);
  }

  texts(): { stdout: string; stderr: string; truncated: boolean } {
    const kept = this.#kept.stdout.concat(this.#kept.stderr);
    const truncated = this.seen > kept.reduce((sum, part) => sum + part.length, 0);
    const text = (parts: Buffer[]) => {
      const whole = Buffer.concat(parts);
      return whole.toString("utf8", 0, truncated ? lastWholeCharacter(whole) : whole.length);
    };
    return { stdout: text(this.#kept.stdout), stderr: text(this.#kept.stderr), truncated };
  }
}

/** The length at which to cut so that no UTF-8 character is split. */
function lastWholeCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
