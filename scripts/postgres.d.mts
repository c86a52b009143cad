/** The folder of the server's programs on this system; undefined if there is none. */
export function systemPostgres(where?: { installed?: string; path?: string }): string | undefined;

export interface PostgresServer {
  /** The folder of the server's programs. */
  readonly bin: string;
  /** Of the process that all others of the server descend from. */
  pid(): number | undefined;
  /** The address of a database, for the superuser. */
  url(database?: string): string;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, at the same address. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a server with a data folder of its own. `binaries` is a folder or "embedded"; without it REPERTOIRE_TEST_POSTGRES
 * decides, then what the system has. A `durable` one waits for the disk.
 */
export function startPostgres(options?: { binaries?: string; durable?: boolean }): Promise<PostgresServer>;
