// Counts the events of the journal into tallies, weeks and episodes: each event once, in order, whichever node comes first.

import {
  type EarlierOutcome,
  emptyTally,
  isUse,
  type JournalEvent,
  mayOverrule,
  type Outcome,
  type Tally,
  tallied,
  tallyKey,
  type WeekCount,
  weekChanges,
  withoutOutcome,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { jsonIn } from "../../text/json.ts";
import type { Connection, Transaction } from "./connection.ts";
import { EVENT_COLUMNS, type EventRow, jsonRows, kindNumber, toJournalEvent } from "./event-rows.ts";

/** Events counted in one transaction: others wait for it no longer than for a save. */
const EVENTS_AT_ONCE = 2_000;

const COUNTS = [
  "recalled",
  "shown",
  "activated",
  "successes",
  "failures",
  "neutrals",
  "tries",
  "worked",
  "failed",
  "weighedAt",
  "lastUsedAt",
] as const;
const WEIGHTS = ["weightOfSuccesses", "weightOfFailures"] as const;
const WEEK_COUNTS = ["recalled", "shown", "activated", "successes", "failures"] as const;

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const TALLY_COLUMNS = ["parent", "instructions", ...COUNTS, ...WEIGHTS].map(columnOf);
const WRITE_TALLIES = `INSERT INTO repertoire.tallies (scope, name, digest, ${TALLY_COLUMNS.join(", ")})
  SELECT repertoire.scope(), name, digest, ${TALLY_COLUMNS.join(", ")} FROM json_to_recordset($1::text::json)
  AS t (name text, digest text, parent text, instructions text, ${COUNTS.map((field) => `${columnOf(field)} bigint`).join(", ")},
  ${WEIGHTS.map((field) => `${columnOf(field)} double precision`).join(", ")})
  ON CONFLICT (scope, name, digest) DO UPDATE SET ${TALLY_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ")}`;
const ADD_WEEKS = `INSERT INTO repertoire.weeks AS w (scope, name, week, ${WEEK_COUNTS.join(", ")})
  SELECT repertoire.scope(), name, week, ${WEEK_COUNTS.join(", ")} FROM json_to_recordset($1::text::json)
  AS t (name text, week bigint, ${WEEK_COUNTS.map((column) => `${column} bigint`).join(", ")})
  ON CONFLICT (scope, name, week) DO UPDATE SET ${WEEK_COUNTS.map((column) => `${column} = w.${column} + excluded.${column}`).join(", ")}`;
const ADD_EPISODES = `INSERT INTO repertoire.episodes AS p (scope, session, name, digest, times, last_at)
  SELECT repertoire.scope(), session, name, digest, times, last_at FROM json_to_recordset($1::text::json)
  AS t (session text, name text, digest text, times bigint, last_at bigint)
  ON CONFLICT (scope, session, name, digest) DO UPDATE
    SET times = p.times + excluded.times, last_at = greatest(p.last_at, excluded.last_at)`;
const EARLIER = `SELECT DISTINCT ON (e.session, e.turn, e.skill) e.session, e.turn, e.skill, e.at, e.details, e.digest
  FROM repertoire.events e JOIN (SELECT DISTINCT session, turn, skill FROM json_to_recordset($1::text::json)
  AS t (session text, turn bigint, skill text)) t ON t.session = e.session AND t.turn = e.turn AND t.skill = e.skill
  WHERE e.kind = ${kindNumber("outcome")} AND e.seq <= $2 ORDER BY e.session, e.turn, e.skill, e.seq DESC`;

type Earlier = EarlierOutcome & { readonly digest: string };

export class Counts {
  private readonly db: Connection;
  private readonly halfLifeMs: number;
  private running: Promise<void> | undefined;
  private again: Promise<void> | undefined;

  constructor(db: Connection, halfLifeMs: number) {
    this.db = db;
    this.halfLifeMs = halfLifeMs;
  }

  /** Counts what was appended so far. Callers that come meanwhile share the next round. */
  catchUp(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.run().finally(() => {
        this.running = undefined;
      });
      return this.running;
    }
    // The round under way may have read the journal already.
    this.again ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.again = undefined;
        return this.catchUp();
      });
    return this.again;
  }

  private async run(): Promise<void> {
    // A reader sees what others have counted.
    if ((await this.db.claim()).role === "reader") return;
    while (await this.db.asNode(() => this.db.write((tx) => this.countSome(tx))));
  }

  /** Says whether there may be more. */
  private async countSome(tx: Transaction): Promise<boolean> {
    await tx.change(
      "INSERT INTO repertoire.counted (scope, seq) SELECT repertoire.scope(), 0 ON CONFLICT DO NOTHING",
    );
    const [{ seq: from } = { seq: 0 }] = await tx.rows<{ seq: number }>(
      "SELECT seq FROM repertoire.counted FOR UPDATE",
    );
    const rows = await tx.rows<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM repertoire.events WHERE seq > $1 ORDER BY seq LIMIT ${EVENTS_AT_ONCE}`,
      from,
    );
    const last = rows.at(-1);
    if (last === undefined) return false;
    const events = rows.map(toJournalEvent).filter(({ skill }) => skill !== undefined);
    await this.count(tx, events, from);
    await tx.change("UPDATE repertoire.counted SET seq = $1", last.seq);
    return rows.length === EVENTS_AT_ONCE;
  }

  private async count(tx: Transaction, events: readonly JournalEvent[], from: number): Promise<void> {
    if (events.length === 0) return;
    const earlier = await earlierOutcomes(tx, events, from);
    const tallies = await talliesOf(tx, [
      ...events.map(({ skill, digest = "" }) => ({ name: skill!, digest })),
      ...[...earlier].map(([key, { digest }]) => ({ name: skillIn(key), digest })),
    ]);
    const changed = new Set<string>();
    const update = (key: string, tally: Tally) => {
      if (tallies.get(key) !== tally) changed.add(key);
      tallies.set(key, tally);
    };
    const weeks = new Map<string, { name: SkillName } & WeekCount>();
    const episodes = new Map<
      string,
      { session: string; name: string; digest: string; times: number; last_at: number }
    >();
    const { halfLifeMs } = this;
    for (const event of events) {
      const name = event.skill!;
      const digest = event.digest ?? "";
      const key = tallyKey(name, digest);
      // A skill version that was only met counts, too.
      if (!tallies.has(key)) update(key, emptyTally(name, digest));
      const overruled = mayOverrule(event) ? earlier.get(turnKeyOf(event)) : undefined;
      const isOther = overruled !== undefined && overruled.digest !== digest;
      if (isOther) {
        const otherKey = tallyKey(name, overruled.digest);
        const other = tallies.get(otherKey) ?? emptyTally(name, overruled.digest);
        update(otherKey, withoutOutcome(other, overruled, halfLifeMs));
      }
      update(
        key,
        tallied(tallies.get(key)!, event, { halfLifeMs, earlier: isOther ? undefined : overruled }),
      );
      for (const { week, field, by } of weekChanges(event, overruled)) {
        const zero = { name, week, recalled: 0, shown: 0, activated: 0, successes: 0, failures: 0 };
        const counts = weeks.get(`${week}\n${name}`) ?? zero;
        weeks.set(`${week}\n${name}`, { ...counts, [field]: counts[field] + by });
      }
      if (mayOverrule(event) && event.kind === "outcome")
        earlier.set(turnKeyOf(event), { result: event.details.result, at: event.at, digest });
      if (!isUse(event)) continue;
      const link = `${event.session}\n${key}`;
      const known = episodes.get(link) ?? {
        session: event.session,
        name,
        digest,
        times: 0,
        last_at: event.at,
      };
      episodes.set(link, { ...known, times: known.times + 1, last_at: Math.max(known.last_at, event.at) });
    }
    const rows = [...changed].map((key) => rowOf(tallies.get(key)!));
    if (rows.length > 0) await tx.change(WRITE_TALLIES, jsonRows(rows));
    if (weeks.size > 0) await tx.change(ADD_WEEKS, jsonRows([...weeks.values()]));
    if (episodes.size > 0) await tx.change(ADD_EPISODES, jsonRows([...episodes.values()]));
  }
}

type InTurn = {
  readonly session?: string | undefined;
  readonly turn?: number | undefined;
  readonly skill?: SkillName | undefined;
};

function turnKeyOf({ session, turn, skill }: InTurn): string {
  return `${skill}\n${turn}\n${session}`;
}

function skillIn(turnKey: string): SkillName {
  return turnKey.slice(0, turnKey.indexOf("\n"));
}

/** The outcomes of the same skills and turns up to an event, by `turnKeyOf`. */
async function earlierOutcomes(
  tx: Transaction,
  events: readonly JournalEvent[],
  upTo: number,
): Promise<Map<string, Earlier>> {
  const asked = events.filter(mayOverrule).map(({ session, turn, skill }) => ({ session, turn, skill }));
  if (asked.length === 0) return new Map();
  const rows = await tx.rows<EventRow>(EARLIER, jsonRows(asked), upTo);
  return new Map(
    rows.flatMap((row): [string, Earlier][] => {
      const { result } = (jsonIn(row.details ?? "{}") ?? {}) as { result?: Outcome };
      return result ? [[turnKeyOf(row), { result, at: row.at, digest: row.digest }]] : [];
    }),
  );
}

async function talliesOf(
  tx: Transaction,
  versions: readonly { readonly name: SkillName; readonly digest: string }[],
): Promise<Map<string, Tally>> {
  const sql = `SELECT t.* FROM repertoire.tallies t
    JOIN (SELECT DISTINCT name, digest FROM json_to_recordset($1::text::json) AS v (name text, digest text)) v
    ON v.name = t.name AND v.digest = t.digest`;
  const found = (await tx.rows<Tally>(sql, jsonRows(versions))).map(toTally);
  return new Map(found.map((tally) => [tallyKey(tally.name, tally.digest), tally]));
}

function rowOf(tally: Tally): Record<string, unknown> {
  return Object.fromEntries(Object.entries(tally).map(([field, value]) => [columnOf(field), value]));
}

export function toTally(row: Tally): Tally {
  const { id, scope, ...tally } = row as Tally & { id: number; scope: number };
  return tally;
}
