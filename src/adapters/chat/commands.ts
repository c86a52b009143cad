// Runs what a person types with a slash: the chat's own commands, then the skills of the library. A command either prints
// something itself or returns a message for the model.

import { learnTask } from "../../agent/agent.ts";
import { type Outcome, spelledAs, typedCommand } from "../../engine/engine.ts";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import { oneLine } from "../../text/escape.ts";
import { tellScore, tellWhy } from "../cli/commands/recall.ts";
import type { Io } from "../cli/io.ts";
import { tellAccepted, tellOutcome, tellProposals, tellResult } from "../cli/tell.ts";
import { type Agent, newSession, type Said } from "./agent.ts";
import { CHAT_LIMITS } from "./limits.ts";
import { HOW_TO_SET_A_MODEL } from "./view.ts";

export interface CommandScope {
  readonly agent: Agent;
  readonly io: Io;
  /** Prints the data for programs, or the same in words. */
  readonly tell: (data: unknown, inWords: () => void) => void;
}

interface ChatCommand {
  readonly name: string;
  readonly hint?: string;
  readonly about: string;
  /** What can follow it, for the Tab key. */
  readonly complete?: (scope: CommandScope) => Promise<readonly string[]> | readonly string[];
  run(scope: CommandScope, rest: string): AfterCommand | Promise<AfterCommand>;
}

/** What comes after a command: nothing, the end of the chat, or a message for the model. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
type AfterCommand = void | "quit" | Said;

const visibleSkills = async ({ agent }: CommandScope) => (await agent.parts.engine.library.view()).visible();
const skillNames = async (scope: CommandScope) => (await visibleSkills(scope)).map(({ name }) => name);

export const COMMANDS: readonly ChatCommand[] = [
  { name: "help", about: "what can be typed", run: help },
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
        for (const match of answer.matches) {
          io.line(io.colour.bold(`${match.score.toFixed(3)} ${oneLine(match.name)}`));
          tellScore(io, match);
        }
        if (answer.matches.length === 0) io.line("No skill fits this message.");
      });
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
      tell(explanation, () => tellWhy(io, explanation));
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
    },
  },
  {
    name: "proposals",
    hint: "[accept|reject N]",
    about: "what dreams propose; accept or reject one",
    complete: openProposals,
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
    },
  },
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
    },
  },
  { name: "quit", about: "leave", run: () => "quit" },
];

/** Runs a command; any other text is a message for the model. */
export async function dispatch(typed: string, scope: CommandScope): Promise<AfterCommand> {
  const parsed = typedCommand(typed);
  if (!parsed) return { message: typed };
  const own = COMMANDS.find(({ name }) => name === parsed.command.toLowerCase());
  if (own) return own.run(scope, parsed.rest);
  const { agent } = scope;
  const { commands: slash } = agent.parts.engine;
  try {
    // Before the turn begins, so that neither a typing mistake nor a refusal counts as a turn.
    await slash.expand(typed, { ...agent.context, session: undefined });
  } catch (thrown) {
    throw codeOf(thrown) === "slash-unknown" ? await unknownCommand(parsed.command, scope) : thrown;
  }
  return { message: typed, expand: async () => (await slash.expand(typed, agent.context)).text };
}

/** The whole lines that the line can become, for the Tab key. */
export async function completionsOf(typed: string, scope: CommandScope): Promise<string[]> {
  const line = typed.trimStart().toLowerCase();
  if (!line.startsWith("/")) return [];
  const startsSo = (words: readonly string[]) => words.filter((word) => word.toLowerCase().startsWith(line));
  const own = COMMANDS.find(({ name }) => line.startsWith(`/${name} `));
  if (own) return startsSo(((await own.complete?.(scope)) ?? []).map((word) => `/${own.name} ${word}`));
  const skills = await scope.agent.parts.engine.commands.complete(line);
  const names = startsSo(COMMANDS.map(({ name }) => `/${name} `));
  return [...new Set([...names, ...skills.map((skill) => `/${spelledAs(line, skill)} `)])];
}

/** What can follow `/proposals`: the verbs, and the numbers of the proposals that are open. */
async function openProposals({ agent }: CommandScope): Promise<string[]> {
  const open = await agent.parts.engine.dreams.proposals("open");
  return ["accept ", "reject "].flatMap((verb) => [verb, ...open.map(({ number }) => `${verb}${number}`)]);
}

async function help({ agent, io, tell }: CommandScope): Promise<void> {
  const skills = await agent.parts.engine.commands.list();
  const commands = COMMANDS.map(({ name, hint, about }) => ({ name, hint: hint ?? "", about }));
  tell({ commands, skills }, () => {
    io.table(commands.map(({ name, hint, about }) => [`/${name} ${hint}`, about]));
    if (skills.length === 0) return;
    io.line("Skills:");
    io.table(
      skills
        .slice(0, CHAT_LIMITS.helpSkills)
        .map(({ command, argumentHint = "", description }) => [
          `/${command} ${oneLine(argumentHint)}`,
          oneLine(description),
        ]),
    );
    const more = skills.length - CHAT_LIMITS.helpSkills;
    if (more > 0) io.line(`… and ${more} more: /skills`);
  });
}

async function unknownCommand(typed: string, scope: CommandScope): Promise<RepertoireError> {
  const near = (await completionsOf(`/${typed.slice(0, 1)}`, scope)).map((name) => name.trim());
  const own = COMMANDS.map(({ name }) => `/${name}`);
  const some = near.length > 0 ? near : own;
  return new RepertoireError(
    "slash-unknown",
    `There is no command "/${oneLine(typed)}". There are: ${some.join(", ")}; /help shows all.`,
    typed,
  );
}

/** A later report of the person overrules the model's, which may have no tool to report with. */
async function report({ agent, io, tell }: CommandScope, outcome: Outcome, text: string): Promise<void> {
  const note = text === "" ? undefined : text;
  const skills = await agent.parts.engine.journal.reportOutcome({ outcome, note }, agent.context);
  tell({ outcome, skills }, () => tellOutcome(io, skills));
}

function needed(rest: string, usage: string): string {
  if (rest !== "") return rest;
  throw new RepertoireError("usage", `Something is missing: ${usage}.`);
}

function wrong(rest: string): never {
  throw new RepertoireError("usage", "Type /proposals, /proposals accept N or /proposals reject N.", rest);
}
