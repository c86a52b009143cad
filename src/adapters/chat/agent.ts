// Owns the agent: a message comes in, the engine says which skills matter, the model answers in a stream and calls
// tools until it is done. Read it as the example of an agent on the engine. Does not own how anything looks
// (`view.ts`) nor where messages come from (`chat.ts`, `terminal.ts`).

import { randomUUID } from "node:crypto";
import type { ModelMessage } from "ai";
import type { ConsentAsker } from "../../activate/consent.ts";
import {
  AGENT_TOOL_ROWS,
  type AgentHost,
  type AgentTool,
  agentTools,
  skillTools,
} from "../../agent-tools.ts";
import { learnToolRows } from "../../agent-tools-learn.ts";
import type { TaskContext } from "../../engine/tasks.ts";
import type { Workshop } from "../../engine/workshop.ts";
import type { Repertoire } from "../../engine.ts";
import { isRepertoireError, messageOf } from "../../model/errors.ts";
import type { StreamingModel } from "../../models/models.ts";
import type { ChatEvent, End } from "./events.ts";
import { History } from "./history.ts";
import { LIMITS } from "./limits.ts";
import { Silence } from "./silence.ts";

export interface Said {
  /** What the skills are recalled for. */
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
const LEARN_TOOLS: readonly string[] = ["save_skill", "report_outcome"];

export class Agent {
  readonly parts: AgentParts;
  readonly history = new History();
  session: string;
  model: StreamingModel | undefined;
  lastMessage = "";

  constructor(parts: AgentParts) {
    this.parts = parts;
    this.session = parts.session;
    this.model = parts.model;
  }

  /** Who acts in which task, as every call of the engine wants to know. */
  get context(): TaskContext {
    return { task: this.parts.task, session: this.session, ask: this.parts.ask };
  }

  /** One turn. A failure of the model is an event; the conversation goes on. */
  async *answer({ message, expand }: Said, signal: AbortSignal): AsyncGenerator<ChatEvent> {
    this.lastMessage = message;
    const turn = { message, session: this.session, id: randomUUID() };
    const section = await this.parts.engine.prompt(turn);
    yield { type: "recalled", matches: section.matches };
    const said = this.history.withNotes((await expand?.()) ?? message);
    yield { type: "prompt", section, ...(said !== message && { expanded: said }) };
    yield* this.think([{ role: "user", content: said }], { section: section.text, signal });
  }

  /** What the model gets in this step: the engine's tools, and those that activated skills have brought so far. */
  tools(): AgentTool[] {
    const { engine, workshop } = this.parts;
    const { learned, store, tasks } = workshop;
    const host: AgentHost = {
      recall: (turn, request) => engine.recall(turn, request),
      view: (agent) => engine.view(agent),
      visibility: (agent) => engine.visibility(agent),
      tasks,
    };
    const learnRows = learnToolRows({ learned, store, clock: engine.clock });
    const rows = [...AGENT_TOOL_ROWS, ...learnRows.filter(({ name }) => LEARN_TOOLS.includes(name))];
    return [...agentTools(host, this.context, rows), ...skillTools(host, this.context)];
  }

  /** Asks the model until it calls no more tools, and keeps what was said. */
  private async *think(
    turn: ModelMessage[],
    { section, signal }: { readonly section: string; readonly signal: AbortSignal },
  ): AsyncGenerator<ChatEvent> {
    const total = { inputTokens: 0, outputTokens: 0 };
    let end: End = this.model ? "tool-calls" : "no-model";
    let steps = 0;
    while (end === "tool-calls" && steps < LIMITS.steps) {
      const isLast = ++steps === LIMITS.steps;
      end = yield* this.step(turn, { system: `${INSTRUCTIONS}\n\n${section}`, signal, isLast, total });
    }
    await this.keep(turn);
    yield { type: "done", end, steps, usage: total };
  }

  /** One call of the model with the tools it calls. What came before a failure or a stop is kept. */
  private async *step(turn: ModelMessage[], options: StepOptions): AsyncGenerator<ChatEvent, End> {
    const model = this.model!;
    const { streamText } = await import("ai");
    const { toAiTools } = await import("../ai-sdk/tools.ts");
    const silence = new Silence(model.timeoutMs);
    let text = "";
    try {
      const answer = streamText({
        model: await model.load(),
        system: options.system,
        messages: [...this.history.messages(), ...turn],
        tools: toAiTools(this.tools()),
        // In the last step it has to say what it has.
        toolChoice: options.isLast ? "none" : "auto",
        maxRetries: model.retries,
        abortSignal: AbortSignal.any([options.signal, silence.signal]),
        // Failures come as parts of the stream; the SDK would print them as well.
        onError: () => {},
      });
      for await (const part of answer.fullStream) {
        silence.heard(part);
        if (part.type === "text-delta") {
          text += part.text;
          yield { type: "text", text: part.text };
        } else if (part.type === "tool-call") yield { type: "tool", name: part.toolName, input: part.input };
        else if (part.type === "tool-result")
          yield { type: "result", name: part.toolName, ok: true, text: String(part.output) };
        else if (part.type === "tool-error")
          yield { type: "result", name: part.toolName, ok: false, text: messageOf(part.error) };
        else if (part.type === "abort") throw silence.signal.reason;
        else if (part.type === "error") throw part.error;
      }
      turn.push(...(await answer.response).messages);
      text = "";
      const { inputTokens = 0, outputTokens = 0 } = await answer.usage;
      options.total.inputTokens += inputTokens;
      options.total.outputTokens += outputTokens;
      await model.count("chat", { inputTokens, outputTokens });
      return await answer.finishReason;
    } catch (thrown) {
      if (options.signal.aborted) return "stopped";
      const { code, message } = isRepertoireError(thrown)
        ? thrown
        : model.failure(silence.signal.reason ?? thrown);
      yield { type: "error", code, message };
      return "error";
    } finally {
      silence.end();
      if (text !== "") turn.push({ role: "assistant", content: text });
    }
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

interface StepOptions {
  readonly system: string;
  readonly signal: AbortSignal;
  readonly isLast: boolean;
  readonly total: { inputTokens: number; outputTokens: number };
}
