// The log of failed hooks: a hook must never fail the host's turn, so problems are logged here.

import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isRepertoireError, messageOf } from "../../model/errors.ts";

/** A larger log is set aside once, so that a failing hook never fills a disk. */
const MAX_BYTES = 1024 * 1024;

/** Adds one line; returns whether that worked. */
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
    // There is no other place to report it: hosts hide standard error, or take it for a failure.
    return false;
  }
}
