// Runs a script of a mounted package: checks the request, isolates the script and returns its result.
//
// A script sees its package at the mount's path, read-only, as working directory; the system's programs, read-only; an
// empty private /tmp and home that are deleted afterwards; no network; the variables that it declared. It can keep files
// only in the policy's `write` folders (the first is $REPERTOIRE_WORK_DIR) and read a person's files only from `read` and
// `write`. The package is read-only because toolsets are loaded from it outside the sandbox; with `writable` the script
// gets a temporary copy instead.

import { constants } from "node:fs";
import { chmod, cp, lstat, mkdir, mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, isAbsolute, join, relative } from "node:path";
import { isInside } from "../disk/disk.ts";
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
import { chooseInterpreter, EXTENSIONS, type Interpreter } from "./interpreter.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { realPathOrNothing, unsafePath } from "./package-path.ts";
import { type Run, runProcess } from "./process.ts";
import { boundProcesses, type ProcessBound } from "./process-bound.ts";
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
  const scratch = needsScratch ? await mkdtemp(join(tmpdir(), "repertoire-script-")) : undefined;
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

type Folders = { readonly home: string; readonly tmp: string; readonly mount: string };

function common(job: Job, folders: Folders) {
  const { request, policy } = job;
  return {
    env: scriptEnvironment(job, folders),
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

/** Harmless variables without which output would be wrong. */
const PASSED = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"];

/** Names that change how programs start; a skill cannot require them. */
const NEVER =
  /^(LD_|DYLD_|BASH_FUNC_|NODE_OPTIONS$|NODE_PATH$|BASH_ENV$|ENV$|IFS$|SHELLOPTS$|PYTHON|PERL5|RUBY|JITI_|PATH$|HOME$|TMPDIR$|PWD$|REPERTOIRE_)/;

const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];

/** The variables that a script gets: those that the skill declares and the person agreed to, and harmless ones. */
function scriptEnvironment({ request, policy, interpreter }: Job, folders: Folders): Record<string, string> {
  const { env, requires = [] } = request;
  const { home, tmp, mount } = folders;
  // A script finds the program that runs it.
  const programFolder = dirname(interpreter.command);
  const result: Record<string, string> = { LANG: "C.UTF-8" };
  for (const name of [...PASSED, ...requires.filter((name) => !NEVER.test(name))]) {
    const value = env[name];
    if (value !== undefined) result[name] = value;
  }
  return {
    ...result,
    PATH: [...new Set([programFolder, ...SYSTEM_PATH])].join(":"),
    HOME: home,
    TMPDIR: tmp,
    TERM: "dumb",
    // The package is read-only, and caches beside the source would fail or go stale.
    PYTHONDONTWRITEBYTECODE: "1",
    JITI_FS_CACHE: "false",
    REPERTOIRE_SKILL_DIR: mount,
    // The folder into which the script may write files.
    REPERTOIRE_WORK_DIR: policy.write?.[0] ?? tmp,
  };
}

/** Copies a package, which may be read-only, to a writable one. */
async function copyWritable(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await openUp(to, { files: true });
}

/** Removes a folder, also if a script has removed the permissions on it. */
async function discard(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(codeOf(error))) throw error;
    await openUp(folder, { files: false });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Gives the owner all permissions on every folder below, and with `files` on every file; links are not followed. */
async function openUp(folder: string, { files }: { readonly files: boolean }): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openUp(path, { files });
    else if (files && entry.isFile()) await chmod(path, 0o700);
  }
}

type LocatedScript =
  | {
      readonly ok: true;
      /** The mount and the script as real paths. */
      readonly mount: string;
      readonly file: string;
      readonly firstLine: string;
    }
  | { readonly ok: false; readonly message: string };

/** Finds a script by path (`scripts/report.py`) or name (`report.py`). Files outside the package are not found. */
async function locateScript(mountPath: string, script: string): Promise<LocatedScript> {
  const mount = await realPathOrNothing(mountPath);
  if (mount === undefined) {
    return refused(`The package is not mounted at ${mountPath}. Activate the skill again.`);
  }
  const problem = unsafePath(script);
  if (problem) {
    return refused(`"${script}" is not a script of the package: ${problem}. ${await choices(mount)}`);
  }
  for (const candidate of [script, join("scripts", script)]) {
    const file = await realPathOrNothing(join(mount, candidate));
    if (file === undefined) continue;
    if (!isInside(mount, file)) {
      return refused(`"${script}" is a link that leaves the package. ${await choices(mount)}`);
    }
    if (!(await lstat(file)).isFile()) continue;
    return { ok: true, mount, file, firstLine: await readFirstLine(file) };
  }
  return refused(`The package has no script "${script}". ${await choices(mount)}`);
}

function refused(message: string): LocatedScript {
  return { ok: false, message };
}

async function readFirstLine(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(SCRIPT_LIMITS.shebangBytes), 0);
    return buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0] ?? "";
  } finally {
    await handle.close();
  }
}

async function choices(mount: string): Promise<string> {
  const scripts = await runnableFiles(mount);
  if (scripts.length === 0) return "The package has no scripts.";
  const listed = scripts.slice(0, SCRIPT_LIMITS.listedScripts);
  const more = scripts.length - listed.length;
  return `Scripts: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

async function runnableFiles(mount: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [""];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await readdir(join(mount, folder), { withFileTypes: true })) {
      seen += 1;
      if (seen > SCRIPT_LIMITS.scannedFiles) return found.sort();
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && EXTENSIONS.has(extname(entry.name)) && !path.startsWith("toolsets/"))
        found.push(path);
    }
  }
  return found.sort();
}
