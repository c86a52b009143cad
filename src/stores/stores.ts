// The front door of stores: what other rooms may use.

export { memoryStore } from "./memory/store.ts";
export { observedStore, overridden, type StoreNews } from "./observed.ts";
export type { Caller } from "./postgres/callers.ts";
export { nodeStore } from "./postgres/node-store.ts";
export { roleIncludes, TOKEN_ROLES, type TokenRole } from "./postgres/rights.ts";
export { postgresLibrary } from "./postgres/shared-library.ts";
export { type PostgresOptions, postgresStore } from "./postgres/store.ts";
export { DatabaseTokens, type NewToken, type TokenRecord } from "./postgres/tokens.ts";
export { redactedStore, redactedTurns } from "./redacted.ts";
export { type Retention, TIDY_RULES, type Tidied, type TidyOptions } from "./retention.ts";
export type { Rebuild } from "./sqlite/connection.ts";
export { processLock } from "./sqlite/process-lock.ts";
export { type SqliteOptions, sqliteStore } from "./sqlite/store.ts";
export { TurnFiles } from "./sqlite/turn-files.ts";
export type { LostBytes, Store } from "./store.ts";
