// A chat from its opening to its end, with messages from a person, a pipe or an argument.

import { text as readAll } from "node:stream/consumers";
import type { Repertoire } from "../../engine/engine.ts";
import { codeOf, messageOf, RepertoireError } from "../../model/errors.ts";
import { askerFor } from "../cli/consent-prompt.ts";
import type { Io } from "../cli/io.ts";
import { type Agent, newSession, openAgent } from "./agent.ts";
import { type CommandScope, completionsOf, dispatch } from "./commands.ts";
import { Terminal } from "./terminal.ts";
import { HOW_TO_SET_A_MODEL, View } from "./view.ts";

interface ChatOptions {
  /** Answered once; if empty, a person talks, or standard input is the message. */
  readonly message: string;
  readonly showPrompt?: boolean;
  readonly session?: string;
  readonly task?: string;
}

/** The task of chats in a pipe: it lasts, so that a person can agree beforehand. */
const PIPE_TASK = "chat";

/** Returns whether it went well. */
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
  const { task = PIPE_TASK, session = newSession(), showPrompt = false } = options;
  const conversation = new Conversation(await openAgent(engine, { task, session }), io, { showPrompt });
  await conversation.take(message, stop.signal);
  return conversation.succeeded && !stop.signal.aborted;
}

async function talk(engine: Repertoire, io: Io, options: ChatOptions): Promise<boolean> {
  const { session = newSession(), task = session, showPrompt = false } = options;
  const terminal = new Terminal();
  try {
    const { ask } = askerFor(io, { question: (text) => terminal.question(text) });
    const endsWithProcess = options.task === undefined;
    const agent = await openAgent(engine, { session, task, ask, endsWithProcess });
    await engine.tasks.endLeft();
    const conversation = new Conversation(agent, io, { showPrompt });
    const skills = (await engine.library.view()).visible().length;
    io.note(
      io.colour.dim(
        `${skills === 1 ? "1 skill" : `${skills} skills`}; ${agent.model?.id ?? "no model"}. /help shows what can be typed.`,
      ),
    );
    if (!agent.model) io.note(io.colour.yellow(HOW_TO_SET_A_MODEL));
    // Edited skills count from the next message on.
    const watching = engine.library.watch(() => {});
    await terminal.talk({
      take: (typed, signal) => conversation.take(typed, signal),
      complete: (line) => conversation.complete(line),
    });
    await watching;
    if (endsWithProcess) await engine.tasks.end(task);
    return true;
  } finally {
    terminal.close();
  }
}

/** Handles each typed text: a command, or a turn whose events are shown. A failure never ends the conversation. */
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
        if (io.json) io.data({ type: "told", data });
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
