// Sessions whose messages go to several nodes. Turns read and write the files of their node, and wait for nobody. From the first
// activation or outcome on, the steps in these files are exchanged through the database, so that every node that takes part in
// a session adds up all of it. A session that only recalls costs the database nothing.

import type { SessionState, SessionStore } from "../../journal/journal.ts";
import { codeOf } from "../../model/errors.ts";
import { isRecord, jsonIn } from "../../text/json.ts";
import type { SessionFiles } from "../sqlite/sessions.ts";
import type { Connection, Transaction } from "./connection.ts";
import { isAway } from "./failures.ts";
import { insertSteps } from "./sessions.ts";

const NUMBERS = {
  /** Whoever asks for a session waits no longer for what other nodes know of it. */
  patienceMs: 300,
  /** Sessions that a process follows; the longest silent is forgotten first. */
  followed: 1_000,
} as const;

interface SharedSessionNeeds {
  readonly files: SessionFiles;
  readonly node: string;
}

export class SharedSessions implements SessionStore {
  private readonly db: Connection;
  private readonly needs: SharedSessionNeeds;
  /** How large the files were when they were last exchanged. */
  private readonly sizes = new Map<string, number>();

  constructor(db: Connection, needs: SharedSessionNeeds) {
    this.db = db;
    this.needs = needs;
  }

  async read(id: string): Promise<SessionState> {
    await this.quickly(id);
    return this.needs.files.read(id);
  }

  async begin(...turn: Parameters<SessionFiles["begin"]>) {
    await this.quickly(turn[0]);
    return this.needs.files.begin(...turn);
  }

  async markShown(...shown: Parameters<SessionFiles["markShown"]>) {
    await this.quickly(shown[0]);
    return this.needs.files.markShown(...shown);
  }

  async add(...step: Parameters<SessionFiles["add"]>): Promise<void> {
    this.needs.files.add(...step);
    await this.quickly(step[0]);
  }

  /** Exchanges the sessions that this process has exchanged before and that were used since. */
  async exchange(): Promise<void> {
    for (const [id, size] of [...this.sizes])
      if (this.needs.files.size(id) !== size) await this.exchangeOne(id);
  }

  /** Exchanges one session unless that takes long. */
  private async quickly(id: string): Promise<void> {
    if (!this.db.isUp) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, NUMBERS.patienceMs);
    });
    const exchanged = this.exchangeOne(id).catch((error: unknown) => {
      if (!isAway(error) && codeOf(error) !== "commit-uncertain") throw error;
    });
    await Promise.race([exchanged, late]).finally(() => clearTimeout(timer));
  }

  private exchangeOne(id: string): Promise<void> {
    return this.db.asNode(async () => {
      const lines = this.needs.files.lines(id).filter(isRecord);
      const known = Math.max(0, ...lines.map(({ upTo }) => (typeof upTo === "number" ? upTo : 0)));
      const own = lines.filter((line) => line.step !== undefined && line.node === undefined);
      const { others, last } = await this.db.write((tx) => this.exchangeIn(tx, { id, own, known }));
      if (others.length > 0) this.needs.files.take(id, [...others, { upTo: last }]);
      this.sizes.delete(id);
      this.sizes.set(id, this.needs.files.size(id));
      if (this.sizes.size > NUMBERS.followed) this.sizes.delete(this.sizes.keys().next().value!);
    });
  }

  private async exchangeIn(
    tx: Transaction,
    { id, own, known }: { id: string; own: readonly object[]; known: number },
  ): Promise<{ others: unknown[]; last: number }> {
    const { node } = this.needs;
    const read = async () =>
      (
        await tx.rows<{ number: number; step: string }>(
          "SELECT number, step FROM repertoire.session_steps WHERE session = $1 ORDER BY number",
          id,
        )
      ).map(({ number, step }) => ({ number, step: jsonIn(step) as { readonly node?: string } }));
    const isOurs = ({ step }: { step: { readonly node?: string } }) => step.node === node;
    let rows = await read();
    if (own.length > rows.filter(isOurs).length) {
      // Another process of this node may be at it: whoever adds to the session first is seen by the other.
      await tx.change(
        "INSERT INTO repertoire.sessions (scope, id) SELECT repertoire.scope(), $1 ON CONFLICT (scope, id) DO UPDATE SET at = now()",
        id,
      );
      rows = await read();
      const fresh = own.slice(rows.filter(isOurs).length);
      await insertSteps(
        tx,
        id,
        fresh.map((step) => ({ ...step, node })),
      );
    }
    const others = rows.filter((row) => row.number > known && !isOurs(row));
    return { others: others.map(({ step }) => step), last: rows.at(-1)?.number ?? 0 };
  }
}
