// Runs a script of a mounted package: checks the request, isolates the script and returns its result.
//
// A script sees its package at the mount's path, read-only, as working directory; the system's programs, read-only; an
// empty private /tmp and home that are deleted afterwards; no network; the variables that it declared. It can keep files
// only in the policy's `write` folders (the first is $REPERTOIRE_WORK_DIR) and read a person's files only from `read` and
// `write`. The package is read-only because toolsets are loaded from it outside the sandbox; with `writable` the script
// gets a temporary copy instead.

import { mkdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { codeOf } from "../model/errors.ts";
import {
  findSandbox,
  SANDBOX_HOME,
  SANDBOX_INPUTS,
  SANDBOX_TMP,
  type Sandbox,
  type SandboxLookup,
  type SandboxQuery,
  sandboxArguments,
} from "./bubblewrap.ts";
import { scriptEnvironment } from "./environment.ts";
import { chooseInterpreter, type Interpreter } from "./interpreter.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { type Run, runProcess } from "./process.ts";
import { boundProcesses, type ProcessBound } from "./process-bound.ts";
import { copyWritable, discard, makeScratch } from "./scratch.ts";
import { locateScript } from "./script-path.ts";
import { refusal, report, type ScriptResult } from "./script-result.ts";

/** What a person allows; by default everything is off or limited. */
export interface ScriptPolicy {
  readonly network?: boolean | undefined;
  /** Run without isolation if there is no sandbox. */
  readonly acceptUnsandboxed?: boolean | undefined;
  /** Let the script write into a temporary copy of its package. */
  readonly writable?: boolean | undefined;
  /** Absolute paths outside the package that the script may read, or read and write. */
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
  /** Absolute paths of interpreters by language: `{ python3: "/srv/venv/bin/python" }`. */
  readonly interpreters?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly outputBytes?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly fileBytes?: number | undefined;
  readonly tmpBytes?: number | undefined;
  readonly processes?: number | undefined;
}

export interface ScriptRequest {
  /** The verified private copy of the package. */
  readonly mount: string;
  /** Relative to the mount; `report.py` also finds `scripts/report.py`. */
  readonly script: string;
  readonly args?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
  /** The environment with the variables that the script may get. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the skill declares in `requires`. */
  readonly requires?: readonly string[] | undefined;
  readonly policy?: ScriptPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The flag of the command line that sets `acceptUnsandboxed`. */
export const UNSANDBOXED_FLAG = "--no-sandbox";

export interface ScriptSystem {
  readonly findSandbox: (query: SandboxQuery) => Promise<SandboxLookup>;
}

/** Runs a script. Every failure is a result with a code; only a bug throws. */
export async function runScript(
  request: ScriptRequest,
  system: ScriptSystem = { findSandbox },
): Promise<ScriptResult> {
  const policy = request.policy ?? {};
  const problem = checkInput(request) ?? (await checkFolders(policy));
  if (problem) return problem;
  const script = await locateScript(request.mount, request.script);
  if (!script.ok) return refusal("not-found", script.message);
  const places = {
    searchPath: request.env.PATH ?? "",
    avoid: [process.cwd(), script.mount].filter((place) => place !== "/"),
  };
  const { file, firstLine } = script;
  const choice = await chooseInterpreter({ file, firstLine, chosen: policy.interpreters ?? {}, ...places });
  if (!choice.ok) return refusal("execution-failed", choice.message);
  const lookup = await system.findSandbox(places);
  if (!lookup.ok && !policy.acceptUnsandboxed) {
    return refusal(
      "no-sandbox",
      `The script was not run: scripts run inside bubblewrap, and ${lookup.reason}. ${lookup.fix}, or accept the risk with ${UNSANDBOXED_FLAG} (policy acceptUnsandboxed).`,
    );
  }
  const job = { request, policy, file, mount: script.mount, interpreter: choice.interpreter };
  return launch({ ...job, sandbox: lookup.ok ? lookup.sandbox : undefined });
}

function checkInput({ args = [], stdin = "" }: ScriptRequest): ScriptResult | undefined {
  const { maxArgs, argBytes, stdinBytes } = SCRIPT_LIMITS;
  if (args.length > maxArgs) {
    return refusal("args-too-large", `${args.length} arguments were given; ${maxArgs} are allowed.`);
  }
  for (const [index, arg] of args.entries()) {
    const bytes = Buffer.byteLength(arg);
    const which = `Argument ${index + 1}`;
    if (arg.includes("\0")) return refusal("execution-failed", `${which} contains a NUL character.`);
    if (bytes > argBytes) {
      const advice = "Pass long text as standard input.";
      return refusal("args-too-large", `${which} has ${bytes} bytes; ${argBytes} are allowed. ${advice}`);
    }
  }
  const bytes = Buffer.byteLength(stdin);
  if (bytes <= stdinBytes) return undefined;
  return refusal("args-too-large", `Standard input has ${bytes} bytes; ${stdinBytes} are allowed.`);
}

async function checkFolders({ read = [], write = [] }: ScriptPolicy): Promise<ScriptResult | undefined> {
  for (const path of [...read, ...write]) {
    if (!isAbsolute(path))
      return refusal("execution-failed", `The policy's path "${path}" must be absolute.`);
    try {
      await stat(path);
    } catch (error) {
      return refusal("execution-failed", `The policy's path "${path}" cannot be used: ${codeOf(error)}.`);
    }
  }
  return undefined;
}

interface Job {
  readonly request: ScriptRequest;
  readonly policy: ScriptPolicy;
  readonly mount: string;
  readonly file: string;
  readonly interpreter: Interpreter;
  readonly sandbox: Sandbox | undefined;
}

async function launch(job: Job): Promise<ScriptResult> {
  const { policy, sandbox, mount } = job;
  const needsScratch = policy.writable === true || !sandbox;
  const scratch = needsScratch ? await makeScratch() : undefined;
  const bound = sandbox ? await boundProcesses(limit(policy, "processes")) : undefined;
  const started = performance.now();
  try {
    const copy = scratch && policy.writable ? join(scratch, "package") : undefined;
    if (copy) await copyWritable(mount, copy);
    const run =
      sandbox && bound
        ? inSandbox({ ...job, sandbox }, { scratch: copy, bound })
        : await withoutSandbox(job, scratch ?? "", copy);
    const ended = await runProcess(run);
    return report(ended, {
      script: job.request.script,
      isolation: sandbox ? "bubblewrap" : "none",
      durationMs: Math.round(performance.now() - started),
      timeoutMs: run.timeoutMs,
      outputBytes: run.outputBytes,
      processes: limit(policy, "processes"),
    });
  } finally {
    await bound?.release();
    if (scratch) await discard(scratch);
  }
}

function inSandbox(
  job: Job & { readonly sandbox: Sandbox },
  { scratch, bound }: { readonly scratch: string | undefined; readonly bound: ProcessBound },
): Run {
  const { policy, sandbox, mount, interpreter } = job;
  const confined = sandboxArguments({
    ...{ sandbox, mount, scratch, needs: interpreter.needs },
    read: policy.read ?? [],
    write: policy.write ?? [],
    network: policy.network ?? false,
    tmpBytes: limit(policy, "tmpBytes"),
  });
  const script = limited(job, { processes: bound.ulimit, file: job.file });
  const [command = "", ...args] = bound.wrap([sandbox.path, ...confined, ...script]);
  return {
    ...common(job, { home: SANDBOX_HOME, tmp: SANDBOX_TMP, mount }),
    ...{ command, args, cwd: "/", inputs: SANDBOX_INPUTS, watch: bound.watch },
  };
}

async function withoutSandbox(job: Job, folder: string, scratch: string | undefined): Promise<Run> {
  const [home, tmp] = [join(folder, "home"), join(folder, "tmp")];
  for (const path of [home, tmp]) await mkdir(path);
  const mount = scratch ?? job.mount;
  const [command = "", ...args] = limited(job, {
    processes: 0,
    file: join(mount, relative(job.mount, job.file)),
  });
  return { ...common(job, { home, tmp, mount }), command, args, cwd: mount };
}

function common(job: Job, folders: { readonly home: string; readonly tmp: string; readonly mount: string }) {
  const { request, policy, interpreter } = job;
  return {
    env: scriptEnvironment({
      ...{ env: request.env, requires: request.requires ?? [], ...folders },
      work: policy.write?.[0] ?? folders.tmp,
      programFolder: dirname(interpreter.command),
    }),
    stdin: request.stdin,
    signal: request.signal,
    timeoutMs: limit(policy, "timeoutMs"),
    outputBytes: limit(policy, "outputBytes"),
  };
}

type Limit = "timeoutMs" | "outputBytes" | "memoryBytes" | "fileBytes" | "tmpBytes" | "processes";

/** The policy's limit, or the default if the policy's is not a positive number. Timers are limited to 31 bits. */
function limit(policy: ScriptPolicy, name: Limit): number {
  const wanted = policy[name];
  const usable = wanted !== undefined && Number.isFinite(wanted) && wanted >= 1;
  const value = usable ? Math.floor(wanted) : SCRIPT_LIMITS[name];
  return name === "timeoutMs" ? Math.min(value, 2 ** 31 - 1) : value;
}

/**
 * Sets the limits of the process, then executes the interpreter. Nothing is inserted into the text, so arguments are
 * never read as shell code. A limit that cannot be set is already lower. The option for processes is `-u` in bash and
 * `-p` in dash and busybox.
 */
const SET_LIMITS =
  '{ ulimit -c 0; ulimit -f "$1"; ulimit -d "$2"; ulimit -n "$3"; [ "$4" = 0 ] || ulimit -u "$4" || ulimit -p "$4"; } 2>/dev/null; shift 4; exec "$@"';

function limited(job: Job, { processes, file }: { readonly processes: number; readonly file: string }) {
  const { policy, interpreter, request } = job;
  const limits = [
    Math.ceil(limit(policy, "fileBytes") / 512),
    Math.ceil(limit(policy, "memoryBytes") / 1024),
    SCRIPT_LIMITS.openFiles,
    processes,
  ].map(String);
  const command = [interpreter.command, ...interpreter.options, file, ...(request.args ?? [])];
  return ["/bin/sh", "-c", SET_LIMITS, "sh", ...limits, ...command];
}
