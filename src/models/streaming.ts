// A language model for streamed answers: the SDK's model, its limits, the record of a call and the error of a failure.

import type { LanguageModel } from "ai";
import type { JournalStore } from "../journal/journal.ts";
import type { RepertoireError } from "../model/errors.ts";
import { recordCall } from "./counted.ts";
import { modelFailure } from "./failure.ts";
import { limitsOf, providerModel, type SdkOptions, usageCost } from "./sdk.ts";

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
  load(): Promise<LanguageModel>;
  /** Records an answer in the journal. */
  count(purpose: string, usage: TokenUsage): Promise<void>;
  /** The error for a failed call, with the next step. */
  failure(thrown: unknown): RepertoireError;
}

interface RecordingParts {
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
