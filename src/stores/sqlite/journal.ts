// Keeps the journal, the counts that go with it, and the conversation in SQLite.

import {
  type ConversationStore,
  type CoUse,
  type CoUseFilter,
  type EarlierOutcome,
  type EpisodeFilter,
  type EpisodeLink,
  EVENT_KINDS,
  type EventFilter,
  type EventKind,
  type EventQuery,
  emptyTally,
  isOpenOutcome,
  isUse,
  type JournalEvent,
  type JournalStore,
  mayOverrule,
  type NewEvent,
  type Outcome,
  outcomeForEach,
  type SaidFilter,
  type SaidRecord,
  type SessionFilter,
  type SessionSummary,
  type Tally,
  tallied,
  tallyKey,
  usesOf,
  type WeekCount,
  weekChanges,
  withoutOutcome,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { jsonIn } from "../../text/json.ts";
import { atOnce, type Connection } from "./connection.ts";
import type { SqlRow, SqlValue } from "./driver.ts";

const NUMBER_OF = new Map(EVENT_KINDS.map((kind, index) => [kind as EventKind, index]));
const SELECT_EVENTS = `SELECT e.seq, e.at, e.kind, e.turn, e.details, s.session, s.agent, s.host, t.name AS skill, t.digest
  FROM events e JOIN speakers s ON s.id = e.speaker LEFT JOIN tallies t ON t.id = e.version`;
const ACTIVATED_IN_TURN = `SELECT t.name AS skill, t.digest AS digest FROM events e JOIN tallies t ON t.id = e.version
  WHERE e.speaker IN (SELECT id FROM speakers WHERE session = ?) AND e.turn = ? AND e.kind = ${kindNumber("activated")} ORDER BY e.seq`;
const NO_LIMIT = -1;
const TALLIES_AT_ONCE = 200;
/** Events read at a time while all counts are counted anew. */
const RECOUNT_PAGE = 10_000;

interface SqliteJournalOptions {
  readonly halfLifeMs: number;
  /** Called before anything is read, so that what hooks left behind counts. */
  readonly takeInbox: () => void;
  /** Called after a change that recall reads. */
  readonly onChange: (change: CountsChange) => void;
}

/** An outcome changes how skills are ranked, a use only breaks ties. */
type CountsChange = "outcome" | "use";

export class SqliteJournal implements JournalStore {
  private readonly db: Connection;
  private readonly options: SqliteJournalOptions;
  private readonly speakers = new Map<string, number>();

  constructor(db: Connection, options: SqliteJournalOptions) {
    this.db = db;
    this.options = options;
  }

  append(events: readonly NewEvent[]): readonly JournalEvent[] {
    if (events.some(isOpenOutcome)) this.options.takeInbox();
    return this.insert(events);
  }

  /** `append` for what comes out of the inbox itself. */
  insert(events: readonly NewEvent[]): readonly JournalEvent[] {
    if (events.length === 0) return [];
    let counts = this.newCounts();
    const kept = this.db.write(() => {
      counts = this.newCounts();
      this.speakers.clear();
      const rows: JournalEvent[] = [];
      for (const event of events) {
        const meant = isOpenOutcome(event) ? outcomeForEach(event, this.activatedIn(event)) : [event];
        for (const each of meant) rows.push(this.insertOne(each, counts));
      }
      counts.flush();
      return rows;
    });
    if (counts.change) this.options.onChange(counts.change);
    return kept;
  }

  query(query: EventQuery): readonly JournalEvent[] {
    this.options.takeInbox();
    const { where, values } = conditions(query);
    const limit = query.limit === undefined ? NO_LIMIT : Math.max(0, Math.floor(query.limit));
    const order = query.newestFirst ? "DESC" : "ASC";
    const sql = `${SELECT_EVENTS}${where} ORDER BY e.seq ${order} LIMIT ?`;
    return this.db.rows<SqlRow>(sql, ...values, limit).map(toJournalEvent);
  }

  tallies(name?: SkillName): readonly Tally[] {
    this.options.takeInbox();
    if (name === undefined) return atOnce(this.allTallies());
    return this.db.rows<SqlRow>("SELECT * FROM tallies WHERE name = ? ORDER BY id", name).map(toTally);
  }

  /** Every tally, in steps between which others may work. */
  *allTallies(): Generator<undefined, readonly Tally[]> {
    this.options.takeInbox();
    const tallies: Tally[] = [];
    const page = `SELECT * FROM tallies WHERE id > ? ORDER BY id LIMIT ${TALLIES_AT_ONCE}`;
    for (let from = 0; ; yield) {
      const rows = this.db.rows<SqlRow>(page, from);
      for (const row of rows) tallies.push(toTally(row));
      if (rows.length < TALLIES_AT_ONCE) return tallies;
      from = Number(rows.at(-1)!.id);
    }
  }

  /** The tallies that recall may ask for: so many of those used last, and those that fail more than they succeed. */
  recallTallies(most: number): readonly Tally[] {
    const recent = "SELECT id FROM tallies WHERE lastUsedAt > 0 ORDER BY lastUsedAt DESC, id LIMIT ?";
    const sql = `SELECT * FROM tallies WHERE lastUsedAt > 0 AND (weightOfFailures > weightOfSuccesses OR id IN (${recent})) ORDER BY id`;
    return this.db.rows<SqlRow>(sql, most).map(toTally);
  }

  sessions({ since, limit }: SessionFilter): readonly SessionSummary[] {
    this.options.takeInbox();
    const { where, values } = gather([["e.at >= ?", since]]);
    const sql = `SELECT s.session, max(s.host) AS host, max(s.agent) AS agent, max(e.turn) AS turns, min(e.at) AS startedAt,
      max(e.at) AS lastAt FROM events e JOIN speakers s ON s.id = e.speaker${where} GROUP BY s.session
      HAVING s.session <> '' ORDER BY lastAt DESC, s.session LIMIT ?`;
    return this.db.rows<SqlRow>(sql, ...values, limit).map((row) => {
      const session = String(row.session);
      return {
        session,
        host: String(row.host) || undefined,
        agent: String(row.agent) || undefined,
        turns: Number(row.turns ?? 0),
        startedAt: Number(row.startedAt),
        lastAt: Number(row.lastAt),
        ...usesOf(this.query({ session, kinds: ["activated", "outcome"] })),
      };
    });
  }

  weeks(name: SkillName, since = 0): readonly WeekCount[] {
    this.options.takeInbox();
    const sql =
      "SELECT week, recalled, shown, activated, successes, failures FROM weeks WHERE name = ? AND week >= ? ORDER BY week";
    return this.db.rows<WeekCount>(sql, name, since);
  }

  episodes(filter: EpisodeFilter): readonly EpisodeLink[] {
    this.options.takeInbox();
    const { where, values } = gather([
      ["p.session = ?", filter.session],
      ["p.name = ?", filter.skill],
      ["p.lastAt >= ?", filter.since],
    ]);
    const sql = `SELECT p.session, p.name AS skill, t.digest, p.times, p.lastAt FROM episodes p JOIN tallies t ON t.id = p.version${where}
      ORDER BY p.session, p.name, t.digest`;
    return this.db.rows<EpisodeLink>(sql, ...values);
  }

  coUsed(filter: CoUseFilter): readonly CoUse[] {
    this.options.takeInbox();
    const since = filter.since ?? 0;
    const other = filter.skill === undefined ? "p.name < q.name" : "p.name = ? AND q.name <> p.name";
    const sql = `SELECT min(p.name, q.name) AS a, max(p.name, q.name) AS b, count(DISTINCT p.session) AS sessions
      FROM episodes p JOIN episodes q ON q.session = p.session WHERE ${other} AND p.lastAt >= ? AND q.lastAt >= ?
      GROUP BY 1, 2 ORDER BY sessions DESC, a, b LIMIT ?`;
    const values: SqlValue[] = filter.skill === undefined ? [] : [filter.skill];
    return this.db.rows<CoUse>(sql, ...values, since, since, filter.limit);
  }

  /** The number of the newest event that counts for a skill's record; 0 if there is none. */
  lastSeq(): number {
    const sql = `SELECT max(seq) AS seq FROM events WHERE kind IN (${kindNumber("activated")}, ${kindNumber("outcome")})`;
    return this.db.rows<{ seq?: number }>(sql)[0]?.seq ?? 0;
  }

  /** Recomputes all counts from the events, after the half-life has changed. */
  recount(): void {
    this.db.write(() => {
      // A damaged name is read with a replacement character. It is stored as it is read, so that its events find its tally.
      for (const { id, name, digest } of this.db.rows<SqlRow>("SELECT id, name, digest FROM tallies"))
        if (`${name}${digest}`.includes("\ufffd"))
          this.db
            .sql("UPDATE OR IGNORE tallies SET name = ?, digest = ? WHERE id = ?")
            .run(name!, digest!, id!);
      const zero = [...COUNTS, ...WEIGHTS].map((column) => `${column} = 0`).join(", ");
      this.db.change(`UPDATE tallies SET ${zero}`);
      this.db.change("DELETE FROM weeks");
      this.db.change("DELETE FROM episodes");
      const counts = this.newCounts();
      const page = `${SELECT_EVENTS} WHERE e.seq > ? AND e.version IS NOT NULL ORDER BY e.seq LIMIT ${RECOUNT_PAGE}`;
      for (let last: JournalEvent | undefined, isFirst = true; isFirst || last; isFirst = false) {
        const events = this.db.rows<SqlRow>(page, last?.seq ?? 0).map(toJournalEvent);
        for (const event of events) counts.add(event, event.seq);
        counts.flush();
        last = events.at(-1);
      }
    });
    this.options.onChange("outcome");
  }

  private insertOne(event: NewEvent, counts: Counts): JournalEvent {
    const version = event.skill === undefined ? null : counts.versionId(event.skill, event.digest ?? "");
    const details = Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details);
    const { lastInsertRowid: seq } = this.db
      .sql("INSERT INTO events (at, kind, speaker, turn, version, details) VALUES (?, ?, ?, ?, ?, ?)")
      .run(event.at, kindNumber(event.kind), this.speakerOf(event), event.turn ?? null, version, details);
    counts.add(event, seq);
    return { ...event, seq };
  }

  private activatedIn({ session, turn }: { session: string; turn: number }) {
    const rows = this.db.rows<{ skill: SkillName; digest: string }>(ACTIVATED_IN_TURN, session, turn);
    // A skill that was changed within the turn counts as it was activated last.
    const last = new Map(rows.map(({ skill, digest }) => [skill, digest]));
    return [...last].map(([skill, digest]) => ({ skill, digest: digest || undefined }));
  }

  private speakerOf({ session = "", agent = "", host = "" }: NewEvent): number {
    const key = `${session}\n${agent}\n${host}`;
    const known = this.speakers.get(key);
    if (known !== undefined) return known;
    const row = this.db
      .sql("SELECT id FROM speakers WHERE session = ? AND agent = ? AND host = ?")
      .get(session, agent, host);
    const id = row
      ? Number(row.id)
      : this.db.sql("INSERT INTO speakers (session, agent, host) VALUES (?, ?, ?)").run(session, agent, host)
          .lastInsertRowid;
    this.speakers.set(key, id);
    return id;
  }

  private newCounts(): Counts {
    return new Counts(this.db, this.options.halfLifeMs);
  }
}

