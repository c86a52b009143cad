// Brings what happens to the database: many calls in one transaction, nobody waits long, and what cannot be brought now is
// spooled on disk instead of filling the memory.

import type { JournalEvent } from "../../journal/journal.ts";
import { codeOf } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";
import { isAway } from "./failures.ts";
import { type Batch, insertBatches } from "./journal.ts";
import type { Spool } from "./spool.ts";

const NUMBERS = {
  /** Events in one transaction: others wait for it no longer than for a save. */
  eventsAtOnce: 1_000,
  /** Events that wait in memory; more are spooled. */
  mostWaiting: 10_000,
  /** The longest time that an append waits. */
  patienceMs: 1_500,
} as const;

interface Waiting {
  readonly batch: Batch;
  /** In whose name it is kept. */
  readonly caller: string;
  readonly as: <T>(work: () => T) => T;
  settle(kept: readonly JournalEvent[] | "spooled"): void;
  fail(error: unknown): void;
}

interface IngestionNeeds {
  readonly spool: Spool;
  /** Called after events were kept in the database. */
  readonly onKept: (events: readonly JournalEvent[]) => void;
  /** Called when something was spooled instead. */
  readonly onSpooled: () => void;
}

export class Ingestion {
  private readonly db: Connection;
  private readonly needs: IngestionNeeds;
  private queue: Waiting[] = [];
  private waitingEvents = 0;
  private running: Promise<void> | undefined;

  constructor(db: Connection, needs: IngestionNeeds) {
    this.db = db;
    this.needs = needs;
  }

  /** Keeps the batch in the database, or on disk if that takes long; says which. */
  add(batch: Batch): Promise<readonly JournalEvent[] | "spooled"> {
    if (!this.db.isUp || this.waitingEvents > NUMBERS.mostWaiting) return Promise.resolve(this.spool(batch));
    return new Promise((resolve, reject) => {
      // It may reach the database all the same; its id lets it count once.
      const late = setTimeout(() => resolve(this.spool(batch)), NUMBERS.patienceMs);
      const done = () => clearTimeout(late);
      this.queue.push({
        batch,
        caller: this.db.caller,
        as: this.db.bound(),
        settle(kept) {
          done();
          resolve(kept);
        },
        fail(error) {
          done();
          reject(error);
        },
      });
      this.waitingEvents += batch.events.length;
      this.running ??= this.run().finally(() => {
        this.running = undefined;
      });
    });
  }

  /** Waits until nothing is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      const some = this.takeSome();
      await this.keep(some);
      this.waitingEvents -= eventsIn(some);
    }
  }

  private takeSome(): Waiting[] {
    let events = 0;
    const end = this.queue.findIndex(({ batch, caller }, index) => {
      events += batch.events.length;
      return index > 0 && (events > NUMBERS.eventsAtOnce || caller !== this.queue[0]!.caller);
    });
    return this.queue.splice(0, end === -1 ? this.queue.length : end);
  }

  private async keep(some: readonly Waiting[]): Promise<void> {
    try {
      const batches = some.map(({ batch }) => batch);
      const kept = await some[0]!.as(() => this.db.write((tx) => insertBatches(tx, batches)));
      for (const { batch, settle } of some) settle(kept.get(batch.id)!);
      this.needs.onKept([...kept.values()].flat());
    } catch (error) {
      if (isAway(error) || codeOf(error) === "commit-uncertain")
        for (const { batch, settle } of some) settle(this.spool(batch));
      // One of them was refused, which is not the fault of the others.
      else if (some.length > 1) for (const each of some) await this.keep([each]);
      else some[0]?.fail(error);
    }
  }

  private spool(batch: Batch): "spooled" {
    this.needs.spool.keep(batch);
    this.needs.onSpooled();
    return "spooled";
  }
}

function eventsIn(some: readonly Waiting[]): number {
  return some.reduce((sum, { batch }) => sum + batch.events.length, 0);
}
