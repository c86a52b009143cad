// Owns how a language model's failure is told: why, in one line without the key, and the next step. Does not own
// retries nor time limits: the SDK and the callers do.

import { messageOf, RepertoireError } from "../model/errors.ts";
import { oneLine } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";

/** Who was asked. */
export interface Asked {
  readonly kind: string;
  readonly name: string;
  readonly endpoint: string;
  readonly apiKey?: string;
  readonly apiKeyEnv?: string;
}

/** The time limit ran out. */
export class TimeLimitError extends Error {
  constructor() {
    super("it did not answer in time");
    this.name = "TimeLimitError";
  }
}

/** Of a server's own words as much as fits on a line or two; some servers answer with a whole page. */
const REASON_CHARS = 200;

export function modelFailure(asked: Asked, thrown: unknown): RepertoireError {
  // A retry error wraps the last attempt's.
  const last = (thrown as { lastError?: unknown } | undefined)?.lastError ?? thrown;
  const { kind, name, endpoint, apiKey } = asked;
  const status = statusOf(last);
  const why = oneLine(wordsOf(last)).replace(/\.$/, "");
  const short = clip(apiKey ? why.replaceAll(apiKey, "…") : why, REASON_CHARS);
  const reason = status === undefined ? short : `${short} (HTTP ${status})`;
  return new RepertoireError(
    "model-failed",
    `The language model ${kind}/${name} at ${endpoint} failed: ${reason}. ${nextStep(asked, last)}`,
    endpoint,
  );
}

function nextStep({ apiKeyEnv }: Asked, thrown: unknown): string {
  const status = statusOf(thrown);
  const error = thrown instanceof Error ? thrown.name : "";
  if (thrown instanceof TimeLimitError) return 'Ask again, or raise "model.timeoutMs".';
  if (status === 401 || status === 403)
    return apiKeyEnv === undefined
      ? 'Name the environment variable that holds the key in "model.apiKeyEnv".'
      : `Check the key in the environment variable ${apiKeyEnv}.`;
  if (status === 404) return 'Check "model.name" and "model.endpoint".';
  if (status === 402 || status === 429) return "Wait and ask again, or check the account's limits.";
  if (status !== undefined && status >= 500) return "The trouble is the server's own; ask again later.";
  // The answer had begun well.
  const isBroken = status !== undefined && status < 300;
  if (isBroken || /JSONParse|TypeValidation|InvalidResponseData|EmptyResponse/.test(error))
    return 'The answer broke off, or the server does not speak what "model.kind" says; ask again.';
  return 'Check that the server runs and offers the model ("model.endpoint", "model.name").';
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** A server may send its error in the middle of a stream, as plain data. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error || typeof thrown === "string") return messageOf(thrown);
  const message = (thrown as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? message : (JSON.stringify(thrown) ?? "unknown");
}
