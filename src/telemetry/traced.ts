// Wraps ports so that calls of the model and reported outcomes are traced.

import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import type { Store } from "../stores/stores.ts";
import { overridden } from "../stores/stores.ts";
import type { Tracing } from "./tracing.ts";

/** Traces each call of the model. */
export function tracedModel(model: LanguageModel, tracing: Tracing): LanguageModel {
  return {
    id: model.id,
    generate: (request) =>
      tracing.trace("model", { ...request, model: model.id }, () => model.generate(request)),
  };
}

/** Traces each outcome that is written to the journal. */
export function tracedStore(store: Store, tracing: Tracing): Store {
  const append: JournalStore["append"] = (events) =>
    events.some(({ kind }) => kind === "outcome")
      ? tracing.trace("outcome", events, async () => store.journal.append(events))
      : store.journal.append(events);
  return overridden(store, { journal: overridden(store.journal, { append }) });
}
