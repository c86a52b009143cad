// Answers one message quickly: from the index on disk if it can, and with the update of the index after the answer.

import { constants, setPriority } from "node:os";
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

/** The flags of the command line that decide which library it is, and when. */
interface RefreshOptions {
  readonly dir?: string | undefined;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  /** How many seconds later the update begins; at once unless given. */
  readonly after?: number | undefined;
}

/**
 * Starts `repertoire index` in a child that nobody waits for, which looks for edits inside known files. Does nothing if the
 * index was updated a moment ago. The child gives way to every other process: the host is at work.
 */
export async function refreshBehind(
  turns: Pick<TurnEngine, "indexing" | "options">,
  { dir, home, config, after }: RefreshOptions,
): Promise<void> {
  const indexing = await turns.indexing();
  if (!indexing.claimRefresh(MAX_AGE_MS)) return;
  const { spawn } = await import("node:child_process");
  const given = Object.entries({ dir, home, config }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  const later = after === undefined ? [] : ["--after", String(after)];
  const child = spawn(
    process.execPath,
    [join(packageRoot(), "dist", "bin.cjs"), ...given, "index", ...later],
    {
      detached: true,
      stdio: "ignore",
      // The library of a host that does not trust the project is another one.
      env: { ...process.env, REPERTOIRE_HOST: turns.options.host },
    },
  );
  // A child that cannot start means an older index for a while; the answer has been given.
  child.on("error", () => child.unref());
  if (child.pid !== undefined) giveWay(child.pid);
  child.unref();
}

/** Not every system lets a process do this, and the update works without. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    return;
  }
}
