// The verbs that connect people and hosts: chat, mcp, hook.

import { CONSENT_APPROVALS, type ConsentApproval } from "../../../model/consent-approval.ts";
import { HOOK_MODES, type HookMode } from "../../hooks/catalog.ts";
import { HOOK_HOSTS } from "../../hooks/event.ts";
import { accepting, EXIT, type Verb } from "../command.ts";
import { packageVersion } from "../program.ts";
import { TOOLS_OPTION, type ToolsChosen, workBehind } from "./serve.ts";

interface ChatFlags {
  readonly showPrompt?: boolean;
  readonly session?: string;
  readonly task?: string;
}

export const HOST_VERBS: readonly Verb[] = [
  {
    use: "chat [message...]",
    usesProject: true,
    about: "talk to an agent that uses your skills; with a message or a pipe it answers once",
    options: [
      ["--show-prompt", "also show what went into the prompt"],
      ["--session <id>", "continue an earlier session"],
      ["--task <id>", "the task that consents belong to; it does not end with the chat"],
    ],
    async run({ io, open }, words: string[], options: ChatFlags) {
      const { chat } = await import("../../chat/chat.ts");
      const wentWell = await chat(open(), io, { ...options, message: words.join(" ") });
      return wentWell ? EXIT.ok : EXIT.findings;
    },
  },
  {
    use: "mcp",
    about: "serve the library over MCP on standard input and output; `setup` configures a host to start this",
    options: [
      TOOLS_OPTION,
      ["--consent <by>", "consent.approval for this server: ask or host", accepting(CONSENT_APPROVALS)],
    ],
    async run({ io, open }, { tools, consent }: { tools: ToolsChosen; consent?: ConsentApproval }) {
      const { serveOverStdio } = await import("../../mcp/stdio.ts");
      const engine = open({ "consent.approval": consent });
      const stop = workBehind(engine, io);
      await serveOverStdio(engine, { version: packageVersion(), tools, note: (text) => io.note(text) });
      stop();
    },
  },
  {
    // `bin.ts` skips this verb to start sooner; this one is for the help, and for command lines that begin with a global
    // flag.
    use: "hook <host>",
    about: `answer a host's hook event from standard input (${HOOK_HOSTS.join(", ")}); always exits 0`,
    options: [
      ["--mode <mode>", "complement or replace, as `setup` wrote it", accepting(HOOK_MODES), "complement"],
    ],
    async run({ io, flags }, host: string, { mode }: { mode: HookMode }) {
      const { runHook } = await import("../../hooks/hook.ts");
      const home = flags.home === undefined ? [] : ["--home", flags.home];
      const { misuse } = await runHook([host, "--mode", mode, ...home]);
      if (misuse !== undefined) io.note(misuse.trimEnd());
    },
  },
];
