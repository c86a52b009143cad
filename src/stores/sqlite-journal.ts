// Owns the journal in SQLite: events in, events and accounts out. Does not own how accounts change: `accounts.ts` and
// `sqlite-accounts.ts` do.

import type {
  CoUse,
  EpisodeLink,
  EventFilter,
  EventQuery,
  JournalStore,
  WeekCount,
} from "../journal/journal.ts";
import {
  EVENT_KINDS,
  type EventKind,
  type JournalEvent,
  type NewEvent,
  type Tally,
  type TallyBook,
  tallyKey,
} from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import { attach, isOpenOutcome } from "./accounts.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow, SqlValue } from "./driver.ts";
import { SqliteAccounts, toTally } from "./sqlite-accounts.ts";

const NUMBER_OF = new Map(EVENT_KINDS.map((kind, index) => [kind as EventKind, index]));
const SELECT_EVENTS = `SELECT e.seq, e.at, e.kind, e.turn, e.details, s.session, s.agent, s.host, t.name AS skill, t.digest
  FROM events e JOIN speakers s ON s.id = e.speaker LEFT JOIN tallies t ON t.id = e.version`;
const ACTIVATED_IN_TURN = `SELECT DISTINCT t.name AS skill, t.digest AS digest FROM events e JOIN tallies t ON t.id = e.version
  WHERE e.speaker IN (SELECT id FROM speakers WHERE session = ?) AND e.turn = ? AND e.kind = ${kindNumber("activated")} ORDER BY t.id`;
const NO_LIMIT = -1;
/** Events read at a time while all accounts are counted anew. */
const RECOUNT_PAGE = 10_000;

export interface SqliteJournalOptions {
  readonly halfLifeMs: number;
  /** Called before anything is read, so that what hooks left behind counts. */
  readonly takeInbox: () => void;
  /** Called after a change that recall reads. */
  readonly onChange: () => void;
}

