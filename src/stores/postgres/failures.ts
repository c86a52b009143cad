// Says in words what went wrong with the database, and what to do next. No address of it has its password.

import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../../model/errors.ts";

/** The connection could not be made or ended: the server may be back in a moment. */
const AWAY: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "DEADLINE",
  // Too many connections, not enough memory or disk.
  "53100",
  "53200",
  "53300",
  // Shut down, crashed, starting; the standby of a fail-over takes no writes yet.
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "25006",
]);

/** What to do about the errors that the server itself reports when one logs in or lacks a right. */
const REFUSED: Readonly<Record<string, string>> = {
  "28P01":
    "the password of this login is wrong. Set REPERTOIRE_DATABASE_URL to an address with the right one",
  "28000":
    "this login is not allowed. Check its name, and that pg_hba.conf of the server lets it in from here",
  "3D000": "there is no such database. Make it with `createdb`, or correct the name in the address",
  "42501":
    "this login lacks a right. The schema is made and updated by a login that may create schemas and roles; every other login must be a member of repertoire_node",
  "08P01":
    "the server refused what the client sent. A connection pool must be in transaction mode or transparent",
};

/** The code of the schema for a claim that is none. */
const CLAIM_REFUSED = "RP002";

/** Somebody else held a lock for too long. */
const LOCK_NOT_AVAILABLE = "55P03";

/** What was thrown when a transaction took longer than it may. */
export function deadline(ms: number): Error {
  return Object.assign(new Error(`no answer within ${ms / 1000} s`), { code: "DEADLINE" });
}

/** Whether the database cannot be reached now, in contrast to having said no. */
export function isAway(error: unknown): boolean {
  if (isRepertoireError(error)) return error.code === "database-away";
  const code = codeOf(error);
  return AWAY.has(code) || code.startsWith("08");
}

/** The expected failure that a driver's error stands for; anything else as it is. `server` is the address without secrets. */
export function explained(error: unknown, server: string): unknown {
  if (isRepertoireError(error)) return error;
  const code = codeOf(error);
  const told = REFUSED[code];
  if (code === "42501" && /row-level security|only a|only an/.test(messageOf(error)))
    return new RepertoireError(
      "role-insufficient",
      `The token's role does not allow this in ${server} (${messageOf(error)}). Ask an owner for a token of a higher role: repertoire token create --role writer.`,
      server,
    );
  if (code === CLAIM_REFUSED)
    return new RepertoireError(
      "token-refused",
      `${server} does not accept the token: it is unknown, expired or revoked. Ask an owner for a new one (repertoire token create) and set REPERTOIRE_DATABASE_TOKEN.`,
      server,
    );
  if (code === LOCK_NOT_AVAILABLE)
    return new RepertoireError(
      "store-busy",
      `Another transaction in ${server} holds what this has to change, perhaps a backup. Wait for it or end it, then try again; nothing was changed.`,
      server,
    );
  if (told !== undefined)
    return new RepertoireError("database-refused", `${server}: ${told} (${messageOf(error)}).`, server);
  if (isAway(error))
    return new RepertoireError(
      "database-away",
      `The database ${server} cannot be reached (${messageOf(error) || code}). Recall goes on without it. Check that the server runs and that its host and port are right; it is used again by itself once it answers.`,
      server,
    );
  return error;
}

/** The address of a server for messages: without user, password and options. */
export function serverOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname || "localhost"}:${port || 5432}${pathname}`;
  } catch {
    throw new RepertoireError(
      "database-refused",
      "What is set as the address of the database is not an address. It has the form postgres://user:password@host:5432/database; characters such as @ and / in the password are written as %40 and %2F.",
    );
  }
}
