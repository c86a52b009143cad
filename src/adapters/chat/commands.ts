// Runs what a person types with a slash: the chat's own commands, then the skills of the library. A command either prints
// something itself or returns a message for the model.

import { typedCommand } from "../../engine/engine.ts";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import { oneLine } from "../../text/escape.ts";
import type { AfterCommand, ChatCommand, CommandScope } from "./command.ts";
import { LIBRARY_COMMANDS } from "./commands-library.ts";
import { SESSION_COMMANDS } from "./commands-session.ts";

const HELP: ChatCommand = { name: "help", about: "what can be typed", run: help };
const QUIT: ChatCommand = { name: "quit", about: "leave", run: () => "quit" };
export const COMMANDS: readonly ChatCommand[] = [HELP, ...LIBRARY_COMMANDS, ...SESSION_COMMANDS, QUIT];

/** Runs a command; any other text is a message for the model. */
export async function dispatch(typed: string, scope: CommandScope): Promise<AfterCommand> {
  const parsed = typedCommand(typed);
  if (!parsed) return { message: typed };
  const own = COMMANDS.find(({ name }) => name === parsed.command.toLowerCase());
  if (own) return own.run(scope, parsed.rest);
  const { agent } = scope;
  const { commands: slash } = agent.parts.engine;
  try {
    // Before the turn begins, so that a typing mistake does not count as a turn.
    await slash.expand(typed, { task: agent.parts.task });
  } catch (thrown) {
    throw codeOf(thrown) === "slash-unknown" ? await unknownCommand(parsed.command, scope) : thrown;
  }
  return { message: typed, expand: async () => (await slash.expand(typed, agent.context)).text };
}

/** The whole lines that the line can become, for the Tab key. */
export async function completionsOf(line: string, scope: CommandScope): Promise<string[]> {
  if (!line.startsWith("/")) return [];
  const own = COMMANDS.find(({ name }) => line.startsWith(`/${name} `));
  const before = `/${own?.name} `;
  if (own) {
    const words = (await own.complete?.(scope)) ?? [];
    return words.map((word) => before + word).filter(startsLike(line));
  }
  const skills = await scope.agent.parts.engine.commands.complete(line);
  const commands = [...COMMANDS.map(({ name }) => name), ...skills.map(({ command }) => command)];
  return [...new Set(commands)].map((name) => `/${name} `).filter(startsLike(line));
}

const startsLike = (line: string) => (candidate: string) => candidate.startsWith(line);

async function help({ agent, io, tell }: CommandScope): Promise<undefined> {
  const skills = await agent.parts.engine.commands.list();
  const commands = COMMANDS.map(({ name, hint, about }) => ({ name, hint: hint ?? "", about }));
  tell({ commands, skills }, () => {
    io.table(commands.map(({ name, hint, about }) => [`/${name} ${hint}`, about]));
    if (skills.length === 0) return;
    io.line("\nSkills:");
    io.table(
      skills.map(({ command, argumentHint = "", description }) => [
        `/${command} ${oneLine(argumentHint)}`,
        oneLine(description),
      ]),
    );
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
