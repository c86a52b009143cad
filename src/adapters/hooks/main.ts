// The hook as a process: `repertoire hook HOST` reads an event from standard input, and always ends with exit code 0.

import { readFileSync } from "node:fs";
import { refreshBehind } from "../refresh-behind.ts";
import { writeOut } from "../standard-output.ts";
import { HOOK_HOSTS, isHookHost } from "./event.ts";
import { answerHook, noteProblem } from "./hook.ts";

const STANDARD_INPUT = 0;

export interface HookRan {
  /** For standard error, when the verb was misused. */
  readonly misuse?: string;
  /** Whether there was something to add to the host's prompt. */
  readonly answered: boolean;
}

/** Takes the arguments after `hook`: the host, and `--home FOLDER`. */
export async function runHook(words: readonly string[]): Promise<HookRan> {
  const [host, flag, folder] = words;
  if (!isHookHost(host)) {
    const misuse = `There is no hook for "${host ?? ""}". Hosts: ${HOOK_HOSTS.join(", ")}.\n`;
    return { misuse, answered: false };
  }
  const home = flag === "--home" ? folder : undefined;
  const { output, turns } = await answerHook({
    host,
    home,
    read: () => readFileSync(STANDARD_INPUT, "utf8"),
  });
  if (output !== "") writeOut(`${output}\n`);
  const answered = output !== "";
  if (turns === undefined) return { answered };
  try {
    const { dir, home: from } = turns.config;
    await refreshBehind(turns, { dir, home: from });
  } catch (thrown) {
    noteProblem(thrown, { host, home });
  }
  return { answered };
}
