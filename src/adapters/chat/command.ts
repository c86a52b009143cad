// What a slash command of the chat is: its name, what it does, and what comes after it.

import type { Io } from "../cli/io.ts";
import type { Agent, Said } from "./agent.ts";

export interface CommandScope {
  readonly agent: Agent;
  readonly io: Io;
  /** Prints the data for programs, or the same in words. */
  readonly tell: (data: unknown, inWords: () => void) => void;
}

export interface ChatCommand {
  readonly name: string;
  readonly hint?: string;
  readonly about: string;
  /** What can follow it, for the Tab key. */
  readonly complete?: (scope: CommandScope) => Promise<readonly string[]> | readonly string[];
  readonly run: (scope: CommandScope, rest: string) => Promise<AfterCommand> | AfterCommand;
}

/** What comes after a command: nothing, the end of the chat, or a message for the model. */
export type AfterCommand = undefined | "quit" | Said;