export type SqliteConversation = ReturnType<typeof sqliteConversation>;

export function sqliteConversation(db: Connection, takeInbox: () => void) {
  return {
    append({ session, turn, role, text, at }: SaidRecord) {
      // The question may still be in the inbox when its answer comes.
      takeInbox();
      const sql = "INSERT INTO said (session, turn, role, text, at) VALUES (?, ?, ?, ?, ?)";
      db.change(sql, session, turn, role, text, at);
    },
    query({ session, role, since, until, limit = NO_LIMIT }: SaidFilter) {
      takeInbox();
      const { where, values } = gather([
        ["session = ?", session],
        ["role = ?", role],
        ["at >= ?", since],
        ["at < ?", until],
      ]);
      const sql = `SELECT session, turn, role, text, at FROM said${where} ORDER BY seq LIMIT ?`;
      return db.rows<SaidRecord>(sql, ...values, limit);
    },
  } satisfies ConversationStore;
}

interface OpenTally {
  readonly id: number;
  tally: Tally;
  changed: boolean;
}

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
] as const;
const WEIGHTS = ["weightOfSuccesses", "weightOfFailures", "weighedAt", "lastUsedAt"] as const;
const WEEK_COUNTS = ["recalled", "shown", "activated", "successes", "failures"] as const;

