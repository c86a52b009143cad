// Language models over the AI SDK: any OpenAI-compatible server, OpenAI, Anthropic.

import type { LanguageModel, ModelAnswer, ModelRequest } from "../learn/learn.ts";
import { modelFailure, TimeLimitError } from "./failure.ts";

const NUMBERS = {
  /** A local model on a slow machine needs this long for a page; after more time it hangs. */
  timeoutMs: 60_000,
  /** A busy server is usually free again within two pauses. */
  retries: 2,
  /** The default limit of an answer. */
  maxTokens: 2_000,
} as const;

const PER_MILLION = 1_000_000;

export type ModelKind = "none" | "openai-compatible" | "openai" | "anthropic";

export interface ModelSettings {
  readonly kind: ModelKind;
  /** For example `http://localhost:11434/v1`. */
  readonly endpoint?: string | undefined;
  readonly name?: string | undefined;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /** US dollars for a million input tokens. */
  readonly priceIn?: number | undefined;
  /** US dollars for a million output tokens. */
  readonly priceOut?: number | undefined;
}

export interface SdkOptions extends ModelSettings {
  readonly kind: Exclude<ModelKind, "none">;
  readonly name: string;
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
}

/** The time limit and the number of retries. */
export function limitsOf(options: SdkOptions): { readonly timeoutMs: number; readonly retries: number } {
  const { timeoutMs = NUMBERS.timeoutMs, retries = NUMBERS.retries } = options;
  return { timeoutMs, retries };
}

/** The cost in US dollars; undefined if the prices are not configured. */
export function usageCost(
  { priceIn, priceOut }: SdkOptions,
  usage: ModelAnswer["usage"],
): number | undefined {
  if (priceIn === undefined || priceOut === undefined) return undefined;
  return (usage.inputTokens * priceIn + usage.outputTokens * priceOut) / PER_MILLION;
}

/** A model that returns whole answers; a failure throws `model-failed`. */
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
  const cost = usageCost(options, spent);
  return { text, usage: spent, ...(cost !== undefined && { cost }) };
}

export async function providerModel({ kind, name, endpoint: baseURL, apiKey }: SdkOptions) {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey ?? "" })(name);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey !== undefined && { apiKey };
  // Servers report the usage of a streamed answer only with `includeUsage`.
  return createOpenAICompatible({ name: kind, baseURL, includeUsage: true, ...key })(name);
}

function anyOf(limit: AbortSignal, given: AbortSignal | undefined): AbortSignal {
  return given ? AbortSignal.any([limit, given]) : limit;
}
