// Owns which kinds of language model there are and what one is described by. Loads nothing.

export type ModelKind = "none" | "openai-compatible" | "openai" | "anthropic";

export interface ModelSettings {
  readonly kind: ModelKind;
  /** For example `http://localhost:11434/v1`. */
  readonly endpoint?: string;
  readonly name?: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** US dollars for a million tokens. */
  readonly priceIn?: number;
  readonly priceOut?: number;
}
