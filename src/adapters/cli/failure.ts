// Says what failed and what to do next: to a person in two lines, to a program as one JSON object. A stack trace is shown only
// to somebody who asks for it.

import { type ErrorCode, isRepertoireError, messageOf } from "../../model/errors.ts";
import { systemFailure } from "../system-failure.ts";

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly value?: unknown;
  /** A command, or what a person does. */
  readonly next: string;
}

/** The environment variable that adds the stack trace of an unexpected failure. */
const TRACE = "REPERTOIRE_TRACE";

/** The next step for errors of a kind, by the beginning of the code; the message may say more. */
const NEXT: readonly (readonly [code: string, next: string])[] = [
  ["config-", "Correct the file that the message names, then try again."],
  ["agent-unknown", "Name an agent of the configuration, or leave --agent out."],
  ["folder-missing", "Name a folder that exists."],
  ["path-not-found", "Name a path that exists."],
  ["skill-not-found", "repertoire list --all"],
  ["skill-disabled", "repertoire enable NAME"],
  ["skill-not-learned", "repertoire list"],
  ["skill-", "repertoire check"],
  ["name-", "Choose a name of letters, digits and hyphens, such as plan-meeting."],
  ["slash-", "repertoire expand --complete /"],
  ["session-", "repertoire sessions"],
  ["no-session", "repertoire sessions"],
  ["task-not-found", "repertoire task list"],
  ["trust-not-found", "repertoire trust --list"],
  ["proposal-not-found", "repertoire proposals list --all"],
  ["proposal-", "repertoire proposals list"],
  // Names no command that gives consent: an agent with a shell reads this, too.
  ["consent-", "Look at the skill and agree to it yourself, on a terminal of your own."],
  ["not-consented", "repertoire activate NAME"],
  ["not-activated", "repertoire activate NAME"],
  ["no-history", "repertoire archive"],
  ["version-", "repertoire history NAME"],
  ["undo-conflict", "repertoire history NAME"],
  ["nothing-to-", "repertoire history NAME"],
  ["no-sandbox", "repertoire doctor"],
  ["model-", "repertoire doctor"],
  ["store-", "repertoire doctor"],
  ["disk-full", "Make room on the disk, then try again."],
  ["file-unusable", "repertoire doctor"],
  ["eval-", "Correct the file that the message names, then try again."],
  ["setup-", "repertoire setup HOST --dry-run"],
];

/** Everything that can be thrown, as a failure. `verb` is the one that failed, for its help. */
export function failureOf(thrown: unknown, verb: string | undefined): Failure {
  if (isRepertoireError(thrown)) {
    const { code, message, value } = thrown;
    const known = NEXT.find(([start]) => code.startsWith(start))?.[1];
    return { code, message, value, next: thrown.next ?? known ?? helpOf(verb) };
  }
  const system = systemFailure(thrown);
  if (system !== undefined) {
    const { code, message, path } = system;
    return { code, message, value: path, next: NEXT.find(([start]) => start === code)![1] };
  }
  const trace = process.env[TRACE] && thrown instanceof Error ? `\n${thrown.stack}` : "";
  return {
    code: "unexpected",
    message: `Repertoire failed unexpectedly: ${messageOf(thrown)}${trace}`,
    next: `Set ${TRACE}=1 to see where, and report it.`,
  };
}

export function helpOf(verb: string | undefined): string {
  return verb === undefined ? "repertoire --help" : `repertoire ${verb} --help`;
}

/** Whether a command line asks for JSON; its grammar may be the very thing that is wrong. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}
