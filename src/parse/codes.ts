// Owns every finding of the parse stage: its code, how much it weighs in each profile, and the next step.
// Does not own the sentence that describes one case: the place that finds it writes that.

import type { Diagnostic, Severity, SkillFileCode } from "../model/diagnostic.ts";
import { SPEC } from "../package/package.ts";

export type Profile = "lenient" | "strict";

interface CodeRow {
  readonly lenient: Severity | "off";
  readonly strict: Severity | "off";
  readonly fix: string;
}

const row = (lenient: CodeRow["lenient"], strict: CodeRow["strict"], fix: string): CodeRow => ({
  lenient,
  strict,
  fix,
});

const CODES = {
  "file-too-large": row("error", "error", "Move detail into support files beside SKILL.md and link to them."),
  "file-empty": row("error", "error", "Write front matter with a description, then the instructions."),
  "file-binary": row("error", "error", "Replace the file with plain UTF-8 text."),
  "encoding-utf-16": row("warning", "error", "Save the file as UTF-8."),
  "encoding-invalid": row("warning", "error", "Save the file as UTF-8; the broken bytes became \uFFFD."),
  "byte-order-mark": row("warning", "error", "Save the file as UTF-8 without a byte order mark."),
  "nul-bytes": row("warning", "error", "Remove the NUL bytes."),
  "line-endings": row("info", "info", "Nothing to do; LF line endings avoid the conversion."),
  "leading-blank-lines": row("warning", "error", "Delete the blank lines so that --- is the first line."),
  "leading-text": row(
    "warning",
    "error",
    "Move the text below the front matter so that --- is the first line.",
  ),
  "front-matter-missing": row("warning", "error", "Start the file with ---, name, description and ---."),
  "front-matter-unopened": row("warning", "error", "Put a line --- above the first key."),
  "front-matter-unclosed": row("warning", "error", "Put a line --- below the last key."),
  "front-matter-code-block": row(
    "warning",
    "error",
    "Remove the ``` lines around the front matter; --- alone fences it.",
  ),
  "front-matter-label": row("warning", "error", "Write --- alone on the first line."),
  "front-matter-language": row(
    "error",
    "error",
    "Rewrite the front matter as YAML between two lines of ---.",
  ),
  "front-matter-too-large": row("warning", "error", "Move long text from the front matter into the body."),
  "front-matter-not-mapping": row("warning", "error", "Write the front matter as `key: value` lines."),
  "front-matter-bare": row("warning", "error", "Mend the YAML, then every key is read again."),
  "yaml-invalid": row("warning", "error", "Mend the YAML at this line."),
  "yaml-too-deep": row("warning", "error", "Flatten the nested lists or maps."),
  "yaml-too-many-nodes": row("warning", "error", "Shorten the lists of the front matter."),
  "yaml-anchor": row("warning", "error", "Put quotes around the value; anchors and aliases are not read."),
  "yaml-tag": row("warning", "error", "Put quotes around the value; tags are not read."),
  "yaml-duplicate-key": row("warning", "error", "Keep one of the two keys."),
  "yaml-control-characters": row("warning", "error", "Delete the control characters."),
  "yaml-tabs": row("warning", "error", "Indent with spaces."),
  "yaml-unquoted-colon": row(
    "warning",
    "error",
    "Put quotes around the value, or write it below the key with `|`.",
  ),
  "yaml-unquoted-special": row("warning", "error", "Put quotes around the value."),
  "yaml-flow-style": row(
    "off",
    "warning",
    "Write lists as `- item` lines; the reference validator refuses [..] and {..}.",
  ),
  "description-missing": row(
    "warning",
    "error",
    "Add `description:` that says what the skill does and when to use it.",
  ),
  "description-too-long": row(
    "warning",
    "error",
    `Shorten the description to ${SPEC.descriptionChars} characters; detail belongs in the body.`,
  ),
  "name-missing": row("off", "error", "Add `name:` with the folder's name."),
  "name-too-long": row("warning", "error", `Shorten the name to ${SPEC.nameChars} characters.`),
  "name-uppercase": row("warning", "error", "Write the name in lower case."),
  "name-hyphens": row("warning", "error", "Use single hyphens, none at the start or the end."),
  "name-characters": row("warning", "error", "Use letters, digits and hyphens only."),
  "name-mismatch": row("off", "error", "Give the folder and `name:` the same name."),
  "compatibility-too-long": row("warning", "error", "Shorten `compatibility` to 500 characters."),
  "field-invalid": row("warning", "error", "Write the field as the spec says."),
  "field-unexpected": row("off", "error", "Move these keys below `metadata:`; they are read there too."),
  "field-type": row("warning", "warning", "Write the value in the form that the front-matter table shows."),
  "frame-unknown": row("info", "info", "Use task, debug, decision, question, creative or conversation."),
  "requirement-not-env": row(
    "warning",
    "warning",
    "Name environment variables, such as API_KEY; binaries belong in `requires.bins`.",
  ),
  "list-truncated": row("warning", "warning", "Shorten the list."),
  "body-empty": row("warning", "warning", "Write the instructions below the front matter."),
} as const satisfies Record<SkillFileCode, CodeRow>;

export type ParseCode = SkillFileCode;

/** One row a code, for the documentation. */
export function diagnosticTable(): readonly {
  code: ParseCode;
  lenient: string;
  strict: string;
  fix: string;
}[] {
  return (Object.keys(CODES) as ParseCode[]).map((code) => ({ code, ...CODES[code] }));
}

interface Finding {
  readonly message: string;
  readonly line?: number | undefined;
  /** Weighs more here than the table says, for example a description that the source requires. */
  readonly severity?: Severity;
}

/** Collects the findings about one file. */
export interface Report {
  readonly diagnostics: Diagnostic<ParseCode>[];
  readonly failed: () => boolean;
  /** Whether the profile cares for a code at all. */
  readonly hears: (code: ParseCode) => boolean;
  readonly add: (code: ParseCode, finding: Finding) => void;
}

export function createReport(path: string, profile: Profile): Report {
  const diagnostics: Diagnostic<ParseCode>[] = [];
  return {
    diagnostics,
    failed: () => diagnostics.some((diagnostic) => diagnostic.severity === "error"),
    hears: (code) => weight(code, profile) !== "off",
    add(code, finding) {
      const severity = finding.severity ?? weight(code, profile);
      if (severity === "off") return;
      const { message, line } = finding;
      const base = { code, severity, path, message, fix: CODES[code].fix };
      diagnostics.push(line === undefined ? base : { ...base, line });
    },
  };
}

function weight(code: ParseCode, profile: Profile): Severity | "off" {
  return CODES[code][profile];
}

/** A value as a message shows it: quoted, on one line, cut. */
export function shown(value: string): string {
  const line = value.replace(/\s+/g, " ");
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
