// Starts a program of a mounted package as what it may be: in the sandbox, with limits, and with the variables that the
// skill declares.
//
// The program sees its package at the mount's path, read-only, as working directory; the system's programs, read-only; an
// empty private /tmp and home that are deleted afterwards; no network. It can keep files only in the policy's `write`
// folders (the first is $REPERTOIRE_WORK_DIR) and read a person's files only from `read` and `write`. With `writable` it
// gets a temporary copy of its package instead.

import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { bubblewrapArguments, bubblewrapInputs, SANDBOX_HOME, SANDBOX_TMP } from "./bubblewrap.ts";
import type { Interpreter } from "./interpreter.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { realPathOrNothing } from "./package-path.ts";
import type { Launch } from "./process.ts";
import { boundProcesses } from "./process-bound.ts";
import type { Sandbox } from "./sandbox.ts";
import { seatbeltProfile } from "./seatbelt.ts";

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

/** How a program was isolated; `none` means that it ran without isolation, or did not run. */
export type Isolation = "bubblewrap" | "sandbox-exec" | "none";

export interface PackageProgram {
  /** Undefined only if a person accepts that there is none. */
  readonly sandbox: Sandbox | undefined;
  readonly policy: ScriptPolicy;
  /** The package as a real path. */
  readonly mount: string;
  readonly interpreter: Interpreter;
  /** The arguments of the interpreter, for the path at which the program sees its package. */
  readonly argsAt: (mount: string) => readonly string[];
  /** The environment with the variables that the program may get. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the skill declares in `requires`. */
  readonly requires: readonly string[];
  /** Folders of installed packages that a program in JavaScript may import. */
  readonly modules?: readonly string[] | undefined;
}

/** A program that is ready to start. */
export interface IsolatedProgram extends Launch {
  readonly isolation: Isolation;
  /** Removes what was made for the program; call it after the program has ended. */
  release(): Promise<void>;
}

/** Prepares the program's isolation. Fails if the sandbox cannot express it. */
export async function isolate(program: PackageProgram): Promise<IsolatedProgram> {
  return program.sandbox?.kind === "bubblewrap"
    ? inBubblewrap({ ...program, sandbox: program.sandbox })
    : inFolder({ ...program, sandbox: program.sandbox });
}

type In<Kind> = PackageProgram & { readonly sandbox: Kind };

