// Reads the event that a host writes to its hook's standard input.

import { readInput } from "../../engine/engine.ts";

const STANDARD_INPUT = 0;

/** A message with what was pasted into it; a host sends no more. */
const INPUT_BYTES = 8 * 1024 * 1024;

export function readHookInput(): string {
  return readInput(STANDARD_INPUT, INPUT_BYTES).toString("utf8");
}
