// Records each call of a language model in the journal: its purpose, tokens and cost.

import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel, ModelAnswer } from "../learn/learn.ts";

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
  readonly usage: ModelAnswer["usage"];
  readonly cost: number | undefined;
}

export async function recordCall(journal: JournalStore, call: ModelCall): Promise<void> {
  const { at, model, purpose, usage, cost } = call;
  const details = { model, purpose, ...usage, ...(cost !== undefined && { cost }) };
  await journal.append([{ at, kind: "model_call", details }]);
}
