// The shape of a problem found in a skill or a source, and the codes of problems in a SKILL.md.

export type Severity = "error" | "warning" | "info";

/** A problem, its place and its fix. An `error` means that the skill was skipped. */
export interface Diagnostic<Code extends string = string> {
  /** Stable, kebab-case, for example `yaml-unquoted-colon`. */
  readonly code: Code;
  readonly severity: Severity;
  /** The file or folder with the problem. */
  readonly path: string;
  /** 1-based line in that file, if known. */
  readonly line?: number | undefined;
  readonly message: string;
  /** The next step for the person who owns the file. */
  readonly fix: string;
}

/** The number of findings that somebody should correct. */
export interface FindingCounts {
  readonly errors: number;
  readonly warnings: number;
}

export function countFindings(diagnostics: readonly Diagnostic[]): FindingCounts {
  const count = (severity: Severity) => diagnostics.filter((finding) => finding.severity === severity).length;
  return { errors: count("error"), warnings: count("warning") };
}

/** The codes of problems in a SKILL.md. If one prevents saving a skill, the error has the same code. */
export const SKILL_FILE_CODES = [
  "file-too-large",
  "file-empty",
  "file-binary",
  "encoding-utf-16",
  "encoding-invalid",
  "byte-order-mark",
  "nul-bytes",
  "line-endings",
  "leading-blank-lines",
  "leading-text",
  "front-matter-missing",
  "front-matter-unopened",
  "front-matter-unclosed",
  "front-matter-code-block",
  "front-matter-fence",
  "front-matter-label",
  "front-matter-language",
  "front-matter-too-large",
  "front-matter-not-mapping",
  "front-matter-bare",
  "yaml-invalid",
  "yaml-too-deep",
  "yaml-too-many-nodes",
  "yaml-anchor",
  "yaml-tag",
  "yaml-duplicate-key",
  "yaml-control-characters",
  "yaml-tabs",
  "yaml-indent",
  "yaml-unquoted-colon",
  "yaml-unquoted-special",
  "yaml-flow-style",
  "description-missing",
  "description-too-long",
  "name-missing",
  "name-too-long",
  "name-uppercase",
  "name-hyphens",
  "name-characters",
  "name-mismatch",
  "compatibility-too-long",
  "field-invalid",
  "field-unexpected",
  "field-type",
  "frame-unknown",
  "requirement-not-env",
  "list-truncated",
  "body-empty",
] as const;
export type SkillFileCode = (typeof SKILL_FILE_CODES)[number];
