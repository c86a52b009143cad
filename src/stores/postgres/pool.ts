// Connections to the server, each used by one transaction at a time and never again once it has ended. The client's own pool
// and transactions are not used: a statement on a connection that has ended meanwhile would end the process.

import type { RowList, Sql } from "postgres";
import { isAway } from "./failures.ts";

/** Long enough for a server far away. */
const CONNECT_S = 5;
/** What nobody uses is closed after this long. */
const IDLE_S = 60;

/** One connection. */
export interface PooledConnection {
  run(sql: string, values?: readonly unknown[]): Promise<RowList<Record<string, unknown>[]>>;
  end(): void;
}

interface OpenConnection extends PooledConnection {
  readonly isOver: () => boolean;
}

export class ConnectionPool {
  private readonly url: string;
  private readonly most: number;
  private readonly open = new Set<OpenConnection>();
  private idle: OpenConnection[] = [];
  private waiting: (() => void)[] = [];
  private listener: { readonly client: Sql; channels: number } | undefined;

  constructor(url: string, most: number) {
    this.url = url;
    this.most = most;
  }

  /** Runs the work with a connection that nobody else has meanwhile. */
  async use<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const connection = await this.take();
    try {
      return await work(connection);
    } finally {
      if (connection.isOver()) this.open.delete(connection);
      else this.idle.push(connection);
      this.waiting.shift()?.();
    }
  }

  /** Ends all connections at once; the next question makes new ones. */
  async drop(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    for (const connection of this.open) connection.end();
    await listener?.client.end({ timeout: 0 });
  }

  /** Over a connection of its own, which is made anew as often as it ends. */
  async listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>> {
    this.listener ??= { client: await this.client(() => undefined), channels: 0 };
    const { listener } = this;
    listener.channels++;
    const close = async () => {
      if (--listener.channels > 0 || this.listener !== listener) return;
      this.listener = undefined;
      await listener.client.end({ timeout: 0 });
    };
    try {
      await listener.client.listen(channel, heard, () => heard(""));
    } catch (error) {
      await close();
      throw error;
    }
    return close;
  }

  private async take(): Promise<OpenConnection> {
    for (;;) {
      const known = this.idle.pop();
      if (known?.isOver()) this.open.delete(known);
      else if (known !== undefined) return known;
      else if (this.open.size < this.most) return this.connect();
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private async connect(): Promise<OpenConnection> {
    let isOver = false;
    const opening = this.client(() => {
      isOver = true;
    });
    const end = () => {
      isOver = true;
      void opening.then((client) => client.end({ timeout: 0 }));
    };
    const connection: OpenConnection = {
      isOver: () => isOver,
      async run(sql, values = []) {
        const client = await opening;
        // The client would make a new connection, outside of the transaction.
        if (isOver) throw Object.assign(new Error("the connection has ended"), { code: "CONNECTION_CLOSED" });
        try {
          return await client.unsafe(sql, values as never[]);
        } catch (error) {
          if (isAway(error)) end();
          throw error;
        }
      },
      end,
    };
    this.open.add(connection);
    return connection;
  }

  private async client(onclose: () => void): Promise<Sql> {
    const { default: postgres } = await import("postgres");
    return postgres(this.url, {
      max: 1,
      connect_timeout: CONNECT_S,
      idle_timeout: IDLE_S,
      max_lifetime: null,
      keep_alive: 30,
      // What pools in transaction mode do not carry over from one transaction to the next.
      prepare: false,
      fetch_types: false,
      backoff: () => 0,
      onclose,
      onnotice: () => undefined,
      connection: { application_name: "repertoire" },
      types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
      transform: { undefined: null, column: { from: toCamel } },
    }) as unknown as Sql;
  }
}

function toCamel(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
