// `repertoire hook HOST`: what a host runs at every message. `bin.ts` skips this verb to start sooner; this one is for the
// help, and for command lines that begin with a global flag.

import { HOOK_HOSTS } from "../../hooks/event.ts";
import { EXIT, type Register } from "../command.ts";

export const registerHook: Register = (program, action) => {
  program
    .command("hook <host>")
    .description(`answer a host's hook event from standard input (${HOOK_HOSTS.join(", ")}); always exits 0`)
    .action(
      action(async ({ io, flags }, host: string) => {
        const { runHook } = await import("../../hooks/main.ts");
        const { misuse } = await runHook([host, ...(flags.home === undefined ? [] : ["--home", flags.home])]);
        if (misuse !== undefined) io.note(misuse.trimEnd());
        return EXIT.ok;
      }),
    );
};
