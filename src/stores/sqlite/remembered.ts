// Keeps remembered messages in SQLite.

import {
  REMEMBERED,
  type RememberedMessage,
  type RememberedStore,
  strongest,
  withRemembered,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import { jsonIn } from "../../text/json.ts";
import type { Connection } from "./connection.ts";

const COLUMNS = "skill, digest, session, turn, at, weight, text, terms";
const SELECT = `SELECT id, ${COLUMNS} FROM remembered`;
const INSERT = `INSERT INTO remembered (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

type Row = Omit<RememberedMessage, "terms"> & { readonly id: number; readonly terms: string };

interface RememberedOptions {
  /** The name that redirects lead to. */
  readonly currentName: (name: SkillName) => SkillName;
  /** Called after a change: hooks read a copy. */
  readonly onChange: () => void;
}

export class SqliteRemembered implements RememberedStore {
  private readonly db: Connection;
  private readonly options: RememberedOptions;

  constructor(db: Connection, options: RememberedOptions) {
    this.db = db;
    this.options = options;
  }

  add(added: readonly RememberedMessage[]): void {
    if (added.length === 0) return;
    this.db.write(() => {
      for (const message of added) {
        const own = this.rows(`${SELECT} WHERE skill = ? ORDER BY id`, message.skill);
        this.keep(own, withRemembered([...own.keys()], message));
      }
      this.dropWeakest(added.reduce((latest, { at }) => Math.max(latest, at), 0));
    });
    this.options.onChange();
  }

  list(name?: SkillName): readonly RememberedMessage[] {
    const all = this.rows(`${SELECT} ORDER BY id`);
    const currentName = this.namesOf(all);
    return [...all.keys()]
      .map((message) => ({ ...message, skill: currentName(message.skill) }))
      .filter(({ skill }) => name === undefined || skill === name);
  }

  forget(name?: SkillName): number {
    const forgotten = this.db.write(() => {
      const all = this.rows(`${SELECT} ORDER BY id`);
      const currentName = this.namesOf(all);
      const kept = [...all.keys()].filter(({ skill }) => name !== undefined && currentName(skill) !== name);
      this.keep(all, kept);
      return all.size - kept.length;
    });
    this.options.onChange();
    return forgotten;
  }

  /** Takes over a change of redirects. */
  follow(): void {
    if (this.count() > 0) this.options.onChange();
  }

  private count(): number {
    return this.db.rows<{ count: number }>("SELECT count(*) AS count FROM remembered")[0]?.count ?? 0;
  }

  /** The names of today, each looked up once. */
  private namesOf(rows: ReadonlyMap<RememberedMessage, number>): (name: SkillName) => SkillName {
    const names = new Set([...rows.keys()].map(({ skill }) => skill));
    const current = new Map([...names].map((name) => [name, this.options.currentName(name)]));
    return (name) => current.get(name)!;
  }

  private dropWeakest(now: number): void {
    if (this.count() <= REMEMBERED.inAll) return;
    const all = this.rows(`${SELECT} ORDER BY id`);
    this.keep(all, strongest([...all.keys()], { limit: REMEMBERED.inAll - REMEMBERED.dropped, now }));
  }

  /** Removes the rows that are not kept, and adds the messages that have no row. */
  private keep(rows: ReadonlyMap<RememberedMessage, number>, kept: readonly RememberedMessage[]): void {
    const wanted = new Set(kept);
    for (const [message, id] of rows)
      if (!wanted.has(message)) this.db.change("DELETE FROM remembered WHERE id = ?", id);
    for (const message of kept) {
      if (rows.has(message)) continue;
      const { skill, digest, session = null, turn = null, at, weight, text, terms } = message;
      this.db.change(INSERT, skill, digest, session, turn, at, weight, text, JSON.stringify(terms));
    }
  }

  /** The messages with the numbers of their rows. */
  private rows(sql: string, ...values: string[]): Map<RememberedMessage, number> {
    const found = this.db.rows<Row>(sql, ...values);
    return new Map(
      found.map(({ id, terms, ...row }) => [{ ...row, terms: (jsonIn(terms) ?? []) as number[] }, id]),
    );
  }
}
