// Administers the tokens of the shared database that the configuration names.

import { RepertoireError } from "../model/errors.ts";
import { DatabaseTokens, type NewToken, type TokenRecord } from "../stores/stores.ts";
import type { TurnEngine } from "./turn-engine.ts";

export interface TokenPart {
  /** The secret is in the answer and nowhere else. */
  create(token: NewToken): Promise<TokenRecord & { readonly token: string }>;
  list(): Promise<readonly TokenRecord[]>;
  revoke(id: string): Promise<void>;
}

export function openTokens({ config }: Pick<TurnEngine, "config">): TokenPart {
  const connected = async <T>(work: (tokens: DatabaseTokens) => Promise<T>): Promise<T> => {
    const { url, token, scope } = config.database;
    if (url === undefined)
      throw new RepertoireError(
        "database-missing",
        "Tokens belong to a shared database, and none is configured. Set REPERTOIRE_DATABASE_URL to its address; see docs/guides/fleet.md.",
      );
    const tokens = new DatabaseTokens({ url, token, scope });
    try {
      return await work(tokens);
    } finally {
      await tokens.close();
    }
  };
  return {
    create: (token) => connected((tokens) => tokens.create(token)),
    list: () => connected((tokens) => tokens.list()),
    revoke: (id) => connected((tokens) => tokens.revoke(id)),
  };
}
