// Runs a script of a mounted package: checks the request, isolates the script and returns its result.

import { constants } from "node:fs";
import { lstat, open, readdir, stat } from "node:fs/promises";
import { extname, isAbsolute, join, relative } from "node:path";
import { isInside } from "../disk/disk.ts";
import { codeOf, messageOf } from "../model/errors.ts";
import { firstOf } from "../text/lists.ts";
import { chooseInterpreter, EXTENSIONS, type ProgramPlaces } from "./interpreter.ts";
import { isolate, type PackageProgram, policyLimit, type ScriptPolicy } from "./isolation.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { realPathOrNothing, unsafePath } from "./package-path.ts";
import { runProcess } from "./process.ts";
import { findSandbox, type SandboxLookup } from "./sandbox.ts";
import { refusal, report, type ScriptResult } from "./script-result.ts";

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
  readonly findSandbox: (places: ProgramPlaces) => Promise<SandboxLookup>;
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
      `The script was not run: scripts run in a sandbox, and ${lookup.reason}. ${lookup.fix}. A person can also allow this content to run without one: scripts.unsandboxed in their configuration.`,
    );
  }
  const { mount } = script;
  return launch(request, {
    sandbox: lookup.ok ? lookup.sandbox : undefined,
    ...{ policy, mount, interpreter: choice.interpreter },
    argsAt: (place) => [join(place, relative(mount, file)), ...(request.args ?? [])],
    env: request.env,
    requires: request.requires ?? [],
  });
}

function checkInput({ args = [], stdin = "" }: ScriptRequest): ScriptResult | undefined {
  const { maxArgs, argBytes, stdinBytes } = SCRIPT_LIMITS;
  if (args.length > maxArgs) {
    return refusal("args-too-large", `${args.length} arguments were given; ${maxArgs} are allowed.`);
  }
  const nul = args.findIndex((arg) => arg.includes("\0"));
  if (nul >= 0) return refusal("execution-failed", `Argument ${nul + 1} contains a NUL character.`);
  const given = args.reduce((sum, arg) => sum + Buffer.byteLength(arg), 0);
  if (given > argBytes) {
    const advice = "Pass long text as standard input.";
    return refusal(
      "args-too-large",
      `The arguments have ${given} bytes together; ${argBytes} are allowed. ${advice}`,
    );
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

async function launch(request: ScriptRequest, program: PackageProgram): Promise<ScriptResult> {
  const { policy } = program;
  let isolated: Awaited<ReturnType<typeof isolate>>;
  try {
    isolated = await isolate(program);
  } catch (error) {
    return refusal("execution-failed", `${request.script} was not run: ${messageOf(error)}.`);
  }
  const started = performance.now();
  const limits = {
    timeoutMs: policyLimit(policy, "timeoutMs"),
    outputBytes: policyLimit(policy, "outputBytes"),
  };
  try {
    const ended = await runProcess({ ...isolated, ...limits, stdin: request.stdin, signal: request.signal });
    return report(ended, {
      script: request.script,
      isolation: isolated.isolation,
      durationMs: Math.round(performance.now() - started),
      ...limits,
      processes: policyLimit(policy, "processes"),
    });
  } finally {
    await isolated.release();
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
  return `Scripts: ${firstOf(scripts, SCRIPT_LIMITS.listedScripts)}.`;
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
