// Owns a language model that answers in a stream: the SDK's model, its limits, how a call is counted and a failure
// told. Does not own the conversation: whoever streams does.

import type { LanguageModel } from "ai";
import type { JournalStore } from "../journal/journal.ts";
import type { RepertoireError } from "../model/errors.ts";
import { recordCall } from "./counted.ts";
import { modelFailure } from "./failure.ts";
import { costOf, limitsOf, providerModel, type SdkOptions } from "./sdk.ts";

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface StreamingModel {
  /** Names the provider and the model, for the journal and for people. */
  readonly id: string;
  readonly endpoint: string;
  /** How long it may be silent. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** For `streamText`; loaded with the first call. */
  load(): Promise<LanguageModel>;
  /** Counts an answer in the journal. */
  count(purpose: string, usage: TokenUsage): Promise<void>;
  /** What went wrong, in one line with the next step. */
  failure(thrown: unknown): RepertoireError;
}

export interface CountingParts {
  readonly journal?: JournalStore;
  readonly now?: () => number;
}

export function streamingModel(
  options: SdkOptions,
  { journal, now = Date.now }: CountingParts,
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
        await recordCall(journal, { at: now(), model: id, purpose, usage, cost: costOf(options, usage) });
    },
  };
}
