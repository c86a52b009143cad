// Options that several verbs share: how values are read from text, and the task of the command line.

import { InvalidArgumentError } from "commander";

/** The task of the command line, which lasts until `repertoire task end cli`. */
export const CLI_TASK = "cli";
export const TASK_OPTION = ["--task <id>", `the task that it belongs to (default: "${CLI_TASK}")`] as const;

/** Reads one of these values; any other is a usage error that names them. */
export function accepting(accepted: readonly string[]): (text: string) => string {
  return (text) => {
    if (!accepted.includes(text)) throw new InvalidArgumentError(`Accepted: ${accepted.join(", ")}.`);
    return text;
  };
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new InvalidArgumentError("Accepted: a whole number above 0.");
  return value;
}
