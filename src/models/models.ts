// Owns the choice among language models: the front door of this folder. The SDK is loaded with the first call.
// Does not read configuration files, and never sees a key that is not in the environment.

import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import { RepertoireError } from "../model/errors.ts";
import { countedModel } from "./counted.ts";
import type { ModelKind, ModelSettings } from "./kinds.ts";
import { createModel, type SdkOptions } from "./sdk.ts";
import { type StreamingModel, streamingModel } from "./streaming.ts";

export { countedModel } from "./counted.ts";
export { TimeLimitError } from "./failure.ts";
export type { ModelKind, ModelSettings } from "./kinds.ts";
export type { StreamingModel, TokenUsage } from "./streaming.ts";

export interface ModelParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where calls are counted. */
  readonly journal?: JournalStore;
  readonly now?: () => number;
}

/** Where each kind is served, and which variable usually holds its key. */
const USUAL: Readonly<Record<Exclude<ModelKind, "none">, { endpoint?: string; apiKeyEnv?: string }>> = {
  "openai-compatible": {},
  openai: { endpoint: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  anthropic: { endpoint: "https://api.anthropic.com/v1", apiKeyEnv: "ANTHROPIC_API_KEY" },
};

/** The configured model, or nothing when there is none. */
export function openModel(settings: ModelSettings, parts: ModelParts): LanguageModel | undefined {
  const complete = completed(settings, parts.env);
  if (!complete) return undefined;
  const model = createModel(complete);
  return parts.journal ? countedModel(model, parts.journal, parts.now ?? Date.now) : model;
}

/** The same model for those who show an answer while it comes. */
export function openStreamingModel(settings: ModelSettings, parts: ModelParts): StreamingModel | undefined {
  const complete = completed(settings, parts.env);
  return complete && streamingModel(complete, parts);
}

function completed(settings: ModelSettings, env: ModelParts["env"]): SdkOptions | undefined {
  const { kind } = settings;
  if (kind === "none") return undefined;
  const usual = USUAL[kind];
  const endpoint = settings.endpoint ?? usual.endpoint;
  if (endpoint === undefined)
    throw missing("endpoint", "the server's address, such as http://localhost:11434/v1");
  if (settings.name === undefined) throw missing("name", "the model that the server offers");
  const apiKeyEnv = settings.apiKeyEnv ?? usual.apiKeyEnv;
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== undefined && !apiKey) {
    throw new RepertoireError(
      "model-key-missing",
      `The language model's key is read from the environment variable ${apiKeyEnv}, which is not set. Set it, or name another one in "model.apiKeyEnv".`,
      apiKeyEnv,
    );
  }
  return {
    ...settings,
    kind,
    name: settings.name,
    endpoint,
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    ...(apiKey && { apiKey }),
  };
}

function missing(key: string, what: string): RepertoireError {
  return new RepertoireError(
    "model-incomplete",
    `A language model needs "model.${key}": ${what}. Set it, or set "model.kind" to "none".`,
    key,
  );
}
