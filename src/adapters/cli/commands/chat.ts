// `repertoire chat [MESSAGE]`: a small agent on the engine, in the terminal or in a pipe.

import { EXIT, type Register } from "../command.ts";

interface ChatFlags {
  readonly showPrompt?: boolean;
  readonly session?: string;
  readonly task?: string;
}

export const registerChat: Register = (program, action) => {
  program
    .command("chat [message...]")
    .description("talk to an agent that uses your skills; with a message or a pipe it answers once")
    .option("--show-prompt", "also show what went into the prompt")
    .option("--session <id>", "continue an earlier session")
    .option("--task <id>", "the task that consents belong to; it does not end with the chat")
    .action(
      action(async ({ io, open }, words: string[], options: ChatFlags) => {
        const { chat } = await import("../../chat/chat.ts");
        const wentWell = await chat(open(), io, { ...options, message: words.join(" ") });
        return wentWell ? EXIT.ok : EXIT.findings;
      }),
    );
};
