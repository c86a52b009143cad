// The store that lives and dies with the process: for tests, and for hosts that keep nothing.

import { HALF_LIFE_MS } from "../../journal/journal.ts";
import { InTurn } from "../in-turn.ts";
import type { Store } from "../store.ts";
import { memoryTasks, memoryTrust } from "./activation.ts";
import { MemoryJournal, memoryConversation } from "./journal.ts";
import { memoryBlobs, memoryRedirects, memoryVersions } from "./learned.ts";
import { memoryMeta, memoryProposals } from "./proposals.ts";
import { memorySessions } from "./sessions.ts";

/**
 * A store that writes nothing to disk.
 *
 * @example
 * const skills = openRepertoire({ dir, store: memoryStore() });
 */
export function memoryStore(options: { readonly halfLifeMs?: number | undefined } = {}): Store {
  const inTurn = new InTurn();
  const journal = new MemoryJournal(options.halfLifeMs ?? HALF_LIFE_MS);
  const conversation = memoryConversation();
  return {
    journal,
    conversation,
    sessions: memorySessions(),
    tasks: memoryTasks(),
    trust: memoryTrust(),
    versions: memoryVersions(),
    blobs: memoryBlobs(),
    redirects: memoryRedirects(),
    proposals: memoryProposals(),
    meta: memoryMeta(),
    record(events, said = []) {
      for (const line of said) conversation.append(line);
      journal.append(events);
    },
    tallyBook: () => journal.tallyBook(),
    exclusive: (work) => inTurn.run(work),
    tidy: () => {},
    close() {},
  };
}
