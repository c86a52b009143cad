// Owns the agent: a message comes in, the engine says which skills matter, the model answers in a stream and calls
// tools until it is done. Read it as the example of an agent on the engine. Does not own how anything looks
// (`view.ts`) nor where messages come from (`chat.ts`, `terminal.ts`).

import { randomUUID } from "node:crypto";
import type { ModelMessage } from "ai";
import type { ConsentAsker, TaskContext } from "../../activate/activate.ts";
import type { AgentTool } from "../../agent/agent.ts";
import { DEFAULT_TOOLS, Toolbox } from "../../agent/agent.ts";
import type { Repertoire, Workshop } from "../../engine/engine.ts";
import type { StreamingModel } from "../../models/models.ts";
import type { ChatEvent, End } from "./events.ts";
import { History } from "./history.ts";
import { LIMITS } from "./limits.ts";
import { takeStep } from "./step.ts";

export interface Said {
  /** What the skills are recalled for; nothing is no turn of the session. */
  readonly message: string;
  /** What the model is told in its place, made once the turn has begun: a slash command becomes a skill's text. */
  readonly expand?: () => Promise<string>;
}

export interface AgentParts {
  readonly engine: Repertoire;
  readonly workshop: Workshop;
  readonly session: string;
  readonly task: string;
  readonly model?: StreamingModel | undefined;
  /** Puts a consent sheet to the person; without it nothing that needs consent is activated. */
  readonly ask?: ConsentAsker | undefined;
}

const INSTRUCTIONS =
  "You are an agent in a terminal: answer in plain text, briefly. Use a skill where one fits, and call report_outcome when you know how the work with it ended.";
const SERVED = [...DEFAULT_TOOLS, "run_skill_script"];

/** Recalls nothing. */
const NO_SKILL = () => false;

export class Agent {
  readonly parts: AgentParts;
  readonly history = new History();
  session: string;
  model: StreamingModel | undefined;
  lastMessage = "";
  private readonly toolbox: Toolbox;

  constructor(parts: AgentParts) {
    this.parts = parts;
    this.toolbox = new Toolbox(parts.engine, parts.workshop, SERVED);
    this.session = parts.session;
    this.model = parts.model;
  }

  /** Who acts in which task, as every call of the engine wants to know. */
  get context(): TaskContext {
    return { task: this.parts.task, session: this.session, ask: this.parts.ask };
  }

  /** One turn. A failure of the model is an event; the conversation goes on. */
  async *answer({ message, expand }: Said, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    const { engine } = this.parts;
    if (message !== "") this.lastMessage = message;
    const turn = { message, session: this.session, id: randomUUID() };
    // Who calls a skill has chosen already.
    const section = await engine.prompt(turn, expand && { allows: NO_SKILL });
    if (!expand) yield { type: "recalled", matches: section.matches };
    const said = (await expand?.()) ?? message;
    const told = this.history.withNotes(said);
    yield { type: "prompt", section, ...(told !== message && { expanded: told }) };
    const { model } = this;
    if (!model) {
      yield { type: "done", end: "no-model", steps: 0, usage: { inputTokens: 0, outputTokens: 0 } };
      return;
    }
    // What holds for every turn goes to the front, where a prompt cache keeps it. What is for this message goes along
    // with it and stays in the history: the engine shows nothing twice in a session.
    const standing = (await engine.prompt({ message: "" })).text;
    const fresh = section.text.startsWith(standing) ? section.text.slice(standing.length) : section.text;
    this.history.note(fresh.trim());
    const content = this.history.withNotes(said);
    const system = [INSTRUCTIONS, standing].filter((text) => text !== "").join("\n\n");
    yield* this.think([{ role: "user", content }], { model, system, signal });
  }

  /** What the model gets in this step: the engine's tools, and those that activated skills have brought so far. */
  tools(): AgentTool[] {
    return [...this.toolbox.served(this.context), ...this.toolbox.brought(this.context)];
  }

  /** Asks the model until it calls no more tools, and keeps what was said. */
  private async *think(
    turn: ModelMessage[],
    { model, system, signal }: { model: StreamingModel; system: string; signal: AbortSignal },
  ): AsyncGenerator<ChatEvent> {
    const usage = { inputTokens: 0, outputTokens: 0 };
    let end: End = "tool-calls";
    let steps = 0;
    for (; end === "tool-calls" && steps < LIMITS.steps; steps++) {
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
    const { engine, workshop } = this.parts;
    const text = this.history.add(turn);
    if (text === "") return;
    const { turn: number } = await engine.session(this.session);
    const at = engine.clock.now().getTime();
    await workshop.store.conversation.append({
      session: this.session,
      turn: number,
      role: "assistant",
      text,
      at,
    });
  }
}
