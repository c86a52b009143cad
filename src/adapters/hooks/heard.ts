// Remembers which sessions of a host its hook ran in, and when: one small file for each. `doctor` shows the last time, and an MCP
// server that the same host started finds its session there.

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../engine/engine.ts";
import { codeOf } from "../../model/errors.ts";
import { isRecord, jsonIn } from "../../text/json.ts";

/** A session of a host, as its hook saw it. */
interface HeardSession {
  readonly session: string;
  readonly dir: string;
  /** The processes above the hook, the nearest first; one of them is the host. */
  readonly ancestors: readonly number[];
}

interface Heard extends HeardSession {
  readonly at: number;
}

const folderOf = (host: string, home: string) => join(home, ".repertoire", "hosts", host);

/** Sessions that were silent for longer are forgotten. */
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

/** Notes that the hook of a host runs now. Where nothing can be written it runs all the same. */
export function markHeard(host: string, home: string, heard: HeardSession): void {
  const name = heard.session.replace(/[^\w.-]+/g, "-").slice(0, 100);
  try {
    writeFileAtomically(join(folderOf(host, home), `${name}.json`), JSON.stringify(heard), { sync: false });
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
}

/** The sessions of a host, the last heard first. */
export function heardSessions(host: string, home: string): Heard[] {
  const folder = folderOf(host, home);
  return names(folder)
    .flatMap((name): Heard[] => {
      const path = join(folder, name);
      const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      const heard = at === undefined ? undefined : readHeard(path);
      return heard === undefined ? [] : [{ ...heard, at: at! }];
    })
    .sort((a, b) => b.at - a.at);
}

/** Milliseconds since 1970; undefined if it never ran. */
export function lastHeard(host: string, home: string): number | undefined {
  const folder = folderOf(host, home);
  const times = names(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Removes sessions that were silent for long. */
export function forgetSilent(host: string, home: string, now: number): void {
  const folder = folderOf(host, home);
  for (const name of names(folder)) {
    const path = join(folder, name);
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - at > FORGOTTEN_MS) rmSync(path, { force: true });
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function readHeard(path: string): HeardSession | undefined {
  let value: unknown;
  try {
    value = jsonIn(readFileSync(path, "utf8"));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
  if (!isRecord(value) || typeof value.session !== "string" || typeof value.dir !== "string")
    return undefined;
  const ancestors = Array.isArray(value.ancestors)
    ? value.ancestors.filter((pid) => Number.isInteger(pid))
    : [];
  return { session: value.session, dir: value.dir, ancestors };
}

/** Processes above the hook that are looked at: a shell, perhaps a wrapper, the host. */
const GENERATIONS = 4;

/** The processes above this one, the nearest first; where the system does not say, its parent alone. */
export function ancestorsOf(parent: number): number[] {
  const found: number[] = [];
  for (let pid = parent; pid > 1 && found.length < GENERATIONS; pid = parentOf(pid)) found.push(pid);
  return found;
}

function parentOf(pid: number): number {
  try {
    // The name of the program, in parentheses, may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
