// Turns the failure of a language model into an error: the reason in one line, without the key, and the next step.

import { messageOf, RepertoireError } from "../model/errors.ts";
import { oneLine } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";

interface ModelAddress {
  readonly kind: string;
  readonly name: string;
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
}

/** Thrown after the time limit. */
export class TimeLimitError extends Error {
  constructor() {
    super("it did not answer in time");
    this.name = "TimeLimitError";
  }
}

/** The longest part of a server's message that is shown; some servers send a whole page. */
const REASON_CHARS = 200;

/** The error for anything that a call of the model threw. */
export function modelFailure(address: ModelAddress, thrown: unknown): RepertoireError {
  // A retry error wraps the error of the last attempt.
  const last = (thrown as { lastError?: unknown } | undefined)?.lastError ?? thrown;
  const { kind, name, endpoint, apiKey } = address;
  const status = statusOf(last);
  const why = oneLine(reasonOf(last)).replace(/\.$/, "");
  const short = clip(apiKey ? why.replaceAll(apiKey, "…") : why, REASON_CHARS);
  const reason = status === undefined ? short : `${short} (HTTP ${status})`;
  return new RepertoireError(
    "model-failed",
    `The language model ${kind}/${name} at ${endpoint} failed: ${reason}. ${nextStep(address, last)}`,
    endpoint,
  );
}

function nextStep({ apiKeyEnv }: ModelAddress, thrown: unknown): string {
  const status = statusOf(thrown);
  const error = thrown instanceof Error ? thrown.name : "";
  if (thrown instanceof TimeLimitError) return 'Try again, or increase "model.timeoutMs".';
  if (status === 401 || status === 403)
    return apiKeyEnv === undefined
      ? 'Name the environment variable that holds the key in "model.apiKeyEnv".'
      : `Check the key in the environment variable ${apiKeyEnv}.`;
  if (status === 404) return 'Check "model.name" and "model.endpoint".';
  if (status === 402 || status === 429) return "Wait and try again, or check the limits of the account.";
  if (status !== undefined && status >= 500) return "The server has a problem; try again later.";
  // The server began to answer.
  const isBroken = status !== undefined && status < 300;
  if (isBroken || /JSONParse|TypeValidation|InvalidResponseData|EmptyResponse/.test(error))
    return 'The answer is incomplete, or the server does not use the protocol of "model.kind"; try again.';
  return 'Check that the server is running and has the model ("model.endpoint", "model.name").';
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** The reason may also be data: a server may send an error in the middle of a stream. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error || typeof thrown === "string") return messageOf(thrown);
  const message = (thrown as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? message : (JSON.stringify(thrown) ?? "unknown");
}
