// Owns the commands about this conversation: how it went, with which model, in which session, and a new beginning.

import { randomUUID } from "node:crypto";
import type { Outcome } from "../../journal/journal.ts";
import { RepertoireError } from "../../model/errors.ts";
import { oneLine } from "../../text/escape.ts";
import { openChatModel } from "./chat-model.ts";
import type { Command, Scope } from "./commands.ts";
import { HOW_TO_SET_A_MODEL } from "./view.ts";

export const SESSION_COMMANDS: readonly Command[] = [
  {
    name: "good",
    hint: "[NOTE]",
    about: "the skills of this turn helped",
    run: (scope, note) => report(scope, "success", note),
  },
  {
    name: "bad",
    hint: "[NOTE]",
    about: "the skills of this turn misled",
    run: (scope, note) => report(scope, "failure", note),
  },
  {
    name: "model",
    hint: "[NAME]",
    about: "the model that answers; with a name, another one of the same server",
    run({ agent, io, tell }, name) {
      if (name !== "") agent.model = openChatModel(agent.parts.engine, agent.parts.workshop, name);
      const { id, endpoint } = agent.model ?? { id: "none", endpoint: undefined };
      tell({ model: id, endpoint }, () =>
        io.line(endpoint === undefined ? HOW_TO_SET_A_MODEL : `${oneLine(id)} at ${oneLine(endpoint)}`),
      );
      return undefined;
    },
  },
  {
    name: "session",
    about: "what this session remembers",
    async run({ agent, io, tell }) {
      const { turn, shown, activated } = await agent.parts.engine.session(agent.session);
      const { task } = agent.parts;
      const { tokens } = agent.history;
      tell({ session: agent.session, task, turn, shown, activated, historyTokens: tokens }, () =>
        io.table([
          ["session", agent.session],
          ["task", task],
          ["turns", String(turn)],
          ["shown", shown.map(oneLine).join(", ") || "nothing yet"],
          ["activated", activated.map(oneLine).join(", ") || "nothing yet"],
          ["history", `about ${tokens} tokens`],
        ]),
      );
      return undefined;
    },
  },
  {
    name: "clear",
    about: "forget the conversation and begin a new session",
    run({ agent, io, tell }) {
      agent.history.clear();
      agent.session = newSession();
      agent.lastMessage = "";
      tell({ session: agent.session }, () => io.line("Forgotten. This is a new session."));
      return undefined;
    },
  },
];

export function newSession(): string {
  return `chat-${randomUUID()}`;
}

/** The same tool with which a model says how it went; the person's word comes later and overrules it. */
async function report({ agent, io, tell }: Scope, outcome: Outcome, note: string): Promise<undefined> {
  const tool = agent.tools().find(({ name }) => name === "report_outcome");
  const { text, data, isError } = await tool!.run({ outcome, ...(note !== "" && { note }) });
  if (isError) throw new RepertoireError("outcome-refused", text);
  tell(data, () => io.line(text));
  return undefined;
}
