// The agent of the chat: the engine recalls skills for a message, the model answers in a stream and calls tools until it is
// done. Read it as an example of an agent on the engine.

import { randomUUID } from "node:crypto";
import type { ModelMessage } from "ai";
import type { AgentTool, Toolbox } from "../../agent/agent.ts";
import type {
  ConsentAsker,
  Repertoire,
  SaidRecord,
  StreamingModel,
  TaskContext,
} from "../../engine/engine.ts";
import { estimateTokens } from "../../text/estimate.ts";
import { CHAT_LIMITS } from "./limits.ts";
import { type ChatEvent, type End, takeStep } from "./step.ts";

export interface Said {
  /** What the skills are recalled for; an empty message does not count as a turn of the session. */
  readonly message: string;
  /** Makes the text that the model gets instead, after the turn has begun: a slash command becomes a skill's text. */
  readonly expand?: () => Promise<string>;
}

interface AgentOptions {
  readonly session: string;
  readonly task: string;
  /** Asks the person for consent; without it nothing that needs consent is activated. */
  readonly ask?: ConsentAsker | undefined;
  /** Set if the task ends with the chat. */
  readonly endsWithProcess?: boolean | undefined;
}

interface AgentParts extends AgentOptions {
  readonly engine: Repertoire;
  readonly toolbox: Toolbox;
}

const INSTRUCTIONS =
  "You are an agent in a terminal: answer in plain text, briefly. Use a skill where one fits.";
const REPORTING = "Call report_outcome when you know how the work with a skill ended.";

/** Recalls nothing. */
const NO_SKILL = () => false;

export function newSession(): string {
  return `chat-${randomUUID()}`;
}

/** An agent with the configured model, and with what was said in the session before. */
export async function openAgent(engine: Repertoire, options: AgentOptions): Promise<Agent> {
  const agent = new Agent({ ...options, engine, toolbox: await engine.toolbox() });
  agent.model = await engine.streamingModel();
  agent.history.restore(await engine.journal.conversation({ session: options.session }));
  return agent;
}

export class Agent {
  readonly parts: AgentParts;
  readonly history = new ChatHistory();
  session: string;
  model: StreamingModel | undefined;
  lastMessage = "";

  constructor(parts: AgentParts) {
    this.parts = parts;
    this.session = parts.session;
  }

  /** The task, the session and who gives consent, for calls of the engine. */
  get context(): TaskContext {
    const { task, ask, endsWithProcess } = this.parts;
    return { task, session: this.session, ask, endsWithProcess };
  }

  /** One turn. A failure of the model is an event; the conversation goes on. */
  async *answer({ message, expand }: Said, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { engine } = this.parts;
    if (message !== "") this.lastMessage = message;
    const turn = { message, session: this.session, id: randomUUID() };
    // A person who calls a skill has chosen already.
    const { task } = this.parts;
    const { context = "append", style } = engine.config;
    const section = await engine.turn(turn).prompt({
      context,
      // The catalog of this style is a beginning that can be told apart; in others the standing part is left out.
      standing: context === "append" ? style === "adaptive" : undefined,
      task,
      allows: expand && NO_SKILL,
    });
    if (!expand) yield { type: "recalled", matches: section.matches };
    const said = (await expand?.()) ?? message;
    const told = this.history.withNotes(said);
    const { standing, fresh } = await this.parted(section.text);
    yield { type: "prompt", section, fresh, ...(told !== message && { expanded: told }) };
    const { model } = this;
    if (!model) {
      yield { type: "done", end: "no-model", steps: 0, usage: { inputTokens: 0, outputTokens: 0 } };
      return;
    }
    // In an appended context the engine shows nothing twice, so what is for this message stays in the history.
    if (context === "append") this.history.note(fresh);
    const content = this.history.withNotes(said);
    const reporting = this.tools().some(({ name }) => name === "report_outcome") ? REPORTING : "";
    const front = context === "append" ? standing : section.text;
    const system = [INSTRUCTIONS, reporting, front].filter((text) => text !== "").join("\n\n");
    yield* this.think([{ role: "user", content }], { model, system, signal });
  }