async function inBubblewrap(program: In<Extract<Sandbox, { kind: "bubblewrap" }>>): Promise<IsolatedProgram> {
  const { sandbox, policy, mount, interpreter, modules = [] } = program;
  const folder = policy.writable ? await mkdtemp(join(tmpdir(), "repertoire-script-")) : undefined;
  const bound = await boundProcesses(policyLimit(policy, "processes"));
  const release = async () => {
    await bound.release();
    if (folder) await discard(folder);
  };
  try {
    const scratch = folder && (await copyWritable(mount, folder));
    const confined = bubblewrapArguments({
      ...{ sandbox, mount, scratch, needs: interpreter.needs },
      read: [...(policy.read ?? []), ...modules],
      write: policy.write ?? [],
      network: policy.network ?? false,
      tmpBytes: policyLimit(policy, "tmpBytes"),
    });
    const started = limited(program, { mount, processes: bound.ulimit });
    const [command = "", ...args] = bound.wrap([sandbox.path, ...confined, ...started]);
    const env = environment(program, { home: SANDBOX_HOME, tmp: SANDBOX_TMP, mount });
    const inputs = bubblewrapInputs(sandbox);
    return { command, args, cwd: "/", env, inputs, watch: bound.watch, isolation: sandbox.kind, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Without bubblewrap the private folders are real ones, in a folder that is deleted afterwards. */
async function inFolder(
  program: In<Exclude<Sandbox, { kind: "bubblewrap" }> | undefined>,
): Promise<IsolatedProgram> {
  const { sandbox, policy } = program;
  const folder = await mkdtemp(join(await realpath(tmpdir()), "repertoire-script-"));
  const release = () => discard(folder);
  try {
    const [home, tmp] = [join(folder, "home"), join(folder, "tmp")];
    for (const path of [home, tmp]) await mkdir(path);
    const copy = policy.writable ? await copyWritable(program.mount, folder) : undefined;
    const mount = copy ?? program.mount;
    const confined = sandbox ? [sandbox.path, "-p", await profileOf(program, { home, tmp, copy })] : [];
    const [command = "", ...args] = [...confined, ...limited(program, { mount, processes: 0 })];
    const env = environment(program, { home, tmp, mount });
    return { command, args, cwd: mount, env, isolation: sandbox?.kind ?? "none", release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function profileOf(
  { policy, mount, interpreter, modules = [] }: PackageProgram,
  { home, tmp, copy }: { readonly home: string; readonly tmp: string; readonly copy: string | undefined },
): Promise<string> {
  // A profile is about real paths. Interpreters name files that some installations do not have.
  const real = async (paths: readonly string[]) =>
    (await Promise.all(paths.map(realPathOrNothing))).filter((path) => path !== undefined);
  const package_ = await real([mount]);
  const profile = seatbeltProfile({
    read: [...package_, ...(await real([...interpreter.needs, ...(policy.read ?? []), ...modules]))],
    write: await real([home, tmp, ...(copy ? [copy] : []), ...(policy.write ?? [])]),
    protect: package_,
    network: policy.network ?? false,
  });
  if ("text" in profile) return profile.text;
  throw new Error(`the path ${JSON.stringify(profile.refused)} cannot be used in a sandbox; rename it`);
}

type Limit = "timeoutMs" | "outputBytes" | "memoryBytes" | "fileBytes" | "tmpBytes" | "processes";

/** The policy's limit, or the default if the policy's is not a positive number. Timers are limited to 31 bits. */
export function policyLimit(policy: ScriptPolicy, name: Limit): number {
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

function limited(
  { policy, interpreter, argsAt }: PackageProgram,
  { mount, processes }: { readonly mount: string; readonly processes: number },
): string[] {
  const limits = [
    Math.ceil(policyLimit(policy, "fileBytes") / 512),
    Math.ceil(policyLimit(policy, "memoryBytes") / 1024),
    SCRIPT_LIMITS.openFiles,
    processes,
  ].map(String);
  const command = [interpreter.command, ...interpreter.options, ...argsAt(mount)];
  return ["/bin/sh", "-c", SET_LIMITS, "sh", ...limits, ...command];
}

/** Harmless variables without which output would be wrong. */
const PASSED = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"];

/** Names that change how programs start; a skill cannot require them. */
const NEVER =
  /^(LD_|DYLD_|BASH_FUNC_|NODE_OPTIONS$|NODE_PATH$|BASH_ENV$|ENV$|IFS$|SHELLOPTS$|PYTHON|PERL5|RUBY|JITI_|PATH$|HOME$|TMPDIR$|PWD$|REPERTOIRE_)/;

const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];

interface Folders {
  readonly home: string;
  readonly tmp: string;
  readonly mount: string;
}

/** The variables that a program gets: those that the skill declares and the person agreed to, and harmless ones. */
function environment(program: PackageProgram, { home, tmp, mount }: Folders): Record<string, string> {
  const { env, requires, policy, interpreter, modules = [] } = program;
  // A program finds the interpreter that runs it.
  const programFolder = dirname(interpreter.command);
  const result: Record<string, string> = { LANG: "C.UTF-8" };
  for (const name of [...PASSED, ...requires.filter((name) => !NEVER.test(name))]) {
    const value = env[name];
    if (value !== undefined) result[name] = value;
  }
  if (modules.length > 0) result.NODE_PATH = modules.join(delimiter);
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
    // The folder into which the program may write files.
    REPERTOIRE_WORK_DIR: policy.write?.[0] ?? tmp,
  };
}

/** Copies a package, which may be read-only, to a writable one. */
async function copyWritable(from: string, folder: string): Promise<string> {
  const to = join(folder, "package");
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await openUp(to, { files: true });
  return to;
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
