// How a failure is answered: the HTTP status of each error code, and the body.

import { type ErrorCode, isRepertoireError, messageOf, RepertoireError } from "../../model/errors.ts";
import { systemFailure } from "../system-failure.ts";

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502 | 503;

/** The codes of each status; every other code is 400. */
export const ERROR_STATUS: Readonly<Partial<Record<ErrorStatus, readonly ErrorCode[]>>> = {
  401: ["unauthorised", "token-refused"],
  403: [
    "host-refused",
    "origin-refused",
    "read-only",
    "role-insufficient",
    "consent-denied",
    "consent-refused",
    "not-consented",
    "no-sandbox",
    "skill-not-learned",
    "skill-pinned",
    "skill-covered",
    "skill-not-writable",
    "skill-suspicious",
    "skill-protected",
    "skill-unsafe",
  ],
  404: [
    "not-found",
    "file-not-found",
    "job-not-found",
    "no-history",
    "catalog-unknown",
    "host-unknown",
    "package-not-found",
    "path-not-found",
    "proposal-not-found",
    "session-not-found",
    "turn-not-found",
    "skill-not-found",
    "slash-unknown",
    "source-not-found",
    "task-not-found",
    "trust-not-found",
    "unknown-tool",
    "version-not-found",
  ],
  405: ["method-not-allowed"],
  409: [
    "consent-required",
    "consent-stale",
    "dream-nothing-new",
    "exclusive-within-exclusive",
    "folder-taken",
    "job-running",
    "model-missing",
    "mount-conflict",
    "not-activated",
    "nothing-to-redo",
    "nothing-to-undo",
    "package-changed",
    "proposal-decided",
    "proposal-not-accepted",
    "skill-changed",
    "skill-exists",
    "choice-needed",
    "lock-mismatch",
    "package-refused",
    "update-conflict",
    "version-conflict",
    "undo-conflict",
  ],
  413: ["too-large"],
  415: ["not-json"],
  429: ["too-many-requests", "too-many-streams"],
  500: [
    "change-failed",
    "config-not-json",
    "config-unwritable",
    "database-too-new",
    "disk-full",
    "embedder-endpoint-missing",
    "embedder-package-missing",
    "embedding-table-unreadable",
    "file-unusable",
    "home-unknown",
    "model-key-missing",
    "mount-failed",
    "no-sqlite",
    "store-unusable",
    "change-unsettled",
    "commit-uncertain",
    "git-missing",
    "lock-unreadable",
    "unexpected",
    "version-damaged",
  ],
  502: ["model-failed", "model-incomplete", "source-unreachable", "source-too-large"],
  503: ["database-away", "lease-lost", "not-ready", "store-busy"],
};

const STATUS_OF = new Map(
  Object.entries(ERROR_STATUS).flatMap(([status, codes]) =>
    codes.map((code) => [code, Number(status) as ErrorStatus] as const),
  ),
);

/** A failure that is answered with more than its error: a consent sheet, the issues of a request. */
export class ApiError extends RepertoireError {
  readonly more: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    parts: {
      readonly value?: unknown;
      readonly more?: Readonly<Record<string, unknown>>;
      readonly issues?: readonly Issue[];
    } = {},
  ) {
    super(code, message, parts.value);
    this.more = parts.more ?? {};
    this.issues = parts.issues;
  }
}

export interface Issue {
  /** `body.message`, `query.limit`. */
  readonly path: string;
  readonly message: string;
}

interface ErrorBody {
  readonly error: Pick<ApiError, "code" | "message"> & Partial<Pick<ApiError, "value" | "issues">>;
  readonly [more: string]: unknown;
}

export function statusFor(thrown: unknown): ErrorStatus {
  return isRepertoireError(thrown) ? (STATUS_OF.get(thrown.code) ?? 400) : 500;
}

/** The body of the answer. Details of an unexpected failure go to the server's own output only. */
export function bodyFor(thrown: unknown, note: (text: string) => void): ErrorBody {
  if (!isRepertoireError(thrown)) {
    note(messageOf(thrown));
    const system = systemFailure(thrown);
    if (system !== undefined) {
      const message = `${system.message} Make room or give permission, then try again.`;
      return { error: { code: system.code, message, value: system.path } };
    }
    const message = "The request failed; the server's own output says why.";
    return { error: { code: "unexpected", message } };
  }
  const { code, message, value } = thrown;
  const own = thrown instanceof ApiError ? thrown : undefined;
  return {
    error: { code, message, value, issues: own?.issues },
    ...own?.more,
  };
}
