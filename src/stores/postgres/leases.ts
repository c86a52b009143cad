// Lets one node at a time do a work in a scope. The lease ends by itself if its holder is gone, and whoever took over is
// known by a higher number: the old holder commits nothing any more.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Awaitable } from "../../model/awaitable.ts";
import { isRepertoireError, RepertoireError } from "../../model/errors.ts";
import { InTurn } from "../in-turn.ts";
import type { Connection, Transaction } from "./connection.ts";
import { isAway } from "./failures.ts";

const NUMBERS = {
  /** How long nobody can take over from a holder that does not answer: longer than a server needs to start again. */
  leaseMs: 10_000,
  /** Longer than any save of a skill takes, even sixteen in a row. */
  patienceMs: 60_000,
  retryMs: 5,
  retrySpreadMs: 30,
} as const;

interface LeaseOptions {
  readonly name: string;
  readonly leaseMs?: number | undefined;
  /** How long to wait for a holder. */
  readonly patienceMs?: number | undefined;
}

export class Lease {
  private readonly db: Connection;
  private readonly name: string;
  private readonly leaseMs: number;
  private readonly patienceMs: number;
  private readonly holder = randomUUID();
  private readonly inTurn = new InTurn();
  /** The number of the lease while this process believes that it holds it. */
  private fence: number | undefined;

  constructor(db: Connection, options: LeaseOptions) {
    this.db = db;
    this.name = options.name;
    this.leaseMs = options.leaseMs ?? NUMBERS.leaseMs;
    this.patienceMs = options.patienceMs ?? NUMBERS.patienceMs;
  }

  /** Runs the work while no other node and no other work of this process has the lease. Not re-entrant. */
  run<T>(work: () => Awaitable<T>): Promise<T> {
    return this.inTurn.run(async () => {
      this.fence = await this.take();
      const renewal = setInterval(() => void this.renew(), this.leaseMs / 3);
      renewal.unref();
      try {
        return await work();
      } finally {
        clearInterval(renewal);
        await this.release();
      }
    });
  }

  /** Fails if somebody else has taken over; until the transaction ends, nobody can. For works under the lease. */
  async requireHeld(tx: Transaction): Promise<void> {
    if (this.fence === undefined) return;
    const sql =
      "SELECT 1 AS held FROM repertoire.leases WHERE name = $1 AND holder = $2 AND fence = $3 AND until > clock_timestamp() FOR UPDATE";
    if ((await tx.rows(sql, this.name, this.holder, this.fence)).length === 0)
      throw new RepertoireError(
        "lease-lost",
        `Another node has taken over ("${this.name}"), because this one did not answer for ${this.leaseMs / 1000} s. Nothing was changed; try again.`,
        this.name,
      );
  }

  private async take(): Promise<number> {
    for (let waited = 0; ; ) {
      const fence = await this.tryTake();
      if (fence !== undefined) return fence;
      if (waited >= this.patienceMs)
        throw new RepertoireError(
          "store-busy",
          `Another node has held "${this.name}" in ${this.db.server} for more than ${this.patienceMs / 1000} seconds. Wait for it or end it, then try again; nothing was changed.`,
          this.name,
        );
      const pause = NUMBERS.retryMs + Math.random() * NUMBERS.retrySpreadMs;
      await sleep(pause);
      waited += pause;
    }
  }

  private async tryTake(): Promise<number | undefined> {
    const sql = `INSERT INTO repertoire.leases AS l (scope, name, holder, fence, until)
      SELECT repertoire.scope(), $1, $2, 1, clock_timestamp() + make_interval(secs => $3)
      ON CONFLICT (scope, name) DO UPDATE SET holder = excluded.holder, fence = l.fence + 1, until = excluded.until
      WHERE l.until < clock_timestamp() OR l.holder = excluded.holder RETURNING fence`;
    const [row] = await this.db.rows<{ fence: number }>(sql, this.name, this.holder, this.leaseMs / 1000);
    return row?.fence;
  }

  /** A renewal that fails is tried again by the next one; `requireHeld` notices if that was too late. */
  private async renew(): Promise<void> {
    try {
      const sql = `UPDATE repertoire.leases SET until = clock_timestamp() + make_interval(secs => $1)
        WHERE name = $2 AND holder = $3 AND fence = $4`;
      await this.db.change(sql, this.leaseMs / 1000, this.name, this.holder, this.fence);
    } catch (error) {
      if (!isAway(error) && !isRepertoireError(error)) throw error;
    }
  }

  /** If this fails, the lease ends by itself. */
  private async release(): Promise<void> {
    const { fence } = this;
    this.fence = undefined;
    try {
      const sql =
        "UPDATE repertoire.leases SET until = '-infinity' WHERE name = $1 AND holder = $2 AND fence = $3";
      await this.db.change(sql, this.name, this.holder, fence);
    } catch (error) {
      if (!isAway(error) && !isRepertoireError(error)) throw error;
    }
  }
}
