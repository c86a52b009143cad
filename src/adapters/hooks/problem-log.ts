// Owns the log of hooks that failed: a host's turn must never fail because of ours, so problems go here.

import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isRepertoireError, messageOf } from "../../model/errors.ts";

/** A larger log is set aside once, so that a failing hook never fills a disk. */
const MAX_BYTES = 1024 * 1024;

/** Adds one line; says whether it could. */
export function logProblem(
  directory: string,
  problem: { readonly host: string; readonly thrown: unknown; readonly at: Date },
): boolean {
  const { host, thrown, at } = problem;
  const value = isRepertoireError(thrown) ? thrown.value : undefined;
  const line = {
    at: at.toISOString(),
    host,
    code: codeOf(thrown) || "unexpected",
    message: messageOf(thrown),
    value,
  };
  const path = join(directory, "hook.log");
  try {
    mkdirSync(directory, { recursive: true });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.old`);
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    return true;
  } catch {
    // There is nowhere left to say it: the host shows standard error to nobody, or takes it for a failure.
    return false;
  }
}
