// Owns that every answer of a language model is counted in the journal: what for, how many tokens, what it cost.

import type { JournalStore, LanguageModel } from "../ports.ts";

export function counted(model: LanguageModel, journal: JournalStore, now: () => number): LanguageModel {
  return {
    id: model.id,
    async generate(request) {
      const answer = await model.generate(request);
      const { usage, cost } = answer;
      await journal.append([
        {
          at: now(),
          kind: "model_call",
          details: {
            model: model.id,
            purpose: request.purpose,
            ...usage,
            ...(cost !== undefined && { cost }),
          },
        },
      ]);
      return answer;
    },
  };
}
