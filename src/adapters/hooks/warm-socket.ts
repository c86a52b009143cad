// Where a hook finds a server of ours that is warm, and what it asks: one JSON object each way over a socket in the private folder.

import { join } from "node:path";

/** A hook's call, as it would have answered it itself. */
export interface WarmRequest {
  /** The arguments after `hook`. */
  readonly words: readonly string[];
  readonly input: string;
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The process that started the hook. */
  readonly parent: number;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** The output, or nothing if the hook has to answer itself. */
export interface WarmAnswer {
  readonly output?: string | undefined;
}

/**
 * Sent before the answer, as a line: the server is about to record the event. Only then does the hook leave the event to it, since
 * who comes second finds the event recorded and has nothing to say.
 */
export const TAKEN = "taken\n";

/** Milliseconds after which a server no longer takes an event, and leaves it to the hook. */
export const TAKE_MS = 1_500;

/** Milliseconds after which a hook answers an event that nobody has taken; more than `TAKE_MS`. */
export const UNTAKEN_MS = 2_000;

/** Milliseconds that a hook waits for the answer to an event that was taken: less than the host waits for the hook. */
export const ANSWER_MS = 30_000;

declare const QUICK_BUNDLE: string;

/** Tells builds apart: only the same code gives the same answer. */
function buildName(): string {
  return typeof QUICK_BUNDLE === "undefined" ? "source" : QUICK_BUNDLE.replace(/^quick-|\.cjs$/g, "");
}

export function socketFolder(home: string): string {
  return join(home, ".repertoire", "run");
}

export function socketName(pid: number): string {
  return `${buildName()}-${pid}.sock`;
}

/** The process of a socket of this build; undefined for every other file. */
export function pidOfSocket(name: string): number | undefined {
  const build = `${buildName()}-`;
  if (!name.startsWith(build)) return undefined;
  const pid = /^(\d+)\.sock$/.exec(name.slice(build.length))?.[1];
  return pid === undefined ? undefined : Number(pid);
}
