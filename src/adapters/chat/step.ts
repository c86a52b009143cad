// One call of the model with the tools that it calls: turns the SDK's stream into events of the chat. Text that came before
// a failure or a stop is kept.

import type { FinishReason, ModelMessage } from "ai";
import type { AgentTool } from "../../agent/agent.ts";
import { type Prompt, type StreamingModel, TimeLimitError, type TokenUsage } from "../../engine/engine.ts";
import { messageOf } from "../../model/errors.ts";

/** The events of a turn, as the view shows them and `--json` prints them. */
export type ChatEvent =
  | { readonly type: "recalled"; readonly matches: Prompt["matches"] }
  /**
   * `fresh` is the part of the section that is for this message; `expanded` the text that the model gets, if it differs from
   * what was typed.
   */
  | { readonly type: "prompt"; readonly section: Prompt; readonly fresh: string; readonly expanded?: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly input: unknown }
  | { readonly type: "result"; readonly name: string; readonly ok: boolean; readonly text: string }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  | { readonly type: "done"; readonly end: End; readonly steps: number; readonly usage: TokenUsage };

/** Why an answer ended: the reason of the model, the person stopped it, or there is no model. */
export type End = FinishReason | "stopped" | "no-model";

interface StepRequest {
  readonly system: string;
  readonly messages: ModelMessage[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
}

interface Step {
  readonly end: End;
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
}

export async function* takeStep(
  model: StreamingModel,
  request: StepRequest,
): AsyncGenerator<ChatEvent, Step> {
  const { streamText } = await import("ai");
  const { toAiTools } = await import("../ai-sdk/skill-tools.ts");
  const silence = timeLimit(model.timeoutMs);
  let text = "";
  try {
    const answer = streamText({
      model: await model.load(),
      system: request.system,
      messages: request.messages,
      tools: toAiTools(request.tools),
      maxRetries: model.retries,
      abortSignal: AbortSignal.any([request.signal, silence.signal]),
      // Failures come as parts of the stream; the SDK would print them as well.
      onError: () => {},
    });
    for await (const part of answer.fullStream) {
      silence.restart(part);
      if (part.type === "error") throw part.error;
      if (part.type === "abort") throw silence.signal.reason;
      if (part.type === "text-delta") {
        text += part.text;
        yield { type: "text", text: part.text };
      } else if (part.type === "tool-call") {
        yield { type: "tool", name: part.toolName, input: part.input };
      } else if (part.type === "tool-result") {
        yield { type: "result", name: part.toolName, ok: true, text: String(part.output) };
      } else if (part.type === "tool-error") {
        yield { type: "result", name: part.toolName, ok: false, text: messageOf(part.error) };
      }
    }
    const { inputTokens = 0, outputTokens = 0 } = await answer.usage;
    const { messages } = await answer.response;
    return { end: await answer.finishReason, messages, usage: { inputTokens, outputTokens } };
  } catch (thrown) {
    const isStopped = request.signal.aborted;
    if (!isStopped) {
      const { code, message } = model.failure(silence.signal.reason ?? thrown);
      yield { type: "error", code, message };
    }
    return {
      end: isStopped ? "stopped" : "error",
      messages: text === "" ? [] : [{ role: "assistant", content: text }],
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  } finally {
    silence.end();
  }
}

/** The time limit of an answer: it counts while the model is silent, but not while a tool runs or a person is asked. */
function timeLimit(limitMs: number) {
  const controller = new AbortController();
  const running = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  /** Restarts the time: the model, or a tool it called, sent something. */
  const restart = ({ type, toolCallId = "" }: { readonly type: string; readonly toolCallId?: string }) => {
    if (type === "tool-call") running.add(toolCallId);
    if (type === "tool-result" || type === "tool-error") running.delete(toolCallId);
    end();
    if (running.size === 0) timer = setTimeout(() => controller.abort(new TimeLimitError()), limitMs);
  };
  restart({ type: "start" });
  return { signal: controller.signal, restart, end };
}
