// Owns the hook as a process: `repertoire hook HOST`, standard input in, standard output out, exit code 0 always.

import { readFileSync } from "node:fs";
import { HOOK_HOSTS, isHookHost } from "./event.ts";
import { answerHook, noteProblem } from "./hook.ts";

const STANDARD_INPUT = 0;

/** Takes the words behind `hook`: the host, and `--home FOLDER`. Returns a text for standard error when misused. */
export async function runHook(words: readonly string[]): Promise<string | undefined> {
  const [host, flag, folder] = words;
  if (!isHookHost(host)) return `There is no hook for "${host ?? ""}". Hosts: ${HOOK_HOSTS.join(", ")}.\n`;
  const home = flag === "--home" ? folder : undefined;
  const { output, engine } = await answerHook({
    host,
    home,
    read: () => readFileSync(STANDARD_INPUT, "utf8"),
  });
  if (output !== "") process.stdout.write(`${output}\n`);
  if (engine === undefined) return undefined;
  try {
    const { refreshBehind } = await import("../cli/refresh-behind.ts");
    await refreshBehind(engine, { dir: engine.config.dir, home: engine.config.home });
  } catch (thrown) {
    noteProblem(thrown, { host, home });
  }
  return undefined;
}
