// The whole store: the ports of all rooms that keep something.

import type { TaskStore, TrustStore } from "../activate/activate.ts";
import type { MetaStore, ProposalStore } from "../dream/dream.ts";
import type { ConversationStore, JournalStore, RememberedStore, TurnStore } from "../journal/journal.ts";
import type { BlobStore, RedirectStore, VersionFile, VersionRecord, VersionStore } from "../learn/learn.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { StateCheckOptions, StateFinding } from "../model/state-finding.ts";
import type { Tidied, TidyOptions } from "./retention.ts";

/** Everything that outlives a process. Every store passes `test/contracts/store.test.ts`. */
export interface Store extends TurnStore {
  readonly journal: JournalStore;
  readonly remembered: RememberedStore;
  readonly tasks: TaskStore;
  readonly trust: TrustStore;
  readonly versions: VersionStore;
  readonly blobs: BlobStore;
  readonly redirects: RedirectStore;
  readonly conversation: ConversationStore;
  readonly proposals: ProposalStore;
  readonly meta: MetaStore;
  /** Runs one work at a time, over all processes. The lock is released when the process dies. Not re-entrant. */
  exclusive<T>(work: () => Awaitable<T>): Promise<T>;
  /**
   * Runs a dream while nobody else who shares the store dreams; fails with `dream-elsewhere` if somebody does. Absent in stores of
   * one machine.
   */
  dreaming?<T>(work: () => Promise<T>): Promise<T>;
  /** Takes over what hooks have recorded, a little at a time; `pause` lets others go on. */
  catchUp(pause: () => Promise<unknown>): Awaitable<void>;
  /** Takes over what hooks have recorded, and removes what is older than it is kept. */
  tidy(options?: TidyOptions): Awaitable<readonly Tidied[]>;
  /** Looks at everything that is kept. `lostBytes` may still have bytes that the store has lost, by their SHA-256. */
  check(
    options?: StateCheckOptions & { readonly lostBytes?: LostBytes | undefined },
  ): Awaitable<readonly StateFinding[]>;
  close(): Awaitable<void>;
}

/** Looks for a file of a version outside the store. */
export type LostBytes = (version: VersionRecord, file: VersionFile) => Awaitable<Uint8Array | undefined>;
