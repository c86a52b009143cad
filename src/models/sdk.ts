// Owns language models over the AI SDK: any OpenAI-compatible address, OpenAI, Anthropic. The SDK's retries and abort
// signals are used as they are; errors become ours, without the key.

import { messageOf, RepertoireError } from "../model/errors.ts";
import type { LanguageModel, ModelAnswer, ModelRequest } from "../ports.ts";
import type { ModelKind, ModelSettings } from "./kinds.ts";

const NUMBERS = {
  /** A local model on a slow machine needs this long for a page; more means that it hangs. */
  timeoutMs: 60_000,
  /** A busy server is usually free again within two pauses. */
  retries: 2,
  /** What an answer may cost when the caller does not say. */
  maxTokens: 2_000,
} as const;

const PER_MILLION = 1_000_000;

export interface SdkOptions extends ModelSettings {
  readonly kind: Exclude<ModelKind, "none">;
  readonly name: string;
  readonly endpoint: string;
  readonly apiKey?: string;
}

export function createModel(options: SdkOptions): LanguageModel {
  return {
    id: `${options.kind}/${options.name}`,
    async generate(request) {
      const limit = AbortSignal.timeout(options.timeoutMs ?? NUMBERS.timeoutMs);
      try {
        return await ask(options, { ...request, signal: anyOf(limit, request.signal) });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw failed(options, limit.aborted ? "it did not answer in time" : reasonOf(error));
      }
    },
  };
}

async function ask(options: SdkOptions, request: ModelRequest): Promise<ModelAnswer> {
  const { generateText } = await import("ai");
  const { text, usage } = await generateText({
    model: await providerModel(options),
    prompt: request.prompt,
    maxOutputTokens: request.maxTokens ?? NUMBERS.maxTokens,
    maxRetries: options.retries ?? NUMBERS.retries,
    ...(request.system !== undefined && { system: request.system }),
    ...(request.signal && { abortSignal: request.signal }),
  });
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const { priceIn, priceOut } = options;
  const isPriced = priceIn !== undefined && priceOut !== undefined;
  return {
    text,
    usage: { inputTokens, outputTokens },
    ...(isPriced && { cost: (inputTokens * priceIn + outputTokens * priceOut) / PER_MILLION }),
  };
}

async function providerModel({ kind, name, endpoint: baseURL, apiKey }: SdkOptions) {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey ?? "" })(name);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ name: kind, baseURL, ...(apiKey !== undefined && { apiKey }) })(name);
}

function anyOf(limit: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given ? AbortSignal.any([limit, given]) : limit;
}

/** The innermost reason: a retry error wraps the last attempt's. */
function reasonOf(error: unknown): string {
  const last = (error as { lastError?: unknown }).lastError ?? error;
  const status = (last as { statusCode?: unknown }).statusCode;
  return typeof status === "number" ? `${messageOf(last)} (HTTP ${status})` : messageOf(last);
}

function failed({ kind, name, endpoint, apiKey }: SdkOptions, why: string): RepertoireError {
  const safe = apiKey ? why.replaceAll(apiKey, "…") : why;
  return new RepertoireError(
    "model-failed",
    `The language model ${kind}/${name} at ${endpoint} failed: ${safe}. Check that the server runs and offers the model; nothing was changed.`,
    endpoint,
  );
}
