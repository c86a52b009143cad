// Which hosts are on this machine, and how each is connected: for `setup --list` and `doctor`.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { isRepertoireError } from "../../../model/errors.ts";
import { lastHeard } from "../heard.ts";
import { HOST_TABLE, SETUP_HOSTS, type SetupHost, type SetupMode, type SetupPlaces } from "./hosts.ts";
import { findProgram } from "./program.ts";
import { setupState } from "./setup.ts";

/** One host on this machine. */
export interface HostReport {
  readonly host: SetupHost;
  readonly title: string;
  /** "run" if this row was tried with the real program, else "documentation". */
  readonly evidence: "run" | "documentation";
  readonly installed: boolean;
  /** What `--version` printed. */
  readonly version?: string | undefined;
  readonly connected: boolean;
  readonly mode: SetupMode;
  /** When its hook last ran, in milliseconds since 1970. */
  readonly heardAt?: number | undefined;
  /** What would have to be done, in words. */
  readonly missing: readonly string[];
}

export function isInstalled(host: SetupHost, places: SetupPlaces): boolean {
  const { programs, folder } = HOST_TABLE[host];
  return programs.some((name) => findProgram(name, places.env) !== undefined) || existsSync(folder(places));
}

/** All hosts in the order of the table. Versions are asked for side by side, and a host that does not answer has none. */
export function hostReports(places: SetupPlaces): Promise<HostReport[]> {
  return Promise.all(SETUP_HOSTS.map((host) => hostReport(host, places)));
}

async function hostReport(host: SetupHost, places: SetupPlaces): Promise<HostReport> {
  const { title, known, hears } = HOST_TABLE[host];
  const installed = isInstalled(host, places);
  const { mode, server, hooks, problem } = stateOf(host, places);
  const heardAt = lastHeard(host, places.home);
  const connected = server || hooks;
  const missing = problem === undefined ? [] : [problem];
  if (installed && !connected && problem === undefined)
    missing.push(`not connected: repertoire setup ${host}`);
  if (connected && mode !== "off") {
    if (hasServer(host, places) && !server) missing.push(`its MCP server: repertoire setup ${host}`);
    if (hears !== "nothing" && !hooks) missing.push(`its hook: repertoire setup ${host}`);
    if (hooks && heardAt === undefined)
      missing.push("its hook has never run: restart the host, and trust its hooks if it asks");
  }
  if (connected && !installed) missing.push("the host itself was not found");
  return {
    host,
    title,
    evidence: "run" in known ? "run" : "documentation",
    installed,
    version: installed ? await versionOf(host, places) : undefined,
    connected,
    mode,
    heardAt,
    missing,
  };
}

function hasServer(host: SetupHost, places: SetupPlaces): boolean {
  return HOST_TABLE[host].edits(places, { words: [], line: "" }).server.length > 0;
}

function stateOf(
  host: SetupHost,
  places: SetupPlaces,
): ReturnType<typeof setupState> & { readonly problem?: string | undefined } {
  try {
    return setupState(host, places);
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    return { mode: "complement", server: false, hooks: false, problem: thrown.message };
  }
}

/** A host that takes longer to print its version is not waited for. */
const VERSION_MS = 5_000;

function versionOf(host: SetupHost, { env }: SetupPlaces): Promise<string | undefined> {
  const program = HOST_TABLE[host].programs
    .map((name) => findProgram(name, env))
    .find((path) => path !== undefined);
  if (program === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const options = { timeout: VERSION_MS, env: { ...env }, shell: program.endsWith(".cmd") };
    const child = execFile(program, ["--version"], options, (error, out) =>
      resolve(error ? undefined : /\d+\.\d+[\w.+-]*/.exec(out)?.[0]),
    );
    child.stdin?.end();
  });
}
