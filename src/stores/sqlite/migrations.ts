// The schema of the SQLite store as numbered steps, forward only. A step that was released is never edited.

import { RepertoireError } from "../../model/errors.ts";
import type { SqlDatabase } from "./driver.ts";

/** `MIGRATIONS[n - 1]` brings a database from version n - 1 to n. */
export const MIGRATIONS: readonly string[] = [
  // 1: the journal, and the accounts that are kept with it so that nobody has to scan it.
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE tallies (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    parent TEXT,
    recalled INTEGER NOT NULL DEFAULT 0,
    shown INTEGER NOT NULL DEFAULT 0,
    activated INTEGER NOT NULL DEFAULT 0,
    successes INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    neutrals INTEGER NOT NULL DEFAULT 0,
    weightOfSuccesses REAL NOT NULL DEFAULT 0,
    weightOfFailures REAL NOT NULL DEFAULT 0,
    weighedAt INTEGER NOT NULL DEFAULT 0,
    lastUsedAt INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, digest)
  );
  CREATE TABLE speakers (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    host TEXT NOT NULL,
    UNIQUE (session, agent, host)
  );
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    speaker INTEGER NOT NULL REFERENCES speakers (id),
    turn INTEGER,
    version INTEGER REFERENCES tallies (id),
    details TEXT
  );
  CREATE INDEX events_by_speaker ON events (speaker, turn, kind);
  CREATE INDEX events_by_version ON events (version, kind);
  CREATE INDEX events_by_time ON events (at);
  CREATE INDEX events_by_kind ON events (kind);
  CREATE TABLE weeks (
    name TEXT NOT NULL,
    week INTEGER NOT NULL,
    recalled INTEGER NOT NULL DEFAULT 0,
    shown INTEGER NOT NULL DEFAULT 0,
    activated INTEGER NOT NULL DEFAULT 0,
    successes INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, week)
  ) WITHOUT ROWID;
  CREATE TABLE episodes (
    session TEXT NOT NULL,
    version INTEGER NOT NULL REFERENCES tallies (id),
    name TEXT NOT NULL,
    times INTEGER NOT NULL,
    lastAt INTEGER NOT NULL,
    PRIMARY KEY (session, version)
  ) WITHOUT ROWID;
  CREATE INDEX episodes_by_name ON episodes (name, session);
  `,
  // 2: activation: tasks with their consents, and lasting trust.
  `
  CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    startedAt INTEGER NOT NULL,
    agent TEXT,
    title TEXT
  );
  CREATE TABLE consents (
    task TEXT NOT NULL,
    skill TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    files TEXT NOT NULL,
    PRIMARY KEY (task, skill)
  ) WITHOUT ROWID;
  CREATE TABLE trust (
    digest TEXT NOT NULL,
    skill TEXT NOT NULL,
    at INTEGER NOT NULL,
    source TEXT,
    PRIMARY KEY (digest, skill)
  ) WITHOUT ROWID;
  `,
  // 3: learning: versions (an index over the version log), redirects, what was said, proposals.
  `
  CREATE TABLE versions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    batch TEXT,
    record TEXT NOT NULL
  );
  CREATE INDEX versions_by_name ON versions (name);
  CREATE INDEX versions_by_batch ON versions (batch) WHERE batch IS NOT NULL;
  CREATE TABLE redirects (
    source TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT
  ) WITHOUT ROWID;
  CREATE TABLE said (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE INDEX said_by_session ON said (session, turn);
  CREATE INDEX said_by_time ON said (at);
  CREATE TABLE proposals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL,
    changeHash TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX proposals_by_state ON proposals (state);
  CREATE INDEX proposals_by_change ON proposals (changeHash);
  `,
  // 4: the messages that recall learns from.
  `
  CREATE TABLE remembered (
    id INTEGER PRIMARY KEY,
    skill TEXT NOT NULL,
    digest TEXT NOT NULL,
    session TEXT,
    turn INTEGER,
    at INTEGER NOT NULL,
    weight REAL NOT NULL,
    text TEXT NOT NULL,
    terms TEXT NOT NULL
  );
  CREATE INDEX remembered_by_skill ON remembered (skill);
  `,
  // 5: how a skill did since its instructions last changed.
  `
  ALTER TABLE tallies ADD COLUMN instructions TEXT NOT NULL DEFAULT '';
  ALTER TABLE tallies ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tallies ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tallies ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
  UPDATE tallies SET tries = activated, worked = successes, failed = failures;
  `,
  // 6: changes of skills that are under way.
  `
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
  );
  `,
  // 7: where each skill is, and its newest version: a question about one skill costs the same however many there are.
  `
  ALTER TABLE versions ADD COLUMN root TEXT NOT NULL DEFAULT '';
  UPDATE versions SET root = json_extract(record, '$.data.root')
    WHERE CASE WHEN json_valid(record) THEN json_type(record, '$.data.root') = 'text' ELSE 0 END;
  DROP INDEX versions_by_name;
  CREATE INDEX versions_by_place ON versions (name, root);
  CREATE TABLE heads (
    name TEXT NOT NULL,
    root TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (name, root)
  ) WITHOUT ROWID;
  INSERT INTO heads (name, root, seq) SELECT name, root, max(seq) FROM versions GROUP BY name, root;
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the database to this program's schema, under the database's own write lock. */
export function migrate(db: SqlDatabase, path: string): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const found = versionOf(db);
    if (found > SCHEMA_VERSION) {
      throw new RepertoireError(
        "database-too-new",
        `${path} was written by a newer Repertoire (its schema is ${found}, this program knows ${SCHEMA_VERSION}). Update this program; the database is untouched.`,
        found,
      );
    }
    for (const step of MIGRATIONS.slice(found)) db.exec(step);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(db: SqlDatabase): number {
  return Number(db.prepare("PRAGMA user_version").get()?.user_version ?? 0);
}
