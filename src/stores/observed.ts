// Tells a host what a store keeps, as it happens: journal events and proposals.

import type { ProposalRecord } from "../dream/dream.ts";
import type { JournalEvent } from "../journal/journal.ts";
import type { Store } from "./store.ts";

export type StoreNews =
  | { readonly about: "journal"; readonly events: readonly JournalEvent[] }
  | { readonly about: "proposal"; readonly proposal: ProposalRecord };

/** The same store; calls `tell` after it has kept something. What turns record is not told. */
export function observedStore(store: Store, tell: (news: StoreNews) => void): Store {
  const journal = overridden(store.journal, {
    async append(events) {
      const kept = await store.journal.append(events);
      if (kept.length > 0) tell({ about: "journal", events: kept });
      return kept;
    },
  });
  const proposals = overridden(store.proposals, {
    async add(proposal) {
      const kept = await store.proposals.add(proposal);
      tell({ about: "proposal", proposal: kept });
      return kept;
    },
    async decide(number, decision) {
      const decided = await store.proposals.decide(number, decision);
      if (decided) tell({ about: "proposal", proposal: decided });
      return decided;
    },
  });
  return overridden(store, { journal, proposals });
}

/** The same object with some of its members replaced. */
export function overridden<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in own) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
