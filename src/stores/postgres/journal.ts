// Keeps the journal and the conversation in PostgreSQL. To append is to insert; the counts follow (`counts.ts`).

import { randomUUID } from "node:crypto";
import {
  type ConversationStore,
  type CoUse,
  type CoUseFilter,
  type EpisodeFilter,
  type EpisodeLink,
  type EventFilter,
  type EventQuery,
  isOpenOutcome,
  type JournalEvent,
  type JournalStore,
  type NewEvent,
  outcomeForEach,
  type SaidFilter,
  type SaidRecord,
  type SessionFilter,
  type SessionSummary,
  type Tally,
  usesOf,
  type WeekCount,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { RECENT } from "../sqlite/turn-files.ts";
import { conditions } from "./conditions.ts";
import type { Connection, SqlValue, Transaction } from "./connection.ts";
import { type Counts, toTally } from "./counts.ts";
import { EVENT_COLUMNS, type EventRow, jsonRows, kindNumber, toJournalEvent } from "./event-rows.ts";

export class PostgresJournal implements JournalStore {
  private readonly db: Connection;
  private readonly counts: Counts;

  constructor(db: Connection, counts: Counts) {
    this.db = db;
    this.counts = counts;
  }

  async append(events: readonly NewEvent[]): Promise<readonly JournalEvent[]> {
    if (events.length === 0) return [];
    const batch = { id: randomUUID(), events };
    return (await this.db.write((tx) => insertBatches(tx, [batch]))).get(batch.id) ?? [];
  }

  async query(query: EventQuery): Promise<readonly JournalEvent[]> {
    const { where, values } = filtered(query);
    const limit = query.limit === undefined ? "ALL" : Math.max(0, Math.floor(query.limit));
    const order = query.newestFirst ? "DESC" : "ASC";
    const sql = `SELECT ${EVENT_COLUMNS} FROM repertoire.events${where} ORDER BY seq ${order} LIMIT ${limit}`;
    return (await this.db.rows<EventRow>(sql, ...values)).map(toJournalEvent);
  }

  async tallies(name?: SkillName): Promise<readonly Tally[]> {
    await this.counts.catchUp();
    const { where, values } = conditions([["name = ?", name]]);
    return (await this.db.rows<Tally>(`SELECT * FROM repertoire.tallies${where} ORDER BY id`, ...values)).map(
      toTally,
    );
  }

  /** The tallies that recall may ask for, and the number of the last event that they count. */
  async recallTallies(): Promise<{ readonly tallies: readonly Tally[]; readonly upTo: number }> {
    await this.counts.catchUp();
    return this.db.write(async (tx) => {
      const tallies = await tx.rows<Tally>(
        `(SELECT * FROM repertoire.tallies WHERE last_used_at > 0 ORDER BY last_used_at DESC LIMIT ${RECENT})
          UNION SELECT * FROM repertoire.tallies WHERE last_used_at > 0 AND weight_of_failures > weight_of_successes`,
      );
      const [counted] = await tx.rows<{ seq: number }>("SELECT seq FROM repertoire.counted");
      return { tallies: tallies.map(toTally), upTo: counted?.seq ?? 0 };
    });
  }

  async sessions({ since, limit }: SessionFilter): Promise<readonly SessionSummary[]> {
    const { where, values } = conditions([
      ["session <> ?", ""],
      ["at >= ?", since],
    ]);
    const sql = `SELECT session, max(host) AS host, max(agent) AS agent, coalesce(max(turn), 0) AS turns, min(at) AS started_at,
      max(at) AS last_at FROM repertoire.events${where} GROUP BY session ORDER BY last_at DESC, session LIMIT ${Math.floor(limit)}`;
    const found = await this.db.rows<SessionSummary>(sql, ...values);
    const uses = await this.db.rows<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM repertoire.events WHERE session IN (SELECT json_array_elements_text($1::text::json))
        AND kind IN (${kindNumber("activated")}, ${kindNumber("outcome")}) ORDER BY seq`,
      JSON.stringify(found.map(({ session }) => session)),
    );
    return found.map(({ host, agent, ...summary }) => ({
      ...summary,
      host: host || undefined,
      agent: agent || undefined,
      ...usesOf(uses.filter(({ session }) => session === summary.session).map(toJournalEvent)),
    }));
  }

  async weeks(name: SkillName, since = 0): Promise<readonly WeekCount[]> {
    await this.counts.catchUp();
    const sql =
      "SELECT week, recalled, shown, activated, successes, failures FROM repertoire.weeks WHERE name = $1 AND week >= $2 ORDER BY week";
    return this.db.rows<WeekCount>(sql, name, since);
  }

  async episodes({ session, skill, since }: EpisodeFilter): Promise<readonly EpisodeLink[]> {
    await this.counts.catchUp();
    const { where, values } = conditions([
      ["session = ?", session],
      ["name = ?", skill],
      ["last_at >= ?", since],
    ]);
    const sql = `SELECT session, name AS skill, digest, times, last_at FROM repertoire.episodes${where} ORDER BY session, name, digest`;
    return this.db.rows<EpisodeLink>(sql, ...values);
  }

  async coUsed({ skill, since = 0, limit }: CoUseFilter): Promise<readonly CoUse[]> {
    await this.counts.catchUp();
    const other = skill === undefined ? "p.name < q.name" : "p.name = $2 AND q.name <> p.name";
    const values: SqlValue[] = skill === undefined ? [since] : [since, skill];
    const sql = `SELECT least(p.name, q.name) AS a, greatest(p.name, q.name) AS b, count(DISTINCT p.session) AS sessions
      FROM repertoire.episodes p JOIN repertoire.episodes q ON q.scope = p.scope AND q.session = p.session
      WHERE ${other} AND p.last_at >= $1 AND q.last_at >= $1 GROUP BY 1, 2 ORDER BY sessions DESC, a, b LIMIT ${Math.floor(limit)}`;
    return this.db.rows<CoUse>(sql, ...values);
  }
}

/** What a client sends at once. The same id is kept once, so a client that got no answer may send it again. */
export interface Batch {
  readonly id: string;
  readonly events: readonly NewEvent[];
  readonly said?: readonly SaidRecord[] | undefined;
}

/** Keeps the batches that are new, in order; returns the events that are kept of each, new or not. */
export async function insertBatches(
  tx: Transaction,
  batches: readonly Batch[],
): Promise<ReadonlyMap<string, readonly JournalEvent[]>> {
  const ids = JSON.stringify(batches.map(({ id }) => id));
  const taken = await tx.rows<{ id: string }>(
    `INSERT INTO repertoire.batches (scope, id) SELECT repertoire.scope(), value FROM json_array_elements_text($1::text::json)
      ON CONFLICT DO NOTHING RETURNING id`,
    ids,
  );
  const isNew = new Set(taken.map(({ id }) => id));
  const kept = new Map<string, JournalEvent[]>(batches.map(({ id }) => [id, []]));
  const fresh = batches.filter(({ id }) => isNew.delete(id));
  await insertSaid(
    tx,
    fresh.flatMap(({ said = [] }) => said),
  );
  const events = fresh.flatMap(({ id, events }) => events.map((event) => ({ batch: id, event })));
  for (const { batch, event } of await insertEvents(tx, events)) kept.get(batch)!.push(event);
  if (taken.length < batches.length) {
    const sql = `SELECT batch, ${EVENT_COLUMNS} FROM repertoire.events WHERE batch IN
      (SELECT json_array_elements_text($1::text::json)) ORDER BY seq`;
    const known = new Set(fresh.map(({ id }) => id));
    for (const { batch, ...row } of await tx.rows<EventRow & { batch: string }>(sql, ids))
      if (!known.has(batch)) kept.get(batch)!.push(toJournalEvent(row));
  }
  return kept;
}

interface BatchEvent<E> {
  readonly batch: string;
  readonly event: E;
}

/** Inserts events in order, with numbers in the order of commits. */
async function insertEvents(
  tx: Transaction,
  events: readonly BatchEvent<NewEvent>[],
): Promise<readonly BatchEvent<JournalEvent>[]> {
  const meant = events.some(({ event }) => isOpenOutcome(event))
    ? await withOpenOutcomes(tx, events)
    : events;
  if (meant.length === 0) return [];
  const [{ last } = { last: 0 }] = await tx.rows<{ last: number }>(
    "SELECT repertoire.take_numbers('events', $1) AS last",
    meant.length,
  );
  const kept = meant.map(({ batch, event }, index) => ({
    batch,
    event: { ...event, seq: last - meant.length + 1 + index } as JournalEvent,
  }));
  const rows = kept.map(({ batch, event }) => {
    const { kind, details, session = "", agent = "", host = "", digest = "", ...rest } = event;
    // Text within text: a zero character in it stays escaped.
    const text = Object.keys(details).length === 0 ? undefined : JSON.stringify(details);
    return { ...rest, batch, kind: kindNumber(kind), session, agent, host, digest, details: text };
  });
  await tx.change(
    `INSERT INTO repertoire.events (scope, batch, ${EVENT_COLUMNS})
      SELECT repertoire.scope(), batch, ${EVENT_COLUMNS} FROM json_to_recordset($1::text::json) AS e (batch text, seq bigint,
      at bigint, kind smallint, session text, agent text, host text, turn bigint, skill text, digest text, details text)`,
    jsonRows(rows),
  );
  return kept;
}

type OpenOutcome = NewEvent & { session: string; turn: number };

/** An outcome without a skill becomes one for each skill that was activated in its turn, here or before. */
async function withOpenOutcomes(
  tx: Transaction,
  events: readonly BatchEvent<NewEvent>[],
): Promise<readonly BatchEvent<NewEvent>[]> {
  // Whoever appends activations of the turn has committed them, or comes after us.
  await tx.rows("SELECT repertoire.take_numbers('events', 0)");
  const turns = events.flatMap(({ event }) => {
    const { session, turn } = event as OpenOutcome;
    return isOpenOutcome(event) ? [{ session, turn }] : [];
  });
  const before = await tx.rows<EventRow>(
    `SELECT e.session, e.turn, e.skill, e.digest FROM repertoire.events e
      JOIN (SELECT DISTINCT session, turn FROM json_to_recordset($1::text::json) AS t (session text, turn bigint)) t
      ON t.session = e.session AND t.turn = e.turn
      WHERE e.kind = ${kindNumber("activated")} AND e.skill IS NOT NULL ORDER BY e.seq`,
    jsonRows(turns),
  );
  const activated = new Map<string, Map<SkillName, string | undefined>>();
  const note = (session: string, turn: number, skill: SkillName, digest: string | undefined) => {
    const key = `${turn}\n${session}`;
    const known = activated.get(key) ?? new Map<SkillName, string | undefined>();
    // A skill that was changed within the turn counts as it was activated last.
    activated.set(key, known.set(skill, digest || undefined));
  };
  for (const { session, turn, skill, digest } of before) note(session, turn!, skill!, digest);
  return events.flatMap(({ batch, event }): readonly BatchEvent<NewEvent>[] => {
    const { kind, session, turn, skill, digest } = event;
    if (kind === "activated" && session !== undefined && turn !== undefined && skill !== undefined)
      note(session, turn, skill, digest);
    if (!isOpenOutcome(event)) return [{ batch, event }];
    const used = activated.get(`${turn}\n${session}`) ?? new Map<SkillName, string | undefined>();
    const skills = [...used].map(([name, content]) => ({ skill: name, digest: content }));
    return outcomeForEach(event, skills).map((each) => ({ batch, event: each }));
  });
}

export function postgresConversation(db: Connection) {
  return {
    append: (said) => db.write((tx) => insertSaid(tx, [said])),
    query({ session, role, since, until, limit }: SaidFilter) {
      const { where, values } = conditions([
        ["session = ?", session],
        ["role = ?", role],
        ["at >= ?", since],
        ["at < ?", until],
      ]);
      const most = limit === undefined ? "" : ` LIMIT ${Math.max(0, Math.floor(limit))}`;
      const sql = `SELECT session, turn, role, text, at FROM repertoire.said${where} ORDER BY seq${most}`;
      return db.rows<SaidRecord>(sql, ...values);
    },
  } satisfies ConversationStore;
}

async function insertSaid(tx: Transaction, said: readonly SaidRecord[]): Promise<void> {
  if (said.length === 0) return;
  await tx.change(
    `INSERT INTO repertoire.said (scope, seq, session, turn, role, text, at)
      SELECT repertoire.scope(), n.last - $1 + ordinality, s.value ->> 'session', (s.value ->> 'turn')::bigint, s.value ->> 'role',
        s.value ->> 'text', (s.value ->> 'at')::bigint
      FROM (SELECT repertoire.take_numbers('said', $1) AS last) n, json_array_elements($2::text::json) WITH ORDINALITY s`,
    said.length,
    jsonRows(said),
  );
}

function filtered(filter: EventFilter) {
  const { where, values } = conditions([
    ["skill = ?", filter.skill],
    ["digest = ?", filter.digest],
    ["session = ?", filter.session],
    ["turn = ?", filter.turn],
    ["kind = ANY (string_to_array(?, ',')::smallint[])", filter.kinds?.map(kindNumber).join()],
    ["at >= ?", filter.since],
    ["at < ?", filter.until],
    ["seq > ?", filter.afterSeq],
  ]);
  return { where, values };
}
