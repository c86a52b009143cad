// Owns the one error class that crosses stages. Does not own messages: the place that fails writes them, with the next step.

/** An expected failure: a code for programs, the offending value, and a message that says what to do next. */
export class RepertoireError extends Error {
  readonly code: string;
  readonly value: unknown;

  constructor(code: string, message: string, value?: unknown) {
    super(message);
    this.name = "RepertoireError";
    this.code = code;
    this.value = value;
  }
}

export function isRepertoireError(error: unknown): error is RepertoireError {
  return error instanceof RepertoireError;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system or Repertoire error, or an empty string. */
export function codeOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
