// The table of findings of this room: each code, its severity in each profile, and the next step. The code that finds a
// problem writes the sentence about it.

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

/** A fault that is read around, and refused by the strict profile. */
const flaw = (fix: string) => row("warning", "error", fix);

const CODES = {
  "file-too-large": row("error", "error", "Move detail into support files beside SKILL.md and link to them."),
  "file-empty": row("error", "error", "Write front matter with a description, then the instructions."),
  "file-binary": row("error", "error", "Replace the file with plain UTF-8 text."),
  "encoding-utf-16": flaw("Save the file as UTF-8."),
  "encoding-invalid": flaw("Save the file as UTF-8; the broken bytes became \uFFFD."),
  "byte-order-mark": flaw("Save the file as UTF-8 without a byte order mark."),
  "nul-bytes": flaw("Remove the NUL bytes."),
  "line-endings": row("info", "info", "Nothing to do; LF line endings avoid the conversion."),
  "leading-blank-lines": flaw("Delete the blank lines so that --- is the first line."),
  "leading-text": flaw("Move the text below the front matter so that --- is the first line."),
  "front-matter-missing": flaw("Start the file with ---, name, description and ---."),
  "front-matter-unopened": flaw("Put a line --- above the first key."),
  "front-matter-unclosed": flaw("Put a line --- below the last key."),
  "front-matter-code-block": flaw("Remove the ``` lines around the front matter; --- alone fences it."),
  "front-matter-fence": flaw("Write exactly three dashes (---) above and below the front matter."),
  "front-matter-label": flaw("Write --- alone on the first line."),
  "front-matter-language": row(
    "error",
    "error",
    "Rewrite the front matter as YAML between two lines of ---.",
  ),
  "front-matter-too-large": flaw("Move long text from the front matter into the body."),
  "front-matter-not-mapping": flaw("Write the front matter as `key: value` lines."),
  "front-matter-bare": flaw("Correct the YAML, then every key is read again."),
  "yaml-invalid": flaw("Correct the YAML at this line."),
  "yaml-too-deep": flaw("Flatten the nested lists or maps."),
  "yaml-too-many-nodes": flaw("Shorten the lists of the front matter."),
  "yaml-anchor": flaw("Put quotes around the value; anchors and aliases are not read."),
  "yaml-tag": flaw("Put quotes around the value; tags are not read."),
  "yaml-duplicate-key": flaw("Keep one of the two keys."),
  "yaml-control-characters": flaw("Delete the control characters."),
  "yaml-tabs": flaw("Indent with spaces."),
  "yaml-indent": flaw("Delete the blanks or the tab before the key."),
  "yaml-unquoted-colon": flaw("Put quotes around the value, or write it below the key with `|`."),
  "yaml-unquoted-special": flaw("Put quotes around the value."),
  "yaml-flow-style": row(
    "off",
    "warning",
    "Write lists as `- item` lines; the reference validator refuses [..] and {..}.",
  ),
  "description-missing": flaw("Add `description:` that says what the skill does and when to use it."),
  "description-too-long": flaw(
    `Shorten the description to ${SPEC.descriptionChars} characters; detail belongs in the body.`,
  ),
  "name-missing": row("off", "error", "Add `name:` with the folder's name."),
  "name-too-long": flaw(`Shorten the name to ${SPEC.nameChars} characters.`),
  // A name in words, such as "Sven Methodology", is a label for people: the folder gives the identity.
  "name-uppercase": row("info", "error", "Write the name in lower case."),
  "name-hyphens": flaw("Use single hyphens, none at the start or the end."),
  "name-characters": row("info", "error", "Use letters, digits and hyphens only."),
  "name-mismatch": row("off", "error", "Give the folder and `name:` the same name."),
  "compatibility-too-long": flaw("Shorten `compatibility` to 500 characters."),
  "field-invalid": flaw("Write the field as the spec says."),
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

/** Collects the findings about one file. */
export interface Report {
  readonly diagnostics: Diagnostic<ParseCode>[];
  readonly failed: () => boolean;
  /** Whether the profile reports a code at all. */
  readonly hears: (code: ParseCode) => boolean;
  readonly add: (code: ParseCode, message: string, line?: number | undefined) => void;
  /** As `add`, but an error whatever the table says, for example about a description that the source requires. */
  readonly fail: (code: ParseCode, message: string) => void;
}

export function createReport(path: string, profile: Profile): Report {
  const diagnostics: Diagnostic<ParseCode>[] = [];
  const keep = (code: ParseCode, severity: Severity, message: string, line?: number) => {
    const base = { code, severity, path, message, fix: CODES[code].fix };
    diagnostics.push(line === undefined ? base : { ...base, line });
  };
  return {
    diagnostics,
    failed: () => diagnostics.some((diagnostic) => diagnostic.severity === "error"),
    hears: (code) => CODES[code][profile] !== "off",
    add(code, message, line) {
      const severity = CODES[code][profile];
      if (severity !== "off") keep(code, severity, message, line);
    },
    fail: (code, message) => keep(code, "error", message),
  };
}

/** A value as a message shows it: quoted, on one line, cut. */
export function shown(value: string): string {
  const line = value.replace(/\s+/g, " ");
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}
