// Checks the token and the rate of requests, for the API and for MCP; creates the token at the first start. Host and
// Origin are checked before, in `app.ts`.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import {
  type FleetCallers,
  makeFolder,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  readBounded,
  type TokenRole,
} from "../../engine/engine.ts";
import { codeOf, isRepertoireError, RepertoireError } from "../../model/errors.ts";
import { ApiError, bodyFor, statusFor } from "./errors.ts";
import type { HttpLimits } from "./limits.ts";

/** What a request carries besides itself. */
export interface HttpEnv {
  /** From the HTTP server of Node. */
  Bindings: HttpBindings;
  Variables: {
    /** The path of the operation that answered, for the metrics. */
    route?: string;
    /** Set if our own page sent the request, instead of a program with the token. */
    isPage?: boolean;
    /** Set if an agent sent the request with a token of the fleet. */
    agent?: FleetAgent;
  };
}

/** Who asks with a token of the fleet. */
interface FleetAgent {
  readonly id: string;
  readonly role: TokenRole;
  /** Does the work in the agent's name. */
  readonly as: <T>(work: () => T) => T;
}

interface GateOptions {
  readonly token: string;
  /** Tokens of the fleet; undefined without one. */
  readonly callers: () => Promise<FleetCallers | undefined>;
  /** Whether a browser that the person let in sent the request. */
  readonly isPage: (c: Context<HttpEnv>) => boolean;
  readonly limits: HttpLimits;
  readonly note: (text: string) => void;
}

type SecondsToWait = ReturnType<typeof rateLimit>;

export class Gate {
  private readonly options: GateOptions;
  private readonly strangers: SecondsToWait;
  /** Agents talk in many small messages; what they use up is not missing to the person's page. */
  private readonly known: Readonly<Record<"api" | "mcp", SecondsToWait>>;

  constructor(options: GateOptions) {
    this.options = options;
    const { callers, burst, perSecond, mcpBurst, mcpPerSecond, ...limits } = options.limits;
    this.known = {
      api: rateLimit({ burst, perSecond, callers }),
      mcp: rateLimit({ burst: mcpBurst, perSecond: mcpPerSecond, callers }),
    };
    const { strangerBurst, strangerPerSecond } = limits;
    this.strangers = rateLimit({ burst: strangerBurst, perSecond: strangerPerSecond, callers });
  }

  /**
   * The refusal, if there is one. One who guesses tokens is slowed down whatever they send and wherever; the person is
   * not slowed down by them.
   */
  async refused(c: Context<HttpEnv>, way: "api" | "mcp"): Promise<Response | undefined> {
    const isPage = way === "api" && this.options.isPage(c);
    c.set("isPage", isPage);
    const given = bearerIn(c.req.header("authorization"));
    const isOwn = isPage || (given !== undefined && isSame(given, this.options.token));
    const callers =
      !isOwn && given?.startsWith(FLEET_TOKEN) === true ? await this.options.callers() : undefined;
    const isKnown = isOwn || callers?.knows(given!) === true;
    const slowedDown = this.slowedDown(c, isKnown ? this.known[way] : this.strangers);
    if (slowedDown || isOwn) return slowedDown;
    try {
      if (callers === undefined)
        throw new ApiError("unauthorised", "Send the token: Authorization: Bearer TOKEN.");
      const { id, role } = await callers.admit(given!);
      c.set("agent", { id, role, as: (work) => callers.as(given!, work) });
      return undefined;
    } catch (thrown) {
      if (!isRepertoireError(thrown)) throw thrown;
      if (statusFor(thrown) === 401) c.header("WWW-Authenticate", 'Bearer realm="repertoire"');
      return this.fail(c, thrown);
    }
  }

  /** The refusal of one who asks too often; a stranger unless another rate is given. */
  slowedDown(c: Context<HttpEnv>, rate: SecondsToWait = this.strangers): Response | undefined {
    const seconds = rate(getConnInfo(c).remote.address ?? "");
    if (seconds === 0) return undefined;
    c.header("Retry-After", String(seconds));
    return this.fail(c, new ApiError("too-many-requests", `Too many requests. Try again in ${seconds} s.`));
  }

  private fail(c: Context<HttpEnv>, error: RepertoireError): Response {
    return c.json(bodyFor(error, this.options.note), statusFor(error));
  }
}

interface Rate {
  /** How many at once. */
  readonly burst: number;
  readonly perSecond: number;
  /** Callers that are remembered. */
  readonly callers: number;
  readonly now?: () => number;
}

/**
 * Limits the requests of each caller with a token bucket. Returns 0 if the caller may continue, else the whole seconds until
 * it may.
 */
export function rateLimit({ burst, perSecond, callers, now: time = () => performance.now() }: Rate) {
  /** In the order of the last request, so that the first one is the longest silent. */
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  return (caller: string): number => {
    const now = time();
    const before = buckets.get(caller) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, before.tokens + ((now - before.at) / 1000) * perSecond);
    const isAllowed = tokens >= 1;
    buckets.delete(caller);
    buckets.set(caller, { tokens: isAllowed ? tokens - 1 : tokens, at: now });
    if (buckets.size > callers) buckets.delete(buckets.keys().next().value!);
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}

const TOKEN_BYTES = 32;
/** A token that a person wrote may be longer than ours. */
const TOKEN_FILE_BYTES = 4096;

/** The token in a file that is readable by the user only, created if there is none; two first starts at the same time get the same one. */
export function tokenAt(path: string): string {
  makeFolder(dirname(path), PRIVATE_FOLDER);
  try {
    writeFileSync(path, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, {
      mode: PRIVATE_FILE,
      flag: "wx",
    });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  const token = readBounded(path, { maxBytes: TOKEN_FILE_BYTES }).toString("utf8").trim();
  if (token.length >= TOKEN_BYTES) return token;
  throw new RepertoireError(
    "token-unusable",
    `${path} contains no usable token. Remove the file and start again.`,
    path,
  );
}

/** How a token of a fleet begins. */
const FLEET_TOKEN = "rpt_";

function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
}

/** Digests are compared, so that not even the length shows. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
