// The commands that search the library and improve it: skills, recall, why, use, learn, dream, proposals.

import { learnTask } from "../../agent/agent.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { Match } from "../../model/turn.ts";
import { oneLine } from "../../text/escape.ts";
import type { Io } from "../cli/io.ts";
import { tellAccepted, tellProposals, tellResult } from "../cli/tell.ts";
import type { ChatCommand, CommandScope } from "./command.ts";
import { CHAT_LIMITS } from "./limits.ts";

const visibleSkills = async ({ agent }: CommandScope) => (await agent.parts.engine.library.view()).visible();
const skillNames = async (scope: CommandScope) => (await visibleSkills(scope)).map(({ name }) => name);

export const LIBRARY_COMMANDS: readonly ChatCommand[] = [
  {
    name: "skills",
    hint: "[WORDS]",
    about: "the skills, or those whose name or description has the words",
    async run(scope, rest) {
      const { io, tell } = scope;
      const words = rest.toLowerCase().split(/\s+/).filter(Boolean);
      const found = (await visibleSkills(scope))
        .map(({ name, manifest }) => ({ name, description: manifest.description, brief: manifest.brief }))
        .filter(({ name, description }) =>
          words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
        );
      tell({ skills: found.map(({ name, description }) => ({ name, description })) }, () => {
        io.table(
          found.slice(0, CHAT_LIMITS.skills).map(({ name, brief }) => [oneLine(name), oneLine(brief)]),
        );
        const more = found.length - CHAT_LIMITS.skills;
        if (more > 0) io.line(`… and ${more} more; /skills WORDS narrows it down`);
        if (found.length === 0) io.line("No skill has these words; /recall MESSAGE searches by meaning.");
      });
      return undefined;
    },
  },
  {
    name: "recall",
    hint: "MESSAGE",
    about: "which skills a message would recall, and why",
    async run({ agent, io, tell }, rest) {
      const message = needed(rest, "/recall MESSAGE");
      const answer = await agent.parts.engine.turn({ message }).recall();
      tell(answer, () => {
        for (const match of answer.matches) tellMatch(io, match);
        if (answer.matches.length === 0) io.line("No skill fits this message.");
      });
      return undefined;
    },
  },
  {
    name: "why",
    hint: "NAME [MESSAGE]",
    about: "why a skill was or was not recalled for the last message",
    complete: skillNames,
    async run({ agent, io, tell }, rest) {
      const [name = "", ...words] = needed(rest, "/why NAME").split(/\s+/);
      const message = words.join(" ") || agent.lastMessage;
      const explanation = await agent.parts.engine.library.why(name, { message });
      tell(explanation, () => {
        const { recalled, score, threshold } = explanation;
        io.line(
          `${io.colour.bold(oneLine(explanation.name))}: ${recalled ? "recalled" : "not recalled"}, score ${score.toFixed(2)} (threshold ${threshold.toFixed(2)})`,
        );
        for (const { signal, value, note } of explanation.reasons)
          io.line(io.colour.dim(`  ${value.toFixed(2)} ${signal}: ${oneLine(note)}`));
        for (const line of explanation.fellShort) io.line(`- ${oneLine(line)}`);
        if (explanation.wouldMatch.length > 0)
          io.line(`What would lead to it: ${oneLine(explanation.wouldMatch.join("; "))}`);
      });
      return undefined;
    },
  },
  {
    name: "use",
    hint: "NAME",
    about: "activate a skill; its instructions go along with the next message",
    complete: skillNames,
    async run({ agent, io, tell }, rest) {
      const { tasks } = agent.parts.engine;
      const context = { ...agent.context, audience: "person" as const };
      const { payload, text } = await tasks.activate(needed(rest, "/use NAME"), context);
      const { tools, diagnostics } = await tasks.tools(payload.name, context);
      agent.history.note(text);
      tell({ ...payload, tools, diagnostics }, () => {
        const brought = tools.map(({ name }) => oneLine(name)).join(", ");
        io.line(`${oneLine(payload.name)} is activated${brought === "" ? "" : ` and brought ${brought}`}.`);
        io.findings(diagnostics);
      });
      return undefined;
    },
  },
  {
    name: "learn",
    hint: "[WHAT]",
    about: "let the model keep what worked here as a skill",
    run({ agent }, rest) {
      if (!agent.model)
        throw new RepertoireError(
          "model-none",
          "/learn needs a model. To save a text yourself: repertoire save NAME --from FILE.",
        );
      return { message: "", expand: async () => learnTask(rest) };
    },
  },
  {
    name: "dream",
    about: "review what happened and propose how the library should change",
    async run({ agent, io, tell }) {
      const result = await agent.parts.engine.dreams.run({
        onPass: ({ pass, state }) => io.json || io.note(io.colour.dim(`${pass}: ${state}`)),
      });
      tell(result, () => tellResult(io, result));
      return undefined;
    },
  },
  {
    name: "proposals",
    hint: "[accept|reject N]",
    about: "what dreams propose; accept or reject one",
    complete: () => ["accept ", "reject "],
    async run({ agent, io, tell }, rest) {
      const { dreams } = agent.parts.engine;
      const [, verb, digits] = /^(?:(accept|reject)\s+(\d{1,9}))?$/.exec(rest) ?? wrong(rest);
      if (verb === "accept") {
        const result = await dreams.accept([Number(digits)]);
        tell(result, () => tellAccepted(io, result));
      } else if (verb === "reject") {
        const record = await dreams.reject(Number(digits));
        tell(record, () => io.line(`Rejected ${record.number}  ${oneLine(record.title)}.`));
      } else {
        const proposals = await dreams.proposals("open");
        tell({ proposals }, () => {
          tellProposals(io, proposals);
          io.line(
            proposals.length === 0
              ? "No proposal is open; /dream makes some."
              : "/proposals accept N makes the change.",
          );
        });
      }
      return undefined;
    },
  },
];

function tellMatch(io: Io, { name, score, reasons }: Match): void {
  io.line(`${io.colour.bold(`${score.toFixed(2)} ${oneLine(name)}`)}`);
  for (const { signal, value, note } of reasons)
    io.line(io.colour.dim(`  ${value.toFixed(2)} ${signal}: ${oneLine(note)}`));
}

function needed(rest: string, usage: string): string {
  if (rest !== "") return rest;
  throw new RepertoireError("usage", `Something is missing: ${usage}.`);
}

function wrong(rest: string): never {
  throw new RepertoireError("usage", "Type /proposals, /proposals accept N or /proposals reject N.", rest);
}
