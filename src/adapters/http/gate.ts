// Checks the token and the rate of requests, for the API and for MCP; creates the token at the first start. Host and
// Origin are checked before, in `app.ts`.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import { codeOf, RepertoireError } from "../../model/errors.ts";
import { ApiError, bodyFor, statusFor } from "./errors.ts";
import type { HttpLimits } from "./limits.ts";

/** What a request carries besides itself. */
export interface HttpEnv {
  /** From the HTTP server of Node. */
  Bindings: HttpBindings;
  Variables: {
    /** The path of the operation that answered, for the metrics. */
    route?: string;
  };
}

interface GateOptions {
  readonly token: string;
  readonly limits: HttpLimits;
  readonly note: (text: string) => void;
}

export class Gate {
  private readonly options: GateOptions;
  private readonly strangers: RateLimit;
  /** Agents talk in many small messages; what they use up is not missing to the person's page. */
  private readonly known: Readonly<Record<"api" | "mcp", RateLimit>>;

  constructor(options: GateOptions) {
    this.options = options;
    const { limits } = options;
    const { callers } = limits;
    this.known = {
      api: new RateLimit({ burst: limits.burst, perSecond: limits.perSecond }, { callers }),
      mcp: new RateLimit({ burst: limits.mcpBurst, perSecond: limits.mcpPerSecond }, { callers }),
    };
    this.strangers = new RateLimit(
      { burst: limits.strangerBurst, perSecond: limits.strangerPerSecond },
      { callers },
    );
  }

  /**
   * The refusal, if there is one. One who guesses tokens is slowed down whatever they send and wherever; the person is
   * not slowed down by them.
   */
  refused(c: Context<HttpEnv>, way: "api" | "mcp"): Response | undefined {
    const isKnown = isAuthorised(c.req.header("authorization"), this.options.token);
    const rate = isKnown ? this.known[way] : this.strangers;
    const seconds = rate.secondsToWait(getConnInfo(c).remote.address ?? "");
    if (seconds > 0) {
      c.header("Retry-After", String(seconds));
      return this.fail(c, new ApiError("too-many-requests", `Too many requests. Try again in ${seconds} s.`));
    }
    if (isKnown) return undefined;
    c.header("WWW-Authenticate", 'Bearer realm="repertoire"');
    return this.fail(c, new ApiError("unauthorised", "Send the token: Authorization: Bearer TOKEN."));
  }

  private fail(c: Context<HttpEnv>, error: ApiError): Response {
    return c.json(bodyFor(error, this.options.note), statusFor(error));
  }
}

interface Rate {
  /** How many at once. */
  readonly burst: number;
  readonly perSecond: number;
}

/** Limits the requests of each caller with a token bucket. */
export class RateLimit {
  private readonly rate: Rate;
  private readonly callers: number;
  private readonly now: () => number;
  /** In the order of the last request, so that the first one is the longest silent. */
  private readonly buckets = new Map<string, { readonly tokens: number; readonly at: number }>();

  constructor(rate: Rate, options: { readonly callers: number; readonly now?: () => number }) {
    this.rate = rate;
    this.callers = options.callers;
    this.now = options.now ?? (() => performance.now());
  }

  /** 0 if the caller may continue, else the whole seconds until it may. */
  secondsToWait(caller: string): number {
    const { burst, perSecond } = this.rate;
    const now = this.now();
    const before = this.buckets.get(caller) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, before.tokens + ((now - before.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    this.buckets.delete(caller);
    this.buckets.set(caller, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    if (this.buckets.size > this.callers) this.buckets.delete(this.buckets.keys().next().value!);
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}

const TOKEN_BYTES = 32;

/** The token in the folder, readable by the user only, created if there is none; two first starts at the same time get the same one. */
export function tokenIn(directory: string): { readonly token: string; readonly path: string } {
  const path = join(directory, "token");
  mkdirSync(directory, { recursive: true });
  try {
    writeFileSync(path, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  const token = readFileSync(path, "utf8").trim();
  if (token.length >= TOKEN_BYTES) return { token, path };
  throw new RepertoireError(
    "token-unusable",
    `${path} contains no usable token. Remove the file and start again.`,
    path,
  );
}

/** Whether an `Authorization` header carries the token. Digests are compared, so that not even the length shows. */
function isAuthorised(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
