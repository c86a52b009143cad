// Owns the shape of a finding about a skill or a source. Does not own the findings themselves: each stage names its own codes.

export type Severity = "error" | "warning" | "info";

/** What is wrong, where, and what to do about it. An `error` means that the skill was skipped. */
export interface Diagnostic {
  /** Stable, kebab-case, for example `yaml-unquoted-colon`. */
  readonly code: string;
  readonly severity: Severity;
  /** The file or folder the finding is about. */
  readonly path: string;
  /** 1-based line in that file, where one is known. */
  readonly line?: number;
  readonly message: string;
  /** The next step for the person who owns the file. */
  readonly fix: string;
}
