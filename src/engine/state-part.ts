// Checks the store without opening the rooms that use it, so that a store that cannot be used is reported too.

import { isRepertoireError } from "../model/errors.ts";
import { MENDING_COMMAND, type StateCheckOptions, type StateFinding } from "../model/state-finding.ts";
import { type LostBytes, postgresStore, type Rebuild, type Store, sqliteStore } from "../stores/stores.ts";
import type { TurnEngine } from "./turn-engine.ts";

export async function checkStore(
  {
    options,
    config,
    dataDirectory,
    clock,
  }: Pick<TurnEngine, "options" | "config" | "dataDirectory" | "clock">,
  check: StateCheckOptions & { readonly lostBytes: LostBytes },
): Promise<readonly StateFinding[]> {
  if (options.store) return options.store.check(check);
  const { url, token, scope } = config.database;
  if (url !== undefined) return checkShared(postgresStore({ url, token, scope }), check);
  const rebuilt: StateFinding[] = [];
  const onRebuild = (rebuild: Rebuild) => rebuilt.push(findingOf(rebuild));
  const store = sqliteStore({ directory: dataDirectory, clock, onRebuild });
  const found = await store.check(check);
  await store.close();
  // A repair that the check asked for is among its findings.
  return [...rebuilt.filter(({ path }) => !found.some((each) => each.path === path && each.fixed)), ...found];
}

async function checkShared(
  store: Store,
  check: StateCheckOptions & { readonly lostBytes: LostBytes },
): Promise<readonly StateFinding[]> {
  try {
    return await store.check(check);
  } catch (error) {
    if (!isRepertoireError(error)) throw error;
    const { message, value } = error;
    const fix = "Check the server and REPERTOIRE_DATABASE_URL, then try again";
    return [
      {
        code: "state-unusable",
        severity: "error",
        path: String(value ?? "database"),
        message,
        fix,
        canFix: false,
      },
    ];
  } finally {
    await store.close();
  }
}

/** A database so damaged that it was replaced as soon as it was opened. */
function findingOf({ path, cause, message }: Rebuild): StateFinding {
  return {
    code: "database-damaged",
    severity: "error",
    path,
    message: `Pages of the database were damaged (${cause}).`,
    fix: MENDING_COMMAND,
    canFix: true,
    fixed: message,
  };
}
