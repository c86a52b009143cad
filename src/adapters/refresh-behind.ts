// Updates the index after an answer: a process that answered from the index on disk starts a child that nobody waits for,
// which looks for edits inside known files.

import { join } from "node:path";
import { packageRoot, type TurnEngine } from "../engine/engine.ts";

/** Edits inside a known file are seen at the latest this long after they were made, once the next message comes. */
const MAX_AGE_MS = 30_000;

/** The flags of the command line that decide which library it is. */
interface LibraryFlags {
  readonly dir?: string | undefined;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
}

/** Starts `repertoire index` in the background, unless the index was updated a moment ago. */
export async function refreshBehind(
  turns: Pick<TurnEngine, "indexing">,
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
  });
  // A child that cannot start means an older index for a while; the answer has been given.
  child.on("error", () => child.unref());
  child.unref();
}
