// The prompts that a client shows as slash commands: the person's skills, `learn` and `dream`.

import {
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { dreamTask, learnTask } from "../../agent/agent.ts";
import type { Repertoire, TaskContext } from "../../engine/engine.ts";
import { isRepertoireError } from "../../model/errors.ts";
import { forLine } from "../../text/escape.ts";
import { pageStart } from "./parts.ts";

const LEARN: Prompt = {
  name: "learn",
  title: "Learn from this conversation",
  description: "Keep what worked in this conversation as a skill.",
  arguments: [{ name: "arguments", description: "What to keep", required: false }],
};

const DREAM: Prompt = {
  name: "dream",
  title: "Tidy the skill library",
  description: "Think about what the skill library should learn from what happened, and propose changes.",
  arguments: [],
};

/** Prompts of one answer: a library of thousands is not sent in one piece. */
const PAGE = 500;

export async function promptPage(
  commands: Repertoire["commands"],
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const from = pageStart(cursor);
  const all = await promptsOf(commands);
  const more = from + PAGE < all.length && { nextCursor: String(from + PAGE) };
  return { prompts: all.slice(from, from + PAGE), ...more };
}

async function promptsOf(slash: Repertoire["commands"]): Promise<Prompt[]> {
  const commands = (await slash.list()).map(
    ({ command, description, argumentHint }): Prompt => ({
      name: command,
      description: forLine(description),
      arguments: [{ name: "arguments", description: forLine(argumentHint ?? "What to do"), required: false }],
    }),
  );
  return [...commands, ...[LEARN, DREAM].filter((own) => !commands.some(({ name }) => name === own.name))];
}

/** A skill's text passes the gate: a menu shows the person its name and description, not what is behind them. */
export async function promptText(
  { commands, dreams }: Pick<Repertoire, "commands" | "dreams">,
  asked: { readonly name: string; readonly rest: string },
  context: TaskContext,
): Promise<GetPromptResult> {
  const { name, rest } = asked;
  const prompt = (await promptsOf(commands)).find((one) => one.name === name);
  if (prompt === LEARN) return said(learnTask(rest));
  try {
    if (prompt === DREAM) return said(await dreamTask(dreams));
    return said((await commands.expand(`/${name} ${rest}`, context)).text);
  } catch (thrown) {
    if (isRepertoireError(thrown)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message);
    throw thrown;
  }
}

function said(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
