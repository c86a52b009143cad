// Keeps remembered messages in PostgreSQL.

import {
  REMEMBERED,
  type RememberedMessage,
  type RememberedStore,
  strongest,
  withRemembered,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { jsonIn } from "../../text/json.ts";
import type { Connection, Transaction } from "./connection.ts";
import { jsonRows } from "./event-rows.ts";

type Row = Omit<RememberedMessage, "terms"> & { readonly id: number; readonly terms: string };

/** The messages with the numbers of their rows. */
type Rows = ReadonlyMap<RememberedMessage, number>;

/** Says which name redirects lead to, for one transaction. */
type NamesNow = (tx: Transaction) => Promise<(name: SkillName) => SkillName>;

export class PostgresRemembered implements RememberedStore {
  private readonly db: Connection;
  private readonly namesNow: NamesNow;

  constructor(db: Connection, namesNow: NamesNow) {
    this.db = db;
    this.namesNow = namesNow;
  }

  async add(added: readonly RememberedMessage[]): Promise<void> {
    if (added.length === 0) return;
    await this.db.write(async (tx) => {
      await lock(tx);
      const all = await rowsOf(tx);
      let kept: readonly RememberedMessage[] = [...all.keys()];
      for (const message of added) {
        const own = new Set(
          withRemembered(
            kept.filter(({ skill }) => skill === message.skill),
            message,
          ),
        );
        kept = [...kept.filter((one) => one.skill !== message.skill || own.delete(one)), ...own];
      }
      if (kept.length > REMEMBERED.inAll) {
        const now = added.reduce((latest, { at }) => Math.max(latest, at), 0);
        kept = strongest(kept, { limit: REMEMBERED.inAll - REMEMBERED.dropped, now });
      }
      await keep(tx, all, kept);
    });
  }

  list(name?: SkillName): Promise<readonly RememberedMessage[]> {
    return this.db.write(async (tx) => {
      const nameNow = await this.namesNow(tx);
      return [...(await rowsOf(tx)).keys()]
        .map((message) => ({ ...message, skill: nameNow(message.skill) }))
        .filter(({ skill }) => name === undefined || skill === name);
    });
  }

  forget(name?: SkillName): Promise<number> {
    return this.db.write(async (tx) => {
      await lock(tx);
      const nameNow = await this.namesNow(tx);
      const all = await rowsOf(tx);
      const kept = [...all.keys()].filter(({ skill }) => name !== undefined && nameNow(skill) !== name);
      await keep(tx, all, kept);
      return all.size - kept.length;
    });
  }
}

/** One at a time: which are the weakest depends on all. */
async function lock(tx: Transaction): Promise<void> {
  await tx.rows("SELECT repertoire.take_numbers('changes', 0)");
}

async function rowsOf(tx: Transaction): Promise<Rows> {
  const sql =
    "SELECT id, skill, digest, session, turn, at, weight, text, terms FROM repertoire.remembered ORDER BY id";
  const found = await tx.rows<Row>(sql);
  return new Map(
    found.map(({ id, terms, ...row }) => [{ ...row, terms: (jsonIn(terms) ?? []) as number[] }, id]),
  );
}

/** Removes the rows that are not kept, and adds the messages that have no row. */
async function keep(tx: Transaction, rows: Rows, kept: readonly RememberedMessage[]): Promise<void> {
  const wanted = new Set(kept);
  const dropped = [...rows].flatMap(([message, id]) => (wanted.has(message) ? [] : [id]));
  const added = kept.filter((message) => !rows.has(message));
  if (dropped.length > 0)
    await tx.change(
      "DELETE FROM repertoire.remembered WHERE id IN (SELECT json_array_elements_text($1::text::json)::bigint)",
      JSON.stringify(dropped),
    );
  if (added.length > 0)
    await tx.change(
      `INSERT INTO repertoire.remembered (scope, skill, digest, session, turn, at, weight, text, terms)
        SELECT repertoire.scope(), e ->> 'skill', e ->> 'digest', e ->> 'session', (e ->> 'turn')::bigint, (e ->> 'at')::bigint,
          (e ->> 'weight')::double precision, e ->> 'text', e ->> 'terms'
        FROM json_array_elements($1::text::json) WITH ORDINALITY AS t (e, n) ORDER BY n`,
      jsonRows(added),
    );
}
