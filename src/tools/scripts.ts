// Owns running a script of a mounted package: checks, isolation, result. The front door for scripts.
// Does not own consent or the mount: the caller hands over a verified copy and answers `not-consented` itself.
//
// What a script sees: its package at the mount's path, read-only, as working directory; the system's programs,
// read-only; a private, empty /tmp and home that vanish; no network; the variables it declared. It keeps files
// only in the policy's `write` folders (the first is $REPERTOIRE_WORK_DIR) and reads a person's files only from
// `read` and `write`. The package stays read-only because toolsets are loaded from it outside the sandbox; with
// `writable` the script gets a throw-away copy instead.

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

export {
  type Isolation,
  refusal,
  SCRIPT_ERRORS,
  type ScriptErrorCode,
  type ScriptResult,
} from "./script-result.ts";

/** What a person allows; everything is off or limited unless it says otherwise. */
export interface ScriptPolicy {
  readonly network?: boolean | undefined;
  /** Run without isolation where there is no sandbox. */
  readonly acceptUnsandboxed?: boolean | undefined;
  /** Let the script write into a throw-away copy of its package. */
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
  /** The environment to take the allowed variables from. */
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
    ...{ command, args, cwd: "/", inputs: SANDBOX_INPUTS },
    ...(bound.watch ? { watch: bound.watch } : {}),
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

/** A number that is none, or not positive, does not switch a limit off; timers end at 31 bits. */
function limit(policy: ScriptPolicy, name: Limit): number {
  const wanted = policy[name];
  const usable = wanted !== undefined && Number.isFinite(wanted) && wanted >= 1;
  const value = usable ? Math.floor(wanted) : SCRIPT_LIMITS[name];
  return name === "timeoutMs" ? Math.min(value, 2 ** 31 - 1) : value;
}

/**
 * Sets the limits of the process, then becomes the interpreter. Arguments stay arguments: the text is fixed. A limit
 * that cannot be set is already lower. `-u` is bash's word for processes, `-p` that of dash and busybox.
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
