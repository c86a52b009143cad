// Owns bringing the index up to date behind an answer: a cold process answers from the index on disk at once, and a
// child that nobody waits for looks for edits inside known files. Does not own what an update is (`indexing.ts`).

import { join } from "node:path";
import type { Recaller } from "../../engine/engine.ts";
import { packageRoot } from "../../engine/engine.ts";
import type { GlobalFlags } from "./program.ts";

/** Edits inside a known file are seen at the latest this long after they were made, once the next message comes. */
const MAX_AGE_MS = 30_000;

export async function refreshBehind(engine: Recaller, flags: GlobalFlags): Promise<void> {
  const indexing = await engine.indexing();
  if (!indexing.claimRefresh(MAX_AGE_MS)) return;
  const { spawn } = await import("node:child_process");
  const { dir, home, config } = flags;
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
