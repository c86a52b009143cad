// Owns the tables that are kept in step with the journal: tallies, weeks, episodes. One instance serves one
// transaction: it gathers changes and writes each row once. Does not write events.

import type { NewEvent, Outcome } from "../journal/journal.ts";
import { type EarlierOutcome, emptyTally, type Tally, tallied, tallyKey } from "../journal/journal.ts";
import { isUse, mayOverrule, weekChanges } from "./accounts.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./driver.ts";

interface OpenTally {
  readonly id: number;
  tally: Tally;
  changed: boolean;
}

const COUNTS = ["recalled", "shown", "activated", "successes", "failures", "neutrals"] as const;
const WEIGHTS = ["weightOfSuccesses", "weightOfFailures", "weighedAt", "lastUsedAt"] as const;
const WEEK_COUNTS = ["recalled", "shown", "activated", "successes", "failures"] as const;

const UPDATE_TALLY = `UPDATE tallies SET parent = ?, ${[...COUNTS, ...WEIGHTS].map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
const ADD_WEEK = `INSERT INTO weeks (name, week, ${WEEK_COUNTS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name, week) DO UPDATE SET ${WEEK_COUNTS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;
const ADD_EPISODE = `INSERT INTO episodes (session, version, name, times, lastAt) VALUES (?, ?, ?, 1, ?)
  ON CONFLICT (session, version) DO UPDATE SET times = times + 1, lastAt = max(lastAt, excluded.lastAt)`;
const EARLIER = `SELECT e.at AS at, e.details AS details FROM events e WHERE e.speaker IN (SELECT id FROM speakers WHERE session = ?)
  AND e.turn = ? AND e.kind = ? AND e.version = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT 1`;

export class SqliteAccounts {
  /** Whether anything changed that recall reads. */
  changed = false;
  /** The tallies that were written. */
  readonly written = new Map<string, Tally>();
  private readonly db: Connection;
  private readonly halfLifeMs: number;
  private readonly outcomeKind: number;
  private readonly tallies = new Map<string, OpenTally>();
  private readonly weeks = new Map<string, Record<(typeof WEEK_COUNTS)[number], number>>();

  constructor(db: Connection, options: { readonly halfLifeMs: number; readonly outcomeKind: number }) {
    this.db = db;
    this.halfLifeMs = options.halfLifeMs;
    this.outcomeKind = options.outcomeKind;
  }

  /** The row of a skill version, made when it is new. */
  versionId(skill: string, digest: string): number {
    return this.tallyOf(skill, digest).id;
  }

  /** Takes an event into the accounts. `seq` is its own, so that only earlier outcomes are overruled. */
  add(event: NewEvent, seq: number): void {
    if (event.skill === undefined) return;
    const open = this.tallyOf(event.skill, event.digest ?? "");
    const earlier = mayOverrule(event) ? this.earlierOutcome(event, open.id, seq) : undefined;
    const next = tallied(open.tally, event, { halfLifeMs: this.halfLifeMs, earlier });
    if (next !== open.tally) {
      open.tally = next;
      open.changed = true;
    }
    if (event.kind !== "recalled" && event.kind !== "shown") this.changed = true;
    for (const { week, field, by } of weekChanges(event, earlier))
      this.weekOf(event.skill, week)[field] += by;
    if (isUse(event)) this.db.sql(ADD_EPISODE).run(event.session, open.id, event.skill, event.at);
  }

  flush(): void {
    for (const [key, { id, tally, changed }] of this.tallies) {
      if (!changed) continue;
      const numbers = [...COUNTS, ...WEIGHTS].map((column) => tally[column]);
      this.db.sql(UPDATE_TALLY).run(tally.parent ?? null, ...numbers, id);
      this.written.set(key, tally);
    }
    for (const [key, counts] of this.weeks) {
      const [name, week] = key.split("\n") as [string, string];
      this.db.sql(ADD_WEEK).run(name, Number(week), ...WEEK_COUNTS.map((column) => counts[column]));
    }
    this.tallies.clear();
    this.weeks.clear();
  }

  private tallyOf(name: string, digest: string): OpenTally {
    const key = tallyKey(name, digest);
    let open = this.tallies.get(key);
    if (!open) {
      const row = this.db.sql("SELECT * FROM tallies WHERE name = ? AND digest = ?").get(name, digest);
      const id = row
        ? Number(row.id)
        : this.db.sql("INSERT INTO tallies (name, digest) VALUES (?, ?)").run(name, digest).lastInsertRowid;
      open = { id, tally: row ? toTally(row) : emptyTally(name, digest), changed: !row };
      this.tallies.set(key, open);
    }
    return open;
  }

  private weekOf(name: string, week: number): Record<(typeof WEEK_COUNTS)[number], number> {
    const key = `${name}\n${week}`;
    let counts = this.weeks.get(key);
    if (!counts) {
      counts = { recalled: 0, shown: 0, activated: 0, successes: 0, failures: 0 };
      this.weeks.set(key, counts);
    }
    return counts;
  }

  private earlierOutcome(
    event: { session: string; turn: number },
    version: number,
    seq: number,
  ): EarlierOutcome | undefined {
    const row = this.db.sql(EARLIER).get(event.session, event.turn, this.outcomeKind, version, seq);
    if (!row) return undefined;
    const { result } = JSON.parse(String(row.details)) as { result: Outcome };
    return { result, at: Number(row.at) };
  }
}

export function toTally(row: SqlRow): Tally {
  const tally: Record<string, unknown> = { name: row.name, digest: row.digest };
  if (row.parent !== null) tally.parent = row.parent;
  for (const column of [...COUNTS, ...WEIGHTS]) tally[column] = row[column];
  return tally as unknown as Tally;
}
