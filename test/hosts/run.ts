// Installs a host into the cache, gives it a home with skills of ours, connects it with `repertoire setup`, and runs it once.

import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Host, Started } from "./hosts.ts";

/** Not part of `npm ci`: the hosts take two gigabytes. */
const CACHE = resolve(process.env.REPERTOIRE_HOSTS_CACHE ?? "node_modules/.cache/hosts");
const PROGRAM = resolve("dist/bin.cjs");

/** Installs a package into the cache, unless it is there, and returns its `node_modules`. */
export function cached(name: string, spec: string): string {
  const folder = join(CACHE, name);
  const done = join(folder, "installed");
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private": true}\n');
    const flags = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
    execFileSync("npm", ["install", ...flags, spec], { cwd: folder, stdio: "ignore" });
    writeFileSync(done, "");
  }
  return join(folder, "node_modules");
}

/** The command that starts the pinned version of a host; installs it at the first call. */
export function programOf({ id, npm, version, bin, node }: Host): readonly string[] {
  const path = join(cached(`${id}-${version}`, `${npm}@${version}`), ".bin", bin);
  return node === undefined ? [path] : [nodeProgram(node), path];
}

/** What a host is started with in a place. */
export function startedIn(
  { home, project }: Place,
  model: { readonly url: string },
  message: string,
): Started {
  return { message, model: model.url, home, project };
}

/** A version of Node for programs that need a newer one than ours. */
export function nodeProgram(version: string): string {
  const platform = `node-${process.platform}-${process.arch}`;
  return join(cached(`node-${version}`, `${platform}@${version}`), platform, "bin", "node");
}

export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  repertoire(...args: string[]): string;
  /** What hooks were given so far, in order. */
  hookInputs(): string[];
  remove(): void;
}

/** A home and a project of their own, with the files given, and `repertoire` on the path. */
export function placeWith(files: Readonly<Record<string, string>>): Place {
  // Without our name: a line of settings that has it is one of ours.
  const root = mkdtempSync(join(tmpdir(), "host-home-"));
  const [home, project, programs, heard] = ["home", "project", "bin", "heard"].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [home, project, programs, heard]) mkdirSync(folder);
  const program = `"${process.execPath}" "${PROGRAM}" "$@"`;
  writeFileSync(
    join(programs, "repertoire"),
    `#!/bin/sh\nif [ "$1" = hook ]; then tee "${heard}/$$" | ${program}; else exec ${program}; fi\n`,
    { mode: 0o755 },
  );
  writeAll(home, files);
  const env = {
    HOME: home,
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(delimiter),
    TERM: "dumb",
    LANG: "C.UTF-8",
    // Nothing but the fake model can be reached.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
    DO_NOT_TRACK: "1",
    DISABLE_TELEMETRY: "1",
  };
  return {
    home,
    project,
    env,
    repertoire: (...args) =>
      execFileSync(join(programs, "repertoire"), args, { cwd: project, env, encoding: "utf8" }),
    hookInputs: () =>
      readdirSync(heard)
        .sort((a, b) => Number(a) - Number(b))
        .map((file) => readFileSync(join(heard, file), "utf8")),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Of a host that hangs. */
const LIMIT_SECONDS = 240;

/** Runs the host once in the place, and returns what it printed. */
export function runHost(
  host: Host,
  place: Place,
  started: Started,
  args: readonly string[] = host.args(started),
): Promise<string> {
  return runWords([...programOf(host), ...args], place, host.env?.(started));
}

/** Runs the host once in the place, and returns what it printed and its processor time with the programs that it waited for. */
export async function timeHost(
  host: Host,
  place: Place,
  started: Started,
): Promise<{ readonly output: string; readonly seconds: number }> {
  const timed = ["bash", "-c", 'TIMEFORMAT="processor %U %S"; time "$@"', "bash"];
  const words = [...timed, ...programOf(host), ...host.args(started)];
  const output = await runWords(words, place, host.env?.(started));
  const [, user, system] = /processor ([\d.]+) ([\d.]+)\s*$/.exec(output) ?? [];
  return { output, seconds: Number(user) + Number(system) };
}

/** Below the priority of everything else. */
async function runWords(words: readonly string[], place: Place, more: object = {}): Promise<string> {
  const { project, env } = place;
  const child = spawn("nice", ["-n", "10", ...words], {
    cwd: project,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      output += part;
    });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_SECONDS * 1_000);
  await new Promise((ended) => child.on("close", ended));
  clearTimeout(timer);
  await endLeft(place);
  return output;
}

/** Of what was told to end. */
const END_MS = 5_000;
const LOOK_MS = 100;

/** Ends what the host has left running, such as a daemon, and waits for its end: until then it writes. Needs /proc. */
export async function endLeft({ home }: Place): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (const id of runningIn(home)) signalled(id, signal);
    for (let waited = 0; waited < END_MS && runningIn(home).length > 0; waited += LOOK_MS)
      await delay(LOOK_MS);
  }
}

/** The processes that were started with this home. */
function runningIn(home: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => environmentOf(id).includes(`HOME=${home}`)).map(Number);
}

/** Empty if the process has ended since, or is somebody else's. */
function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, "utf8").split("\0");
  } catch (thrown) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((thrown as NodeJS.ErrnoException).code ?? ""))
      return [];
    throw thrown;
  }
}

/** Sends a signal to a process, or to a group if the id is negative; returns whether there still is one. */
export function signalled(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw thrown;
  }
}
