// Installs a host into the cache, gives it a home with skills of ours, connects it with `repertoire setup`, and runs it once.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Host, Started } from "./hosts.ts";

/** Not part of `npm ci`: the hosts take two gigabytes. */
const CACHE = resolve(process.env.REPERTOIRE_HOSTS_CACHE ?? "node_modules/.cache/hosts");
const PROGRAM = resolve("dist/bin.cjs");

/** Installs a package into the cache, unless it is there, and returns its `node_modules`. */
function cached(name: string, packages: readonly string[]): string {
  const folder = join(CACHE, name);
  const modules = join(folder, "node_modules");
  const done = join(folder, "installed");
  if (existsSync(done)) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true}\n');
  const flags = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, ...packages], { cwd: folder, stdio: "ignore" });
  writeFileSync(done, "");
  return modules;
}

/** The command that starts the pinned version of a host; installs it at the first call. */
export function programOf({ id, npm, version, bin, node }: Host): readonly string[] {
  const path = join(cached(`${id}-${version}`, [`${npm}@${version}`]), ".bin", bin);
  if (node === undefined) return [path];
  const platform = `node-${process.platform}-${process.arch}`;
  return [join(cached(`node-${node}`, [`${platform}@${node}`]), platform, "bin", "node"), path];
}

export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  repertoire(...args: string[]): string;
}

/** A home and a project of their own, with the files given, and `repertoire` on the path. */
export function placeWith(files: Readonly<Record<string, string>>): Place {
  const root = mkdtempSync(join(tmpdir(), "repertoire-host-"));
  const [home, project, programs] = ["home", "project", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, project, programs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(programs, "repertoire"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  });
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
    repertoire: (...args) => execFileSync("repertoire", args, { cwd: project, env, encoding: "utf8" }),
  };
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** Runs the host once in the place, below the priority of everything else, and ends it when it takes too long. */
export function runHost(
  host: Host,
  { project, env }: Place,
  started: Started,
  limitSeconds = 240,
): Promise<Ran> {
  const begun = Date.now();
  const child = spawn("nice", ["-n", "10", ...programOf(host), ...host.args(started)], {
    cwd: project,
    env: { ...env, ...host.env?.(started) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
  // A host starts programs of its own: the whole group ends.
  const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const timer = setTimeout(end, limitSeconds * 1_000);
  return new Promise((settle) =>
    child.on("close", (code) => {
      clearTimeout(timer);
      settle({ code, output, seconds: (Date.now() - begun) / 1_000 });
    }),
  );
}
