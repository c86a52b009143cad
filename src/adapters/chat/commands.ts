// Owns what a person types with a slash: the chat's own commands, then the skills of the library. A command either
// tells something itself or hands over what is to be said to the model. Does not own the library: the engine does.

import { typedCommand } from "../../activate/activate.ts";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import { oneLine } from "../../text/escape.ts";
import type { Io } from "../cli/io.ts";
import type { Agent, Said } from "./agent.ts";
import { LIBRARY_COMMANDS } from "./commands-library.ts";
import { SESSION_COMMANDS } from "./commands-session.ts";

export interface Scope {
  readonly agent: Agent;
  readonly io: Io;
  /** The data for programs, or the same in words. */
  readonly tell: (data: unknown, inWords: () => void) => void;
}

export interface Command {
  readonly name: string;
  readonly hint?: string;
  readonly about: string;
  /** What can stand behind it, for the Tab key. */
  readonly complete?: (scope: Scope) => readonly string[];
  readonly run: (scope: Scope, rest: string) => Promise<Next> | Next;
}

/** What comes after a command: nothing, the end, or something that is said to the model. */
export type Next = undefined | "quit" | Said;

const HELP: Command = { name: "help", about: "what can be typed", run: help };
const QUIT: Command = { name: "quit", about: "leave", run: () => "quit" };
export const COMMANDS: readonly Command[] = [HELP, ...LIBRARY_COMMANDS, ...SESSION_COMMANDS, QUIT];

/** Runs what was typed; a text that is no command is said to the model as it is. */
export async function dispatch(typed: string, scope: Scope): Promise<Next> {
  const parsed = typedCommand(typed);
  if (!parsed) return { message: typed };
  const own = COMMANDS.find(({ name }) => name === parsed.command.toLowerCase());
  if (own) return own.run(scope, parsed.rest);
  const { agent } = scope;
  const { commands: slash } = agent.parts.workshop;
  try {
    // Found before the turn begins, so that a slip of the finger is no turn.
    await slash.expand(typed, { task: agent.parts.task });
  } catch (thrown) {
    throw codeOf(thrown) === "slash-unknown" ? await unknownCommand(parsed.command, scope) : thrown;
  }
  return { message: typed, expand: async () => (await slash.expand(typed, agent.context)).text };
}

/** What the line can go on with, whole lines, for the Tab key. */
export async function completionsOf(line: string, scope: Scope): Promise<string[]> {
  if (!line.startsWith("/")) return [];
  const own = COMMANDS.find(({ name }) => line.startsWith(`/${name} `));
  const before = `/${own?.name} `;
  if (own) return (own.complete?.(scope) ?? []).map((word) => before + word).filter(startsLike(line));
  const skills = await scope.agent.parts.workshop.commands.complete(line);
  const commands = [...COMMANDS.map(({ name }) => name), ...skills.map(({ command }) => command)];
  return [...new Set(commands)].map((name) => `/${name} `).filter(startsLike(line));
}

const startsLike = (line: string) => (candidate: string) => candidate.startsWith(line);

async function help({ agent, io, tell }: Scope): Promise<undefined> {
  const skills = await agent.parts.workshop.commands.list();
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

async function unknownCommand(typed: string, scope: Scope): Promise<RepertoireError> {
  const near = (await completionsOf(`/${typed.slice(0, 1)}`, scope)).map((name) => name.trim());
  const own = COMMANDS.map(({ name }) => `/${name}`);
  const some = near.length > 0 ? near : own;
  return new RepertoireError(
    "slash-unknown",
    `There is no command "/${oneLine(typed)}". There are: ${some.join(", ")}; /help shows all.`,
    typed,
  );
}
