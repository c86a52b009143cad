// Owns the ports as the engine uses them, with a tracing system told: each answer of the model, and each outcome that the
// journal keeps, whoever reported it. Does not own the ports' work.

import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import type { Store } from "../stores/stores.ts";
import { overridden } from "../stores/stores.ts";
import type { Tracing } from "./tracing.ts";

export function tracedModel(model: LanguageModel, tracing: Tracing): LanguageModel {
  return {
    id: model.id,
    generate: (request) =>
      tracing.trace("model", { ...request, model: model.id }, () => model.generate(request)),
  };
}

export function tracedStore(store: Store, tracing: Tracing): Store {
  const append: JournalStore["append"] = (events) =>
    events.some(({ kind }) => kind === "outcome")
      ? tracing.trace("outcome", events, async () => store.journal.append(events))
      : store.journal.append(events);
  return overridden(store, { journal: overridden(store.journal, { append }) });
}
