// One call of the model with the tools that it calls: turns the SDK's stream into events of the chat. Text that came before
// a failure or a stop is kept.

import type { ModelMessage } from "ai";
import type { AgentTool } from "../../agent/agent.ts";
import type { StreamingModel, TokenUsage } from "../../engine/engine.ts";
import { messageOf } from "../../model/errors.ts";
import type { ChatEvent, End } from "./events.ts";
import { Silence } from "./silence.ts";

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
  const { toAiTools } = await import("../ai-sdk/tools.ts");
  const silence = new Silence(model.timeoutMs);
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
