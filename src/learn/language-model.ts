// The port behind which a language model answers.

export interface ModelRequest {
  /** What the answer is for, as the journal counts it: `summary`, `gaps`, `merge`. */
  readonly purpose: string;
  readonly system?: string;
  readonly prompt: string;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

export interface ModelAnswer {
  readonly text: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** In US dollars, where the price is known. */
  readonly cost?: number;
}

/** A model that continues text. Every call has a time limit; a failed one throws and has changed nothing. */
export interface LanguageModel {
  /** Names the provider and the model, for the journal. */
  readonly id: string;
  generate(request: ModelRequest): Promise<ModelAnswer>;
}
