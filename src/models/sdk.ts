// Language models over the AI SDK (any OpenAI-compatible server, OpenAI, Anthropic), for whole and for streamed answers, and
// the record of their calls in the journal.

import type { LanguageModel as SdkModel } from "ai";
import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel, ModelAnswer, ModelRequest } from "../learn/learn.ts";
import { messageOf, RepertoireError } from "../model/errors.ts";
import { oneLine } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";

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
function limitsOf(options: SdkOptions): { readonly timeoutMs: number; readonly retries: number } {
  const { timeoutMs = NUMBERS.timeoutMs, retries = NUMBERS.retries } = options;
  return { timeoutMs, retries };
}

/** The cost in US dollars; undefined if the prices are not configured. */
function usageCost({ priceIn, priceOut }: SdkOptions, usage: ModelAnswer["usage"]): number | undefined {
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
        const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
        return await ask(options, { ...request, signal });
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

async function providerModel({ kind, name, endpoint: baseURL, apiKey }: SdkOptions) {
  if (kind === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey: apiKey ?? "" })(name);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey !== undefined && { apiKey };
  // Servers report the usage of a streamed answer only with `includeUsage`.
  return createOpenAICompatible({ name: kind, baseURL, includeUsage: true, ...key })(name);
}

/** Wraps a model so that each call is recorded in the journal. */
export function countedModel(model: LanguageModel, journal: JournalStore, now: () => number): LanguageModel {
  return {
    id: model.id,
    async generate(request) {
      const answer = await model.generate(request);
      const { usage, cost } = answer;
      await recordCall(journal, { at: now(), model: model.id, purpose: request.purpose, usage, cost });
      return answer;
    },
  };
}

interface ModelCall {
  readonly at: number;
  readonly model: string;
  readonly purpose: string;
  readonly usage: TokenUsage;
  readonly cost: number | undefined;
}

/** Adds a call to the journal: its purpose, tokens and cost. */
async function recordCall(journal: JournalStore, { at, usage, cost, ...call }: ModelCall): Promise<void> {
  const details = { ...call, ...usage, ...(cost !== undefined && { cost }) };
  await journal.append([{ at, kind: "model_call", details }]);
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface StreamingModel {
  /** The provider and the model, for the journal and for people. */
  readonly id: string;
  readonly endpoint: string;
  /** The longest pause in an answer. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** For `streamText`; loaded with the first call. */
  load(): Promise<SdkModel>;
  /** Records an answer in the journal. */
  count(purpose: string, usage: TokenUsage): Promise<void>;
  /** The error for a failed call, with the next step. */
  failure(thrown: unknown): RepertoireError;
}

export interface RecordingParts {
  /** Records the calls. */
  readonly journal?: JournalStore | undefined;
  readonly now?: (() => number) | undefined;
}

/** A model for `streamText` of the AI SDK. */
export function streamingModel(
  options: SdkOptions,
  { journal, now = Date.now }: RecordingParts,
): StreamingModel {
  const id = `${options.kind}/${options.name}`;
  return {
    id,
    endpoint: options.endpoint,
    ...limitsOf(options),
    load: () => providerModel(options),
    failure: (thrown) => modelFailure(options, thrown),
    async count(purpose, usage) {
      if (journal)
        await recordCall(journal, { at: now(), model: id, purpose, usage, cost: usageCost(options, usage) });
    },
  };
}

/** Thrown after the time limit. */
export class TimeLimitError extends Error {
  constructor() {
    super("it did not answer in time");
    this.name = "TimeLimitError";
  }
}

/** The longest part of a server's message that is shown; some servers send a whole page. */
const REASON_CHARS = 200;

/** The error for anything that a call of the model threw: the reason in one line, without the key, and the next step. */
function modelFailure(options: SdkOptions, thrown: unknown): RepertoireError {
  // A retry error wraps the error of the last attempt.
  const last = (thrown as { lastError?: unknown } | undefined)?.lastError ?? thrown;
  const { kind, name, endpoint, apiKey } = options;
  const status = statusOf(last);
  const why = oneLine(reasonOf(last)).replace(/\.$/, "");
  const short = clip(apiKey ? why.replaceAll(apiKey, "…") : why, REASON_CHARS);
  const reason = status === undefined ? short : `${short} (HTTP ${status})`;
  return new RepertoireError(
    "model-failed",
    `The language model ${kind}/${name} at ${endpoint} failed: ${reason}. ${nextStep(options, last)}`,
    endpoint,
  );
}

function nextStep({ apiKeyEnv }: SdkOptions, thrown: unknown): string {
  const status = statusOf(thrown);
  const error = thrown instanceof Error ? thrown.name : "";
  if (thrown instanceof TimeLimitError) return 'Try again, or increase "model.timeoutMs".';
  if (status === 401 || status === 403)
    return apiKeyEnv === undefined
      ? 'Name the environment variable that holds the key in "model.apiKeyEnv".'
      : `Check the key in the environment variable ${apiKeyEnv}.`;
  if (status === 404) return 'Check "model.name" and "model.endpoint".';
  if (status === 402 || status === 429) return "Wait and try again, or check the limits of the account.";
  if (status !== undefined && status >= 500) return "The server has a problem; try again later.";
  // The server began to answer.
  const isBroken = status !== undefined && status < 300;
  if (isBroken || /JSONParse|TypeValidation|InvalidResponseData|EmptyResponse/.test(error))
    return 'The answer is incomplete, or the server does not use the protocol of "model.kind"; try again.';
  return 'Check that the server is running and has the model ("model.endpoint", "model.name").';
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** The reason may also be data: a server may send an error in the middle of a stream. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error || typeof thrown === "string") return messageOf(thrown);
  const message = (thrown as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? message : (JSON.stringify(thrown) ?? "unknown");
}
