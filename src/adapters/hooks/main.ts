// Owns the hook as a process: `repertoire hook HOST`, standard input in, standard output out, exit code 0 always.

import { readFileSync } from "node:fs";
import { writeOut } from "../standard-output.ts";
import { HOOK_HOSTS, isHookHost } from "./event.ts";
import { answerHook, noteProblem } from "./hook.ts";

const STANDARD_INPUT = 0;

export interface HookRan {
  /** For standard error, when the verb was misused. */
  readonly misuse?: string;
  /** Whether the host was told something. */
  readonly answered: boolean;
}

/** Takes the words behind `hook`: the host, and `--home FOLDER`. */
export async function runHook(words: readonly string[]): Promise<HookRan> {
  const [host, flag, folder] = words;
  if (!isHookHost(host)) {
    const misuse = `There is no hook for "${host ?? ""}". Hosts: ${HOOK_HOSTS.join(", ")}.\n`;
    return { misuse, answered: false };
  }
  const home = flag === "--home" ? folder : undefined;
  const { output, engine } = await answerHook({
    host,
    home,
    read: () => readFileSync(STANDARD_INPUT, "utf8"),
  });
  if (output !== "") writeOut(`${output}\n`);
  const answered = output !== "";
  if (engine === undefined) return { answered };
  try {
    const { refreshBehind } = await import("../cli/refresh-behind.ts");
    await refreshBehind(engine, { dir: engine.config.dir, home: engine.config.home });
  } catch (thrown) {
    noteProblem(thrown, { host, home });
  }
  return { answered };
}
