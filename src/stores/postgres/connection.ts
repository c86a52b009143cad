// The way to the database: a small pool, transactions under a claim, deadlines, and what happens when the server is away.
// A transaction leaves no state in its connection, so a pool in transaction mode may be between.

import { AsyncLocalStorage } from "node:async_hooks";
import { codeOf, messageOf, RepertoireError } from "../../model/errors.ts";
import { deadline, explained, isAway, serverOf } from "./failures.ts";
import { migrate, type Run } from "./migrations.ts";
import { ConnectionPool, type PooledConnection } from "./pool.ts";
import { NODE_ROLE, TOKEN_ROLES, type TokenRole } from "./rights.ts";

const NUMBERS = {
  /** 14 has all that the schema needs and is the oldest version that still gets fixes. */
  oldestServer: 14,
  /** A transaction takes milliseconds; beyond this the other end is gone, though nobody said so. */
  deadlineMs: 15_000,
  /** A server that is away is asked again after this long, then after twice as long each time. */
  leastPauseMs: 100,
  mostPauseMs: 2_000,
  connections: 4,
  /** How often a transaction that met another one is tried again. */
  attempts: 8,
} as const;

export interface ConnectionOptions {
  /** `postgres://user:password@host:5432/database` */
  readonly url: string;
  /** What an agent was given: says which scope, and what it may do there. */
  readonly token?: string | undefined;
  /** Without a token: `organisation` or `organisation/project`. Only for a login that owns the schema. */
  readonly scope?: string | undefined;
  readonly connections?: number | undefined;
  readonly deadlineMs?: number | undefined;
  /** Called when a server that was away answers again. */
  readonly onBack?: (() => void) | undefined;
}

/** Whose rows these are, and what may be done with them. */
interface Claim {
  readonly scope: number;
  readonly organisation: string;
  /** Empty for the organisation's own scope. */
  readonly project: string;
  readonly role: TokenRole;
}

export type SqlValue = string | number | boolean | Uint8Array | null | undefined;

/** The statements of one transaction. */
export interface Transaction {
  /** What a statement finds, without empty columns. */
  rows<T>(sql: string, ...values: SqlValue[]): Promise<T[]>;
  /** Runs a statement and returns how many rows it changed. */
  change(sql: string, ...values: SqlValue[]): Promise<number>;
}

const DEFAULT_SCOPE = "default";
const SCOPE = /^[\w.-]{1,100}(\/[\w.-]{1,100})?$/;
const TOKEN = /^[\w-]{8,200}$/;

