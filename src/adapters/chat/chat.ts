// Owns a chat from its opening to its end, and where its messages come from: a person, a pipe or an argument. Does
// not own the turn (`agent.ts`) nor the terminal (`terminal.ts`).

import { text as readAll } from "node:stream/consumers";
import type { Repertoire } from "../../engine/engine.ts";
import { RepertoireError } from "../../model/errors.ts";
import { askerFor } from "../cli/consent-prompt.ts";
import type { Io } from "../cli/io.ts";
import { Agent, type AgentParts } from "./agent.ts";
import { openChatModel } from "./chat-model.ts";
import { newSession } from "./commands-session.ts";
import { Conversation } from "./conversation.ts";
import { Terminal } from "./terminal.ts";
import { HOW_TO_SET_A_MODEL } from "./view.ts";

export interface ChatOptions {
  /** Answered once; without one a person talks, or standard input is the message. */
  readonly message: string;
  readonly showPrompt?: boolean;
  readonly session?: string;
  readonly task?: string;
}

/** The task of chats in a pipe: it lasts, so that a person can agree beforehand. */
const PIPE_TASK = "chat";

/** Says whether it went well. */
export async function chat(engine: Repertoire, io: Io, options: ChatOptions): Promise<boolean> {
  const isTalk = options.message === "" && !io.json && io.streams.terminal && process.stdin.isTTY === true;
  try {
    return isTalk ? await talk(engine, io, options) : await answerOnce(engine, io, options);
  } finally {
    await engine.close();
  }
}

async function answerOnce(engine: Repertoire, io: Io, options: ChatOptions): Promise<boolean> {
  const message = options.message || (await readAll(process.stdin)).trim();
  if (message === "")
    throw new RepertoireError("usage", 'There is no message. Say one: repertoire chat "plan a meeting".');
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const task = options.task ?? PIPE_TASK;
  const { conversation } = await open(engine, io, {
    ...options,
    task,
    session: options.session ?? newSession(),
  });
  await conversation.take(message, stop.signal);
  return conversation.succeeded && !stop.signal.aborted;
}

async function talk(engine: Repertoire, io: Io, options: ChatOptions): Promise<boolean> {
  const session = options.session ?? newSession();
  const task = options.task ?? session;
  const terminal = new Terminal();
  try {
    const asker = askerFor(io, { question: (text) => terminal.question(text) });
    const { agent, conversation } = await open(engine, io, { ...options, ...asker, session, task });
    const skills = (await engine.look()).visible().length;
    io.note(
      io.colour.dim(`${skills} skills; ${agent.model?.id ?? "no model"}. /help shows what can be typed.`),
    );
    if (!agent.model) io.note(io.colour.yellow(HOW_TO_SET_A_MODEL));
    // Skills that are edited meanwhile count from the next message on.
    const watching = engine.watch(() => {});
    await terminal.talk({
      take: (typed, signal) => conversation.take(typed, signal),
      complete: (line) => conversation.complete(line),
    });
    await watching;
    if (options.task === undefined) await agent.parts.workshop.tasks.end(task);
    return true;
  } finally {
    terminal.close();
  }
}

async function open(
  engine: Repertoire,
  io: Io,
  options: Pick<AgentParts, "session" | "task" | "ask"> & Pick<ChatOptions, "showPrompt">,
): Promise<{ agent: Agent; conversation: Conversation }> {
  const { session, task, ask, showPrompt = false } = options;
  const workshop = await engine.workshop();
  const agent = new Agent({ engine, workshop, session, task, ask, model: openChatModel(engine, workshop) });
  agent.history.restore(await workshop.store.conversation.query({ session }));
  return { agent, conversation: new Conversation(agent, io, { showPrompt }) };
}
