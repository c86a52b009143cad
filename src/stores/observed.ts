// Owns telling a host what a store takes in, as it happens: journal events and proposals. Everything else is passed on.

import type { ProposalRecord } from "../dream/dream.ts";
import type { JournalEvent } from "../journal/journal.ts";
import { overridden } from "./overridden.ts";
import type { Store } from "./store.ts";

export type StoreNews =
  | { readonly about: "journal"; readonly events: readonly JournalEvent[] }
  | { readonly about: "proposal"; readonly proposal: ProposalRecord };

/** The same store, whose news are told after they are kept. What hooks leave in the inbox is not news of this process. */
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
