// The types between this adapter and the AI SDK, declared by structure so that they fit versions 6 and 7, whose own types
// do not fit each other.

/** A tool as the SDK takes it. */
export interface AiTool {
  readonly type: "dynamic";
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: each version marks a schema with a symbol of its own, which no shared type can name
  readonly inputSchema: any;
  execute(input: unknown, options: { readonly abortSignal?: AbortSignal | undefined }): Promise<string>;
}

export type AiToolSet = Record<string, AiTool>;

/** A message as a model gets it. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: unknown;
}

/** What a model is called with, as far as we look at it. */
export interface ModelCall {
  readonly prompt: readonly PromptMessage[];
  readonly abortSignal?: AbortSignal | undefined;
}

/** The part of a model that answers; every version of the SDK's model interface has it. */
export interface CallableModel {
  doGenerate(call: ModelCall): PromiseLike<unknown>;
  doStream(call: ModelCall): PromiseLike<unknown>;
}

/** For `wrapLanguageModel`. */
export interface SectionMiddleware {
  readonly specificationVersion: "v3";
  transformParams<CALL>(options: { readonly params: CALL }): Promise<CALL>;
  wrapGenerate<RESULT>(options: {
    readonly doGenerate: () => PromiseLike<RESULT>;
    readonly params: object;
  }): Promise<RESULT>;
  wrapStream<RESULT>(options: {
    readonly doStream: () => PromiseLike<RESULT>;
    readonly params: object;
  }): Promise<RESULT>;
}

/** A finished step, as far as we look at it. */
export interface FinishedStep {
  readonly model: { readonly provider: string; readonly modelId: string };
  readonly usage: {
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
  };
  readonly content: readonly { readonly type: string }[];
}