export class Connection implements Transaction {
  private readonly options: ConnectionOptions;
  private readonly given: Given;
  /** Set while a request of an agent is served: its claim instead of ours. */
  private readonly callers = new AsyncLocalStorage<Given | undefined>();
  readonly server: string;
  private readonly pool: ConnectionPool;
  private opened: Promise<Claim> | undefined;
  /** What the last claim was; known also while the server is away. */
  lastClaim: Claim | undefined;
  private away: { readonly error: unknown; probe: NodeJS.Timeout | undefined } | undefined;
  private closed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.server = serverOf(options.url);
    this.given = givenClaim(options);
    this.pool = new ConnectionPool(options.url, options.connections ?? NUMBERS.connections);
  }

  /** Whether the last question was answered. */
  get isUp(): boolean {
    return this.away === undefined;
  }

  /** The transactions of the work are those of the token's owner, with the rights of its role and no others. */
  as<T>(token: string, work: () => T): T {
    return this.callers.run(givenClaim({ ...this.options, token }), work);
  }

  /** The transactions of the work are this node's own, whoever it serves now. */
  asNode<T>(work: () => T): T {
    return this.callers.run(undefined, work);
  }

  /** Runs a later work in the name of whoever is served now. */
  bound(): <T>(work: () => T) => T {
    const caller = this.callers.getStore();
    return (work) => this.callers.run(caller, work);
  }

  /** Tells callers apart. */
  get caller(): string {
    return this.callers.getStore()?.value ?? "";
  }

  /** Opens the database if it is not open yet: checks the server, brings the schema forward, and asks who we are. */
  claim(): Promise<Claim> {
    if (this.opened === undefined) {
      const opening = this.guarded(() => this.open());
      this.opened = opening;
      opening.then(
        (claim) => {
          this.lastClaim = claim;
        },
        () => undefined,
      );
      opening.catch(() => {
        if (this.opened === opening) this.opened = undefined;
        // Whoever is refused may never close us, and an open connection would keep the process.
        return this.pool.drop();
      });
    }
    return this.opened;
  }

  /** Runs the work as one transaction under the claim. It may run more than once, if another transaction got in its way. */
  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.claim();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.guarded(() => this.transaction(work, this.callers.getStore() ?? this.given));
      } catch (error) {
        const code = codeOf(error);
        // No partition for this month yet.
        if (code === "23514" && attempt === 1) await this.makePartitions();
        else if ((code !== "40001" && code !== "40P01") || attempt >= NUMBERS.attempts) throw error;
      }
    }
  }

  rows<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    return this.write((tx) => tx.rows<T>(sql, ...values));
  }

  change(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.write((tx) => tx.change(sql, ...values));
  }

  /** Calls `heard` for every notice on a channel, and once for every time that the connection was made. */
  async listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    await this.claim();
    return this.guarded(() => this.pool.listen(channel, heard));
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.away?.probe);
    await this.pool.drop();
  }

  private async open(): Promise<Claim> {
    const [found] = await this.transaction((tx) =>
      tx.rows<{ version: number }>("SELECT current_setting('server_version_num')::int AS version"),
    );
    const version = Math.floor((found?.version ?? 0) / 10_000);
    if (version < NUMBERS.oldestServer)
      throw new RepertoireError(
        "database-too-old",
        `${this.server} is PostgreSQL ${version}; Repertoire needs ${NUMBERS.oldestServer} or later. Update the server, or use another one.`,
        version,
      );
    const { token, scope = DEFAULT_SCOPE } = this.options;
    const [organisation = "", project = ""] = scope.split("/");
    await this.transaction(async (tx) => {
      const run: Run = (sql) => tx.rows(sql);
      await migrate(run);
      if (token !== undefined) return;
      const [{ admin } = { admin: false }] = await tx.rows<{ admin: boolean }>(
        "SELECT repertoire.is_admin() AS admin",
      );
      if (!admin)
        throw new RepertoireError(
          "token-missing",
          `The login for ${this.server} does not own the schema, so it needs a token that says what it may do. Set REPERTOIRE_DATABASE_TOKEN; an owner makes one with \`repertoire token create\`.`,
          this.server,
        );
      await tx.rows("SELECT repertoire.own_scope($1, $2)", organisation, project);
    });
    const [claimed] = await this.transaction(
      (tx) =>
        tx.rows<Omit<Claim, "role"> & { rank: number }>(
          "SELECT c.scope, c.rank, s.organisation, s.project FROM repertoire.claim() c JOIN repertoire.scopes s ON s.id = c.scope",
        ),
      this.given,
    );
    await this.makePartitions();
    const { rank, ...rest } = claimed!;
    return { ...rest, role: TOKEN_ROLES[rank - 1]! };
  }

  private async makePartitions(): Promise<void> {
    await this.transaction((tx) => tx.rows("SELECT repertoire.make_partitions()"), this.given);
  }

  private async transaction<T>(work: (tx: Transaction) => Promise<T>, given?: Given): Promise<T> {
    let isCommitting = false;
    const { deadlineMs = NUMBERS.deadlineMs } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(deadline(deadlineMs)), deadlineMs);
    });
    const run = this.pool.use(async (connection) => {
      try {
        await begin(connection, given);
        const result = await work(statements(connection));
        isCommitting = true;
        await connection.run("COMMIT");
        return result;
      } catch (error) {
        if (!isCommitting) await connection.run("ROLLBACK").catch(() => connection.end());
        throw error;
      }
    });
    try {
      return await Promise.race([run, late]);
    } catch (error) {
      if (codeOf(error) === "DEADLINE") {
        run.catch(() => undefined);
        await this.pool.drop();
      }
      // The server may or may not have received the commit.
      if (isCommitting && isAway(error)) throw uncertain(this.server, error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** While the server is away nobody waits for it: it is asked in the background until it answers. */
  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed) throw explained(deadline(0), this.server);
    if (this.away) throw this.away.error;
    try {
      return await work();
    } catch (error) {
      const told = explained(error, this.server);
      if (isAway(told) || codeOf(told) === "commit-uncertain") this.noteAway(told);
      throw told;
    }
  }

  private noteAway(error: unknown): void {
    if (this.away || this.closed) return;
    this.away = { error: isAway(error) ? error : explained(deadline(0), this.server), probe: undefined };
    this.probe(NUMBERS.leastPauseMs);
  }

  private probe(pauseMs: number): void {
    const { away } = this;
    if (!away || this.closed) return;
    away.probe = setTimeout(async () => {
      try {
        await this.transaction((tx) => tx.rows("SELECT 1"));
        this.away = undefined;
        this.options.onBack?.();
      } catch (error) {
        if (isAway(explained(error, this.server))) this.probe(Math.min(pauseMs * 2, NUMBERS.mostPauseMs));
        // It answers, and refuses: whoever asks next is told why.
        else this.away = undefined;
      }
    }, pauseMs);
    away.probe.unref();
  }
}

