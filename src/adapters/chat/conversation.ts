// Handles one typed text: a command, or a turn whose events are shown. A failure never ends the conversation.

import { codeOf, messageOf } from "../../model/errors.ts";
import type { Io } from "../cli/io.ts";
import type { Agent } from "./agent.ts";
import type { CommandScope } from "./command.ts";
import { completionsOf, dispatch } from "./commands.ts";
import { View } from "./view.ts";

export class Conversation {
  /** Whether the last text was handled without an error. */
  succeeded = true;
  private readonly scope: CommandScope;
  private readonly view: View;

  constructor(agent: Agent, io: Io, options: { readonly showPrompt: boolean }) {
    this.view = new View(io, { ...options, hasModel: () => agent.model !== undefined });
    this.scope = {
      agent,
      io,
      tell: (data, inWords) => {
        if (io.json) io.line(JSON.stringify({ type: "told", data }));
        else inWords();
      },
    };
  }

  /** False when the person wants to leave. */
  async take(typed: string, signal: AbortSignal): Promise<boolean> {
    this.succeeded = true;
    try {
      const next = await dispatch(typed, this.scope);
      if (next === "quit") return false;
      if (next === undefined) return true;
      for await (const event of this.scope.agent.answer(next, signal)) {
        this.view.show(event);
        if (event.type === "error") this.succeeded = false;
      }
    } catch (thrown) {
      this.succeeded = false;
      this.view.show({ type: "error", code: codeOf(thrown) || "unexpected", message: messageOf(thrown) });
    }
    return true;
  }

  complete(line: string): Promise<string[]> {
    return completionsOf(line, this.scope);
  }
}
