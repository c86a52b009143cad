// Answers one message quickly: from the index on disk if it can, without Node's stream for the output, and with the update
// of the index after the answer.

import { writeSync } from "node:fs";
import { join } from "node:path";
import { type OpenOptions, openTurnEngine, packageRoot, type TurnEngine } from "../engine/engine.ts";
import { codeOf } from "../model/errors.ts";

/** Asks the light engine first, then, if its index is stale, the whole one; returns the one that answered, too. */
export async function answerQuickly<T>(
  options: OpenOptions,
  ask: (turns: TurnEngine) => Promise<T>,
): Promise<{ readonly answer: T; readonly turns: TurnEngine }> {
  const light = openTurnEngine(options);
  try {
    return { answer: await ask(light), turns: light };
  } catch (thrown) {
    if (codeOf(thrown) !== "index-stale") throw thrown;
  }
  const { openRepertoire } = await import("../engine/engine.ts");
  const { turns } = openRepertoire(options);
  return { answer: await ask(turns), turns };
}

/** Edits inside a known file are seen at the latest this long after they were made, once the next message comes. */
const MAX_AGE_MS = 30_000;

/** The flags of the command line that decide which library it is. */
interface LibraryFlags {
  readonly dir?: string | undefined;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
}

/**
 * Starts `repertoire index` in a child that nobody waits for, which looks for edits inside known files. Does nothing if the
 * index was updated a moment ago.
 */
export async function refreshBehind(
  turns: Pick<TurnEngine, "indexing" | "options">,
  { dir, home, config }: LibraryFlags,
): Promise<void> {
  const indexing = await turns.indexing();
  if (!indexing.claimRefresh(MAX_AGE_MS)) return;
  const { spawn } = await import("node:child_process");
  const given = Object.entries({ dir, home, config }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  const child = spawn(process.execPath, [join(packageRoot(), "dist", "bin.cjs"), ...given, "index"], {
    detached: true,
    stdio: "ignore",
    // The library of a host that does not trust the project is another one.
    env: { ...process.env, REPERTOIRE_HOST: turns.options.host },
  });
  // A child that cannot start means an older index for a while; the answer has been given.
  child.on("error", () => child.unref());
  child.unref();
}

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;
/** How long to wait before writing to a full pipe again. */
const RETRY_MS = 5;

/**
 * Writes to standard output or error at once: setting up Node's stream for a pipe loads a tenth of Node, too much for a process
 * that answers one message. Waits for a slow reader, and stops when nobody reads any more.
 */
export function writeOut(text: string, to = STANDARD_OUTPUT): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(to, bytes, done);
    } catch (thrown) {
      if (codeOf(thrown) === "EPIPE") return;
      if (codeOf(thrown) !== "EAGAIN") throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
