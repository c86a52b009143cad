// Makes, lists and revokes the tokens of a shared database. Only their hashes are kept there.

import { createHash, randomBytes } from "node:crypto";
import { RepertoireError } from "../../model/errors.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { TOKEN_ROLES, type TokenRole } from "./rights.ts";

/** What is known about a token. */
export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  /** `organisation` or `organisation/project`. */
  readonly scope: string;
  readonly role: TokenRole;
  readonly createdAt: number;
  /** Absent if it does not expire. */
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

export interface NewToken {
  /** For people: whose it is. */
  readonly name: string;
  readonly role: TokenRole;
  /** The scope of who makes it, unless given. */
  readonly scope?: string | undefined;
  /** Days until it expires; never if absent. */
  readonly days?: number | undefined;
}

interface TokenRow {
  readonly id: string;
  readonly organisation: string;
  readonly project: string;
  readonly name: string;
  readonly rank: number;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

/** The tokens that the login, or an owner's token, may administer. */
export class DatabaseTokens {
  private readonly db: Connection;

  constructor(options: ConnectionOptions) {
    this.db = new Connection({ ...options, connections: 1 });
  }

  /** The secret is in the answer and nowhere else. */
  async create({ name, role, scope, days }: NewToken): Promise<TokenRecord & { readonly token: string }> {
    const own = await this.db.claim();
    const [organisation, project] = (scope ?? scopeName(own)).split("/");
    const id = randomBytes(6).toString("hex");
    const token = `rpt_${id}_${randomBytes(32).toString("base64url")}`;
    const hash = createHash("sha256").update(token).digest();
    await this.db.rows(
      "SELECT repertoire.create_token($1, $2, $3, $4, $5, $6, make_interval(secs => $7))",
      organisation,
      project ?? "",
      id,
      hash,
      name,
      TOKEN_ROLES.indexOf(role) + 1,
      days === undefined ? undefined : days * 24 * 60 * 60,
    );
    const made = (await this.list()).find((each) => each.id === id)!;
    return { ...made, token };
  }

  /** Oldest first. */
  async list(): Promise<readonly TokenRecord[]> {
    const rows = await this.db.rows<TokenRow>("SELECT * FROM repertoire.list_tokens()");
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      scope: scopeName(row),
      role: TOKEN_ROLES[row.rank - 1]!,
      createdAt: row.createdAt.getTime(),
      expiresAt: row.expiresAt?.getTime(),
      revokedAt: row.revokedAt?.getTime(),
    }));
  }

  async revoke(id: string): Promise<void> {
    const [row] = await this.db.rows<{ revoked: boolean }>(
      "SELECT repertoire.revoke_token($1) AS revoked",
      id,
    );
    if (row?.revoked) return;
    throw new RepertoireError(
      "token-not-found",
      `There is no token ${id} that you may revoke, or it is revoked already. \`repertoire token list\` shows their ids.`,
      id,
    );
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

function scopeName({ organisation, project }: { organisation: string; project: string }): string {
  return project === "" ? organisation : `${organisation}/${project}`;
}
