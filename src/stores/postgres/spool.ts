// What a node could not bring to the database, or did not want to wait for: lines in files of its own, taken over later, each
// once. How far they were taken is written in the same transaction, so a lost answer does no harm.

import { fromLine, type Inbox } from "../sqlite/inbox.ts";
import type { Connection, Transaction } from "./connection.ts";
import { type Batch, insertBatches } from "./journal.ts";
import { JUDGING_KINDS } from "./rights.ts";

/** Lines taken over in one transaction: others wait for it no longer than for a save. */
const LINES_AT_ONCE = 500;

interface SpoolNeeds {
  readonly inbox: Inbox;
  readonly node: string;
  readonly now: () => Date;
  /** Called after something was taken over. */
  readonly onTaken: () => void;
}

export class Spool {
  private readonly db: Connection;
  private readonly needs: SpoolNeeds;
  /** Sizes at which this process has seen the files taken; saves asking the database. */
  private readonly known = new Map<string, number>();
  private running: Promise<void> | undefined;

  constructor(db: Connection, needs: SpoolNeeds) {
    this.db = db;
    this.needs = needs;
  }

  /** Keeps what may have reached the database under this id already. */
  keep({ id, events, said = [] }: Batch): void {
    this.needs.inbox.add([{ batch: id, events, said }], this.needs.now());
  }

  /** Bytes that are not in the database yet, as far as this process knows. */
  waiting(): number {
    return this.unknown().reduce((sum, { file, size }) => sum + size - (this.known.get(file) ?? 0), 0);
  }

  /** Takes over what is new. Costs one look at a folder if nothing is. */
  take(pause: () => Promise<unknown> = async () => undefined): Promise<void> {
    this.running ??= this.db
      .asNode(() => this.run(pause))
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  private unknown() {
    return this.needs.inbox.files().filter(({ file, size }) => this.known.get(file) !== size);
  }

  private async run(pause: () => Promise<unknown>): Promise<void> {
    const files = this.unknown();
    if (files.length === 0) return;
    const mayJudge = (await this.db.claim()).role !== "reader";
    for (const { file, size } of files) {
      while (await this.db.write((tx) => this.takeSome(tx, file, mayJudge))) await pause();
      this.known.set(file, size);
    }
    await this.retire();
    this.needs.onTaken();
  }

  /** Says whether there may be more. */
  private async takeSome(tx: Transaction, file: string, mayJudge: boolean): Promise<boolean> {
    const { inbox, node } = this.needs;
    await tx.change(
      "INSERT INTO repertoire.spools (scope, node, file, taken) SELECT repertoire.scope(), $1, $2, 0 ON CONFLICT DO NOTHING",
      node,
      file,
    );
    // Another process of this node may be at it.
    const [{ taken } = { taken: 0 }] = await tx.rows<{ taken: number }>(
      "SELECT taken FROM repertoire.spools WHERE node = $1 AND file = $2 FOR UPDATE",
      node,
      file,
    );
    const { values, end } = inbox.read(file, taken, LINES_AT_ONCE);
    if (end === taken) return false;
    const batches = values.map((value, index): Batch => {
      const { batch, events, said } = fromLine(value);
      // What a reader may not say would stop all that follows.
      const allowed = mayJudge ? events : events.filter(({ kind }) => !JUDGING_KINDS.has(kind));
      return { id: batch ?? `${node} ${file} ${taken} ${index}`, events: allowed, said };
    });
    await insertBatches(tx, onceEach(batches));
    const sql = "UPDATE repertoire.spools SET taken = $1, at = now() WHERE node = $2 AND file = $3";
    await tx.change(sql, end, node, file);
    return values.length === LINES_AT_ONCE;
  }

  /** After the lines are safe in the database, never before. */
  private async retire(): Promise<void> {
    const { inbox, node, now } = this.needs;
    for (const file of [...this.known.keys()]) {
      if (!inbox.retire(file, now().getTime())) continue;
      await this.db.change("DELETE FROM repertoire.spools WHERE node = $1 AND file = $2", node, file);
      this.known.delete(file);
    }
  }
}

/** A batch may have been spooled twice. */
function onceEach(batches: readonly Batch[]): readonly Batch[] {
  return [...new Map(batches.map((batch) => [batch.id, batch])).values()];
}