/** The connection ended after the last statement, before the server said that it has committed. */
function uncertain(server: string, cause: unknown): RepertoireError {
  return new RepertoireError(
    "commit-uncertain",
    `The connection to ${server} ended while a change was committed (${messageOf(cause)}). When the database answers again, repertoire history shows whether it was made.`,
    server,
  );
}

/** What a transaction says about who asks. */
interface Given {
  readonly setting: "token" | "scope";
  readonly value: string;
}

function givenClaim({ token, scope = DEFAULT_SCOPE }: ConnectionOptions): Given {
  if (token !== undefined && !TOKEN.test(token))
    throw new RepertoireError(
      "token-refused",
      "What is set as the token of the database is not a token: a token begins with rpt_ and has no spaces. Set REPERTOIRE_DATABASE_TOKEN to what `repertoire token create` printed.",
    );
  if (!SCOPE.test(scope))
    throw new RepertoireError(
      "config-invalid",
      `"${scope}" is not a scope: give an organisation, or organisation/project, of letters, digits, dots, dashes and underscores.`,
      scope,
    );
  return token === undefined ? { setting: "scope", value: scope } : { setting: "token", value: token };
}

/** For one transaction: works as the role that sees only its scope, and says whose scope that is. */
async function begin(connection: PooledConnection, given: Given | undefined): Promise<void> {
  if (given === undefined) {
    await connection.run("BEGIN");
    return;
  }
  // A value, not text of the statement: whoever shares the login reads the statements of others in pg_stat_activity.
  const claim = `SELECT set_config('repertoire.${given.setting}', $1, true), repertoire.enter()`;
  await Promise.all([
    connection.run(`BEGIN; SELECT set_config('role', '${NODE_ROLE}', true)`),
    connection.run(claim, [given.value]),
  ]);
}

function statements(connection: PooledConnection): Transaction {
  const run = (sql: string, values: readonly SqlValue[]) => connection.run(sql, values.map(storable));
  return {
    rows: async <T>(sql: string, ...values: SqlValue[]) => (await run(sql, values)).map(withoutNulls) as T[],
    change: async (sql, ...values) => (await run(sql, values)).count,
  };
}

/** PostgreSQL keeps no text with a zero character. */
function storable(value: SqlValue): SqlValue {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
  return value ?? null;
}

function withoutNulls(row: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const column in row) if (row[column] !== null) found[column] = row[column];
  return found;
}