export class SqliteJournal implements JournalStore {
  private readonly db: Connection;
  private readonly options: SqliteJournalOptions;
  private readonly speakers = new Map<string, number>();
  /** All tallies as of another connection's last write; our own writes are patched in. */
  private all: { readonly state: string; readonly tallies: Map<string, Tally> } | undefined;

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
    let accounts = this.newAccounts();
    const kept = this.db.write(() => {
      accounts = this.newAccounts();
      this.speakers.clear();
      const rows: JournalEvent[] = [];
      for (const event of events) {
        const meant = isOpenOutcome(event) ? attach(event, this.activatedIn(event)) : [event];
        for (const each of meant) rows.push(this.insertOne(each, accounts));
      }
      accounts.flush();
      return rows;
    });
    for (const [key, tally] of accounts.written) this.all?.tallies.set(key, tally);
    if (accounts.changed) this.options.onChange();
    return kept;
  }

  query(query: EventQuery): readonly JournalEvent[] {
    this.options.takeInbox();
    const { where, values } = conditions(query);
    const limit = query.limit === undefined ? NO_LIMIT : Math.max(0, Math.floor(query.limit));
    const order = query.newestFirst ? "DESC" : "ASC";
    return this.db.read(() =>
      this.db
        .sql(`${SELECT_EVENTS}${where} ORDER BY e.seq ${order} LIMIT ?`)
        .all(...values, limit)
        .map(toJournalEvent),
    );
  }

  count(filter: EventFilter): number {
    this.options.takeInbox();
    const { where, values } = conditions(filter);
    return this.db.read(() =>
      Number(this.db.sql(`SELECT count(*) AS n FROM events e${where}`).get(...values)?.n ?? 0),
    );
  }

  tallies(name?: SkillName): readonly Tally[] {
    this.options.takeInbox();
    return this.db.read(() => {
      if (name === undefined) return [...this.current().values()];
      return this.db.sql("SELECT * FROM tallies WHERE name = ? ORDER BY id").all(name).map(toTally);
    });
  }

  tallyBook(): TallyBook {
    this.options.takeInbox();
    const tallies = this.db.read(() => this.current());
    return { of: (name, digest) => tallies.get(tallyKey(name, digest)) };
  }

  weeks(name: SkillName, since = 0): readonly WeekCount[] {
    this.options.takeInbox();
    const sql =
      "SELECT week, recalled, shown, activated, successes, failures FROM weeks WHERE name = ? AND week >= ? ORDER BY week";
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(name, since)
        .map(toPlain<WeekCount>),
    );
  }

  episodes(filter: {
    readonly session?: string;
    readonly skill?: SkillName;
    readonly since?: number;
  }): readonly EpisodeLink[] {
    this.options.takeInbox();
    const { where, values } = gather([
      ["p.session = ?", filter.session],
      ["p.name = ?", filter.skill],
      ["p.lastAt >= ?", filter.since],
    ]);
    const sql = `SELECT p.session, p.name AS skill, t.digest, p.times, p.lastAt FROM episodes p JOIN tallies t ON t.id = p.version${where}
      ORDER BY p.session, p.name, t.digest`;
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(...values)
        .map(toPlain<EpisodeLink>),
    );
  }

  coUsed(filter: {
    readonly skill?: SkillName;
    readonly since?: number;
    readonly limit: number;
  }): readonly CoUse[] {
    this.options.takeInbox();
    const since = filter.since ?? 0;
    const other = filter.skill === undefined ? "p.name < q.name" : "p.name = ? AND q.name <> p.name";
    const sql = `SELECT min(p.name, q.name) AS a, max(p.name, q.name) AS b, count(DISTINCT p.session) AS sessions
      FROM episodes p JOIN episodes q ON q.session = p.session WHERE ${other} AND p.lastAt >= ? AND q.lastAt >= ?
      GROUP BY 1, 2 ORDER BY sessions DESC, a, b LIMIT ?`;
    const values: SqlValue[] = filter.skill === undefined ? [] : [filter.skill];
    return this.db.read(() =>
      this.db
        .sql(sql)
        .all(...values, since, since, filter.limit)
        .map(toPlain<CoUse>),
    );
  }

  /** Counts all accounts anew from the events: after the half-life has changed. */
  recount(): void {
    this.db.write(() => {
      const counts =
        "recalled = 0, shown = 0, activated = 0, successes = 0, failures = 0, neutrals = 0, weightOfSuccesses = 0, weightOfFailures = 0, weighedAt = 0, lastUsedAt = 0";
      this.db.sql(`UPDATE tallies SET ${counts}`).run();
      this.db.sql("DELETE FROM weeks").run();
      this.db.sql("DELETE FROM episodes").run();
      const accounts = this.newAccounts();
      const page = `${SELECT_EVENTS} WHERE e.seq > ? AND e.version IS NOT NULL ORDER BY e.seq LIMIT ${RECOUNT_PAGE}`;
      for (let after = 0, rows: SqlRow[]; ; ) {
        rows = this.db.sql(page).all(after);
        if (rows.length === 0) break;
        for (const event of rows.map(toJournalEvent)) {
          accounts.add(event, event.seq);
          after = event.seq;
        }
        accounts.flush();
      }
    });
    this.all = undefined;
    this.options.onChange();
  }

  private current(): ReadonlyMap<string, Tally> {
    const state = this.db.state();
    if (this.all?.state !== state) {
      const rows = this.db.sql("SELECT * FROM tallies ORDER BY id").all().map(toTally);
      this.all = {
        state,
        tallies: new Map(rows.map((tally) => [tallyKey(tally.name, tally.digest), tally])),
      };
    }
    return this.all.tallies;
  }

  private insertOne(event: NewEvent, accounts: SqliteAccounts): JournalEvent {
    const version = event.skill === undefined ? null : accounts.versionId(event.skill, event.digest ?? "");
    const details = Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details);
    const { lastInsertRowid: seq } = this.db
      .sql("INSERT INTO events (at, kind, speaker, turn, version, details) VALUES (?, ?, ?, ?, ?, ?)")
      .run(event.at, kindNumber(event.kind), this.speakerOf(event), event.turn ?? null, version, details);
    accounts.add(event, seq);
    return { ...event, seq };
  }

  private activatedIn(event: { session: string; turn: number }): { skill: string; digest?: string }[] {
    const rows = this.db.sql(ACTIVATED_IN_TURN).all(event.session, event.turn);
    return rows.map(({ skill, digest }) => ({
      skill: String(skill),
      ...(digest !== "" && { digest: String(digest) }),
    }));
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

  private newAccounts(): SqliteAccounts {
    return new SqliteAccounts(this.db, {
      halfLifeMs: this.options.halfLifeMs,
      outcomeKind: kindNumber("outcome"),
    });
  }
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
  const kinds = filter.kinds && JSON.stringify(filter.kinds.map(kindNumber));
  return gather([
    ["e.version IN (SELECT id FROM tallies WHERE name = ?)", filter.skill],
    ["e.version IN (SELECT id FROM tallies WHERE digest = ?)", filter.digest],
    ["e.speaker IN (SELECT id FROM speakers WHERE session = ?)", filter.session],
    ["e.turn = ?", filter.turn],
    ["e.kind IN (SELECT value FROM json_each(?))", kinds],
    ["e.at >= ?", filter.since],
    ["e.at < ?", filter.until],
    ["e.seq > ?", filter.afterSeq],
  ]);
}

function toJournalEvent(row: SqlRow): JournalEvent {
  const event: Record<string, unknown> = { seq: row.seq, at: row.at, kind: EVENT_KINDS[Number(row.kind)] };
  if (row.turn !== null) event.turn = row.turn;
  for (const field of ["session", "agent", "host", "skill", "digest"])
    if (row[field] !== null && row[field] !== "") event[field] = row[field];
  event.details = row.details === null ? {} : JSON.parse(String(row.details));
  return event as unknown as JournalEvent;
}

/** Without what a driver adds to a row of its own. */
function toPlain<T>({ _metadata, ...row }: SqlRow): T {
  return row as T;
}
