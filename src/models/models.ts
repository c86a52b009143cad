// The front door of models: opens the configured language model. The SDK is loaded with the first call.

import type { LanguageModel } from "../learn/learn.ts";
import { RepertoireError } from "../model/errors.ts";
import type { ModelKind, ModelSettings, RecordingParts, SdkOptions, StreamingModel } from "./sdk.ts";
import { countedModel, createModel, streamingModel } from "./sdk.ts";

export type { ModelKind, ModelSettings, StreamingModel, TokenUsage } from "./sdk.ts";
export { countedModel, TimeLimitError } from "./sdk.ts";

interface ModelParts extends RecordingParts {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The default endpoint of each kind, and the environment variable that usually holds its key. */
const DEFAULTS: Readonly<Record<Exclude<ModelKind, "none">, { endpoint?: string; apiKeyEnv?: string }>> = {
  "openai-compatible": {},
  openai: { endpoint: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" },
  anthropic: { endpoint: "https://api.anthropic.com/v1", apiKeyEnv: "ANTHROPIC_API_KEY" },
};

/** Opens the configured model; undefined for the kind `none`. */
export function openModel(settings: ModelSettings, parts: ModelParts): LanguageModel | undefined {
  const complete = completed(settings, parts.env);
  if (!complete) return undefined;
  const model = createModel(complete);
  return parts.journal ? countedModel(model, parts.journal, parts.now ?? Date.now) : model;
}

/** Opens the same model for answers that are shown while they arrive. */
export function openStreamingModel(settings: ModelSettings, parts: ModelParts): StreamingModel | undefined {
  const complete = completed(settings, parts.env);
  return complete && streamingModel(complete, parts);
}

function completed(settings: ModelSettings, env: ModelParts["env"]): SdkOptions | undefined {
  const { kind } = settings;
  if (kind === "none") return undefined;
  const usual = DEFAULTS[kind];
  const endpoint = settings.endpoint ?? usual.endpoint;
  if (endpoint === undefined)
    throw missing("endpoint", "the address of the server, such as http://localhost:11434/v1");
  if (settings.name === undefined) throw missing("name", "the name of a model on the server");
  const apiKeyEnv = settings.apiKeyEnv ?? usual.apiKeyEnv;
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== undefined && !apiKey) {
    throw new RepertoireError(
      "model-key-missing",
      `The environment variable ${apiKeyEnv}, which holds the key of the language model, is not set. Set it, or name another one in "model.apiKeyEnv".`,
      apiKeyEnv,
    );
  }
  return { ...settings, kind, name: settings.name, endpoint, apiKeyEnv, apiKey };
}

function missing(key: string, what: string): RepertoireError {
  return new RepertoireError(
    "model-incomplete",
    `A language model needs "model.${key}": ${what}. Set it, or set "model.kind" to "none".`,
    key,
  );
}
