// The store that many nodes share: everything in one PostgreSQL database, in the scope that a token or the configuration says.

import { randomUUID } from "node:crypto";
import { HALF_LIFE_MS, packRemembered, RememberedBook } from "../../journal/journal.ts";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import { RETENTION, type Retention, type TidyOptions } from "../retention.ts";
import type { Store } from "../store.ts";
import { postgresTasks, postgresTrust } from "./activation.ts";
import { postgresArrivals } from "./arrivals.ts";
import { checkBytes } from "./check.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Counts } from "./counts.ts";
import { insertBatches, PostgresJournal, postgresConversation } from "./journal.ts";
import { namesNow, postgresBlobs, postgresRedirects, postgresVersions } from "./learned.ts";
import { Lease } from "./leases.ts";
import { postgresMeta, postgresProposals } from "./proposals.ts";
import { PostgresRemembered } from "./remembered.ts";
import { postgresSessions } from "./sessions.ts";
import { tidyDatabase } from "./tidying.ts";

export interface PostgresOptions extends ConnectionOptions {
  /** Names this node: changes that it has begun and not ended are its own. Another one for each folder of skills. */
  readonly node?: string | undefined;
  readonly halfLifeMs?: number | undefined;
  readonly leaseMs?: number | undefined;
  /** How long what is kept, where it is not as usual. */
  readonly keep?: Partial<Retention> | undefined;
}

/**
 * The store in a PostgreSQL database. Connects with the first question.
 *
 * @example
 * const store = postgresStore({ url: "postgres://repertoire:secret@db.example:5432/repertoire" });
 * await store.close();
 */
export function postgresStore(options: PostgresOptions): Store {
  return openPostgresStore(options);
}

export function openPostgresStore({ node = randomUUID(), ...options }: PostgresOptions) {
  const db = new Connection(options);
  const counts = new Counts(db, options.halfLifeMs ?? HALF_LIFE_MS);
  const journal = new PostgresJournal(db, counts);
  const lease = new Lease(db, { name: "learn", leaseMs: options.leaseMs });
  const dreams = new Lease(db, { name: "dream", leaseMs: options.leaseMs, patienceMs: 0 });
  const blobs = postgresBlobs(db);
  const remembered = new PostgresRemembered(db, namesNow);
  return {
    db,
    journal,
    conversation: postgresConversation(db),
    remembered,
    sessions: postgresSessions(db),
    tasks: postgresTasks(db),
    trust: postgresTrust(db),
    versions: postgresVersions(db, { node, requireHeld: (tx) => lease.requireHeld(tx) }),
    /** Brings a change into the database that was made while it was away. */
    arrive: postgresArrivals(db, node),
    blobs,
    redirects: postgresRedirects(db),
    proposals: postgresProposals(db, (tx) => dreams.requireHeld(tx)),
    meta: postgresMeta(db),
    async record(events, said = []) {
      if (events.length === 0 && said.length === 0) return;
      await db.write((tx) => insertBatches(tx, [{ id: randomUUID(), events, said }]));
    },
    async tallyBook() {
      const tallies = (await journal.tallies()).filter(({ lastUsedAt }) => lastUsedAt > 0);
      return { of: (name) => tallies.filter((tally) => tally.name === name) };
    },
    rememberedBook: async () => new RememberedBook(packRemembered(await remembered.list())),
    exclusive: (work) => lease.run(work),
    async dreaming<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await dreams.run(work);
      } catch (error) {
        if (codeOf(error) !== "store-busy" || (error as RepertoireError).value !== "dream") throw error;
        throw new RepertoireError(
          "dream-elsewhere",
          "Another machine is running a dream on this library. When it is done, repertoire proposals list shows its proposals.",
        );
      }
    },
    catchUp() {},
    async tidy(tidying?: TidyOptions) {
      // What goes is counted before.
      await counts.catchUp();
      return tidyDatabase(db, { ...tidying, keep: { ...RETENTION, ...options.keep }, now: Date.now() });
    },
    check: (...asked: Parameters<Store["check"]>) => checkBytes(db, blobs, ...asked),
    close: () => db.close(),
  } satisfies Store & Record<string, unknown>;
}
