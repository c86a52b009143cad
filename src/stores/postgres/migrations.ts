// Brings a database to this program's schema: one node at a time, while others work.

import { RepertoireError } from "../../model/errors.ts";
import { NODE_ROLE } from "./rights.ts";
import { MIGRATIONS, type Migration } from "./schema.ts";

/** Runs one SQL text, with several statements in it if it has no values. */
export type Run = (sql: string, values?: readonly (string | number)[]) => Promise<readonly object[]>;

/** Any number that nobody else of this database uses; two nodes that migrate wait for each other. */
const MIGRATION_LOCK = 7_367_001;
/** How long other nodes wait at most behind a step that has to wait. */
const LOCK_MS = 2_000;

/**
 * Applies what is missing, within the transaction of `run`. Only a login that owns the schema, or may make it, can; any other
 * is told if the database lacks a step that it needs.
 */
export async function migrate(run: Run, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const found = await stateOf(run);
  if (found.step < migrations.length) {
    await run(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await bringForward(run, migrations);
    return;
  }
  if (found.oldest > migrations.length)
    throw new RepertoireError(
      "database-too-new",
      `The database was migrated by a newer Repertoire (its schema is ${found.step} and needs a program that knows ${found.oldest}; this one knows ${migrations.length}). Update this program; the database is untouched.`,
      found.step,
    );
}

async function bringForward(run: Run, migrations: readonly Migration[]): Promise<void> {
  // A long transaction, such as a backup, would hold this up, and this everybody who comes after it.
  await run(`SET LOCAL lock_timeout = '${LOCK_MS}ms'`);
  // Somebody else may have done it meanwhile.
  const { step, exists } = await stateOf(run);
  if (step >= migrations.length) return;
  if (!exists) {
    await run(`DO $$ BEGIN CREATE ROLE ${NODE_ROLE} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    await run(`DO $$ BEGIN EXECUTE format('GRANT ${NODE_ROLE} TO %I', session_user);
      EXCEPTION WHEN unique_violation THEN NULL; END $$`);
    await run(`CREATE SCHEMA repertoire;
      CREATE TABLE repertoire.migrations (step integer PRIMARY KEY, oldest integer NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
  }
  for (const [index, { sql, oldest }] of migrations.entries()) {
    if (index < step) continue;
    await run(sql);
    await run(`INSERT INTO repertoire.migrations (step, oldest) VALUES (${index + 1}, ${oldest})`);
  }
}

async function stateOf(run: Run): Promise<{ step: number; oldest: number; exists: boolean }> {
  const [there] = (await run("SELECT to_regclass('repertoire.migrations') IS NOT NULL AS exists")) as [
    { exists: boolean },
  ];
  if (!there.exists) return { step: 0, oldest: 0, exists: false };
  const [row] = (await run(
    "SELECT coalesce(max(step), 0) AS step, coalesce(max(oldest), 0) AS oldest FROM repertoire.migrations",
  )) as [{ step: number; oldest: number }];
  return { ...row, exists: true };
}
