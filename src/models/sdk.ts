// Owns language models over the AI SDK: any OpenAI-compatible address, OpenAI, Anthropic. The SDK's retries and abort
// signals are used as they are; errors become ours, without the key.

import type { LanguageModel, ModelAnswer, ModelRequest } from "../learn/learn.ts";
import { modelFailure, TimeLimitError } from "./failure.ts";
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

/** How long a model is waited for and how often it is asked again. */
export function limitsOf(options: SdkOptions): { readonly timeoutMs: number; readonly retries: number } {
  const { timeoutMs = NUMBERS.timeoutMs, retries = NUMBERS.retries } = options;
  return { timeoutMs, retries };
}

/** In US dollars, where the price is known. */
export function costOf({ priceIn, priceOut }: SdkOptions, usage: ModelAnswer["usage"]): number | undefined {
  if (priceIn === undefined || priceOut === undefined) return undefined;
  return (usage.inputTokens * priceIn + usage.outputTokens * priceOut) / PER_MILLION;
}

export function createModel(options: SdkOptions): LanguageModel {
  return {
    id: `${options.kind}/${options.name}`,
    async generate(request) {
      const limit = AbortSignal.timeout(limitsOf(options).timeoutMs);
      try {
        return await ask(options, { ...request, signal: anyOf(limit, request.signal) });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw modelFailure(options, limit.aborted ? new TimeLimitError() : error);
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
    maxRetries: limitsOf(options).retries,
    ...(request.system !== undefined && { system: request.system }),
    ...(request.signal && { abortSignal: request.signal }),
  });
  const spent = { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
  const cost = costOf(options, spent);
  return { text, usage: spent, ...(cost !== undefined && { cost }) };
}

export async function providerModel({ kind, name, endpoint: baseURL, apiKey }: SdkOptions) {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey ?? "" })(name);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey !== undefined && { apiKey };
  // Without being asked, a server does not say what a streamed answer cost.
  return createOpenAICompatible({ name: kind, baseURL, includeUsage: true, ...key })(name);
}

function anyOf(limit: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given ? AbortSignal.any([limit, given]) : limit;
}