  /** What is the same in every turn, which goes to the front, where a prompt cache keeps it; and what is for this message. */
  private async parted(section: string): Promise<{ readonly standing: string; readonly fresh: string }> {
    const standing = (await this.parts.engine.turn({ message: "" }).prompt()).text;
    const fresh = section.startsWith(standing) ? section.slice(standing.length) : section;
    return { standing, fresh: fresh.trim() };
  }

  /** What the model gets in this step: the engine's tools, and those that activated skills have brought so far. */
  tools(): AgentTool[] {
    const { toolbox } = this.parts;
    return [...toolbox.served(this.context), ...toolbox.brought(this.context)];
  }

  /** Asks the model until it calls no more tools, and keeps what was said. */
  private async *think(
    turn: ModelMessage[],
    { model, system, signal }: { model: StreamingModel; system: string; signal: AbortSignal },
  ): AsyncGenerator<ChatEvent> {
    const usage = { inputTokens: 0, outputTokens: 0 };
    let end: End = "tool-calls";
    let steps = 0;
    for (; end === "tool-calls" && steps < CHAT_LIMITS.steps; steps++) {
      const messages = [...this.history.messages(), ...turn];
      const step = yield* takeStep(model, { system, messages, tools: this.tools(), signal });
      turn.push(...step.messages);
      usage.inputTokens += step.usage.inputTokens;
      usage.outputTokens += step.usage.outputTokens;
      await model.count("chat", step.usage);
      end = step.end;
    }
    await this.keep(turn);
    yield { type: "done", end, steps, usage };
  }

  /** A message that got no answer is not kept: the person says it again. */
  private async keep(turn: readonly ModelMessage[]): Promise<void> {
    const { engine } = this.parts;
    const { text, dropped } = this.history.add(turn);
    const { session } = this;
    if (dropped) await engine.forgetShown(session);
    if (text === "") return;
    const { turn: number } = await engine.journal.session(session);
    const at = engine.clock.now().getTime();
    await engine.journal.say({ session, turn: number, role: "assistant", text, at });
  }
}

interface KeptTurn {
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
}

/**
 * The messages that the model gets again: whole turns, so that a tool call and its result stay together. The oldest turns
 * are dropped first.
 */
class ChatHistory {
  private turns: KeptTurn[] = [];
  private notes: string[] = [];

  get tokens(): number {
    return this.turns.reduce((sum, turn) => sum + turn.tokens, 0);
  }

  messages(): ModelMessage[] {
    return this.turns.flatMap(({ messages }) => messages);
  }

  /** Adds a text to the next message that is answered: a skill that the person loaded, what the engine shows. */
  note(text: string): void {
    if (text !== "") this.notes.push(text);
  }

  withNotes(message: string): string {
    return [...this.notes, message].join("\n\n");
  }

  /** Keeps a turn that was answered, and returns the text of the answer and whether old turns were dropped for it. */
  add(messages: readonly ModelMessage[]): { readonly text: string; readonly dropped: boolean } {
    if (!messages.some(({ role }) => role === "assistant")) return { text: "", dropped: false };
    this.notes = [];
    this.turns.push({ messages, tokens: estimateTokens(JSON.stringify(messages)) });
    const before = this.turns.length;
    // The newest turn always stays.
    while (this.turns.length > 1 && this.tokens > CHAT_LIMITS.historyTokens) this.turns.shift();
    const text = messages.map(wordsOf).filter(Boolean).join("\n\n");
    return { text, dropped: this.turns.length < before };
  }

  /** Continues a stored conversation. */
  restore(said: readonly SaidRecord[]): void {
    const numbers = [...new Set(said.map(({ turn }) => turn))];
    for (const number of numbers)
      this.add(said.filter(({ turn }) => turn === number).map(({ role, text }) => ({ role, content: text })));
  }

  clear(): void {
    this.turns = [];
    this.notes = [];
  }
}

function wordsOf({ role, content }: ModelMessage): string {
  if (role !== "assistant") return "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
