// The callers of a node: agents with a token of the database. The node queries the database with the agent's token, so the
// database checks the agent's role. While the database is away, its last answer about a token counts.

import { codeOf, RepertoireError } from "../../model/errors.ts";
import type { Connection } from "./connection.ts";
import { deadline, isAway } from "./failures.ts";
import { TOKEN_ROLES, type TokenRole } from "./rights.ts";

/** Whom a token belongs to. */
export interface Caller {
  /** The token's id, which is no secret. */
  readonly id: string;
  readonly role: TokenRole;
}

const NUMBERS = {
  /** A request waits no longer for the database to confirm a token that it confirmed before. */
  patienceMs: 300,
  /** For so long, if the database is away. */
  knownMs: 60 * 60_000,
  /** Tokens remembered; the longest silent is forgotten first. */
  known: 10_000,
} as const;

export class Callers {
  private readonly db: Connection;
  private readonly now: () => number;
  private readonly known = new Map<string, { readonly caller: Caller; readonly at: number }>();

  constructor(db: Connection, now: () => number) {
    this.db = db;
    this.now = now;
  }

  /** Whether the database has confirmed the token before. */
  knows(token: string): boolean {
    return this.known.has(token);
  }

  /** Asks the database about a token. Fails with `token-refused` if it is not one of this node's scope. */
  async admit(token: string): Promise<Caller> {
    const before = this.known.get(token);
    const asked = this.ask(token);
    try {
      return await (before === undefined ? asked : Promise.race([asked, late()]));
    } catch (error) {
      const isFresh = before !== undefined && this.now() - before.at < NUMBERS.knownMs;
      if (!isAway(error) || !isFresh) throw error;
      return before.caller;
    }
  }

  private async ask(token: string): Promise<Caller> {
    try {
      const own = await this.db.claim();
      const [row] = await this.db.as(token, () =>
        this.db.rows<{ scope: number; rank: number; token: string }>("SELECT * FROM repertoire.claim()"),
      );
      if (row?.scope !== own.scope) throw otherScope(own);
      const caller = { id: row.token, role: TOKEN_ROLES[row.rank - 1]! };
      this.known.delete(token);
      this.known.set(token, { caller, at: this.now() });
      if (this.known.size > NUMBERS.known) this.known.delete(this.known.keys().next().value!);
      return caller;
    } catch (error) {
      if (codeOf(error) === "token-refused") this.known.delete(token);
      throw error;
    }
  }
}

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(deadline(NUMBERS.patienceMs)), NUMBERS.patienceMs).unref();
  });
}

function otherScope({ organisation, project }: { organisation: string; project: string }): RepertoireError {
  const scope = project === "" ? organisation : `${organisation}/${project}`;
  return new RepertoireError(
    "token-refused",
    `This node serves the scope ${scope}, and the token is of another one. Ask a node of its own scope.`,
    scope,
  );
}
