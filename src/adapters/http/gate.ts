// Checks the token and the rate of requests, for the API and for MCP. Host and Origin are checked before, in `app.ts`.

import type { HttpBindings } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import { ApiError, bodyFor, statusFor } from "./errors.ts";
import type { HttpLimits } from "./limits.ts";
import { RateLimit } from "./rate-limit.ts";
import { isAuthorised } from "./token.ts";

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
