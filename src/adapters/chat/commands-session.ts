// The commands about this conversation: good, bad, model, session, clear.

import type { Outcome } from "../../engine/engine.ts";
import { RepertoireError } from "../../model/errors.ts";
import { oneLine } from "../../text/escape.ts";
import { newSession } from "./agent.ts";
import type { ChatCommand, CommandScope } from "./command.ts";
import { HOW_TO_SET_A_MODEL } from "./view.ts";

export const SESSION_COMMANDS: readonly ChatCommand[] = [
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
    about: "the model that answers; with a name, another one from the same server",
    async run({ agent, io, tell }, name) {
      if (name !== "") agent.model = await agent.parts.engine.streamingModel(name);
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
      const { turn, shown, activated } = await agent.parts.engine.journal.session(agent.session);
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

/** Calls the tool with which a model reports outcomes; a later report of the person overrules the model's. */
async function report({ agent, io, tell }: CommandScope, outcome: Outcome, note: string): Promise<undefined> {
  const tool = agent.tools().find(({ name }) => name === "report_outcome");
  const { text, data, isError } = await tool!.run({ outcome, ...(note !== "" && { note }) });
  if (isError) throw new RepertoireError("outcome-refused", text);
  tell(data, () => io.line(text));
  return undefined;
}