const UPDATE_TALLY = `UPDATE tallies SET parent = ?, instructions = ?, ${[...COUNTS, ...WEIGHTS].map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
const ADD_WEEK = `INSERT INTO weeks (name, week, ${WEEK_COUNTS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (name, week) DO UPDATE SET ${WEEK_COUNTS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;
const ADD_EPISODE = `INSERT INTO episodes (session, version, name, times, lastAt) VALUES (?, ?, ?, 1, ?)
  ON CONFLICT (session, version) DO UPDATE SET times = times + 1, lastAt = max(lastAt, excluded.lastAt)`;
const EARLIER = `SELECT e.at AS at, e.details AS details, t.digest AS digest FROM events e JOIN tallies t ON t.id = e.version
  WHERE e.speaker IN (SELECT id FROM speakers WHERE session = ?) AND e.turn = ? AND e.kind = ? AND t.name = ? AND e.seq < ?
  ORDER BY e.seq DESC LIMIT 1`;

/**
 * The tables that are kept in step with the events: tallies, weeks, episodes. One instance serves one transaction: it
 * gathers changes and writes each row once.
 */
class Counts {
  /** What changed that recall reads; an outcome counts more than a use. */
  change: CountsChange | undefined;
  private readonly db: Connection;
  private readonly halfLifeMs: number;
  private readonly tallies = new Map<string, OpenTally>();
  private readonly weeks = new Map<string, Record<(typeof WEEK_COUNTS)[number], number>>();

  constructor(db: Connection, halfLifeMs: number) {
    this.db = db;
    this.halfLifeMs = halfLifeMs;
  }

  /** The row of a skill version, made when it is new. */
  versionId(skill: string, digest: string): number {
    return this.tallyOf(skill, digest).id;
  }

  /** Counts an event. `seq` is its own, so that only earlier outcomes are overruled. */
  add(event: NewEvent, seq: number): void {
    if (event.skill === undefined) return;
    const open = this.tallyOf(event.skill, event.digest ?? "");
    const earlier = mayOverrule(event) ? this.earlierOutcome(event, seq) : undefined;
    const { halfLifeMs } = this;
    const other = earlier && this.tallyOf(event.skill, earlier.digest);
    // One outcome for a turn, although the skill was changed in it.
    if (other && other !== open) update(other, withoutOutcome(other.tally, earlier, halfLifeMs));
    update(open, tallied(open.tally, event, { halfLifeMs, earlier: other === open ? earlier : undefined }));
    if (event.kind === "outcome") this.change = "outcome";
    else if (event.kind !== "recalled" && event.kind !== "shown") this.change ??= "use";
    for (const { week, field, by } of weekChanges(event, earlier))
      this.weekOf(event.skill, week)[field] += by;
    if (isUse(event)) this.db.sql(ADD_EPISODE).run(event.session, open.id, event.skill, event.at);
  }

  flush(): void {
    for (const { id, tally, changed } of this.tallies.values()) {
      if (!changed) continue;
      const numbers = [...COUNTS, ...WEIGHTS].map((column) => tally[column]);
      this.db.sql(UPDATE_TALLY).run(tally.parent ?? null, tally.instructions, ...numbers, id);
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
      const sql = "SELECT * FROM tallies WHERE name = ? AND digest = ?";
      const [row] = this.db.rows<SqlRow>(sql, name, digest);
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
    { session, turn, skill }: NewEvent & { session: string; turn: number },
    seq: number,
  ): (EarlierOutcome & { readonly digest: string }) | undefined {
    const row = this.db.sql(EARLIER).get(session, turn, kindNumber("outcome"), skill!, seq);
    if (!row) return undefined;
    const details = jsonIn(String(row.details)) as { readonly result?: Outcome } | undefined;
    return details?.result && { result: details.result, at: Number(row.at), digest: String(row.digest) };
  }
}

function update(open: OpenTally, tally: Tally): void {
  if (tally === open.tally) return;
  open.tally = tally;
  open.changed = true;
}

function toTally({ id, ...tally }: SqlRow): Tally {
  return tally as unknown as Tally;
}

function kindNumber(kind: EventKind): number {
  return NUMBER_OF.get(kind)!;
}

/** The conditions that were given, joined; absent ones are left out. */
function gather(parts: readonly (readonly [string, SqlValue | undefined])[]) {
  const given = parts.filter((part): part is readonly [string, SqlValue] => part[1] !== undefined);
  const where = given.length === 0 ? "" : ` WHERE ${given.map(([sql]) => sql).join(" AND ")}`;
  return { where, values: given.map(([, value]) => value) };
}

function conditions(filter: EventFilter) {
  const [only, ...more] = filter.kinds ?? [];
  const kind = only !== undefined && more.length === 0 ? kindNumber(only) : undefined;
  const kinds = kind === undefined && filter.kinds ? JSON.stringify(filter.kinds.map(kindNumber)) : undefined;
  return gather([
    ["e.version IN (SELECT id FROM tallies WHERE name = ?)", filter.skill],
    ["e.version IN (SELECT id FROM tallies WHERE digest = ?)", filter.digest],
    ["e.speaker IN (SELECT id FROM speakers WHERE session = ?)", filter.session],
    ["e.turn = ?", filter.turn],
    // Between two times, the times choose the events: the plus keeps SQLite from reading all events of a kind instead.
    [`${filter.until === undefined ? "" : "+"}e.kind = ?`, kind],
    [`${filter.until === undefined ? "" : "+"}e.kind IN (SELECT value FROM json_each(?))`, kinds],
    ["e.at >= ?", filter.since],
    ["e.at < ?", filter.until],
    ["e.seq > ?", filter.afterSeq],
  ]);
}

function toJournalEvent(row: SqlRow): JournalEvent {
  const event: Record<string, unknown> = {};
  for (const field in row) if (row[field] !== "") event[field] = row[field];
  event.kind = EVENT_KINDS[Number(row.kind)];
  event.details = jsonIn(String(row.details ?? "{}")) ?? {};
  return event as unknown as JournalEvent;
}
