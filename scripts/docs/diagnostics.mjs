// Owns what each diagnostic means, for people. Severity and fix of the parse stage come from its own table; for the
// other stages they stand here. A code that is reported but not explained here, or the reverse, stops the generation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PARSE = {
  "file-too-large": "The `SKILL.md` has more than 256 KB and is not read.",
  "file-empty": "The file holds nothing but white space.",
  "file-binary": "The file is not text.",
  "encoding-utf-16": "The file is UTF-16; it was converted.",
  "encoding-invalid": "Some bytes are not UTF-8.",
  "byte-order-mark": "The file begins with an invisible byte order mark.",
  "nul-bytes": "The text holds NUL bytes; they were removed.",
  "line-endings": "Lines end with CRLF or CR; they are read as LF.",
  "leading-blank-lines": "There are blank lines before the front matter.",
  "leading-text": "There is text before the front matter.",
  "front-matter-missing": "The file has no front matter at all.",
  "front-matter-unopened": "The opening `---` is missing.",
  "front-matter-unclosed":
    "The closing `---` is missing; the front matter was taken to end where its keys end.",
  "front-matter-code-block": "The front matter is in a code block.",
  "front-matter-fence": "The lines around the front matter are not three dashes.",
  "front-matter-label": "There is text behind the opening `---`, such as `---yaml`.",
  "front-matter-language":
    "The fence names a language that is not YAML, such as `---js`. Nothing is ever executed.",
  "front-matter-too-large": "The front matter is longer than 32,768 characters.",
  "front-matter-not-mapping": "The front matter is a list or a text, not `key: value` lines.",
  "front-matter-bare": "The YAML could not be repaired; only `name` and `description` were taken from it.",
  "yaml-invalid": "The YAML is broken in a way that no other code names.",
  "yaml-too-deep": "Lists and maps nest more than 32 levels deep.",
  "yaml-too-many-nodes": "The front matter has more than 4,000 keys, values and items.",
  "yaml-anchor": "A value begins with `&` or `*`, which YAML takes for an anchor or alias.",
  "yaml-tag": "A value begins with `!`, which YAML takes for a tag.",
  "yaml-duplicate-key": "A key occurs twice; the later one was taken.",
  "yaml-control-characters": "The front matter holds control characters; they were removed.",
  "yaml-tabs": "Lines are indented with tabs.",
  "yaml-indent": "A key of the specification is indented below a key that has its value already.",
  "yaml-unquoted-colon": "A value holds `: ` without quotes, which YAML takes for another key.",
  "yaml-unquoted-special":
    "A value begins with a character that means something in YAML, such as `@` or `[`.",
  "yaml-flow-style": "A list or map is written in brackets.",
  "description-missing": "There is no `description`; the body's first paragraph serves, if there is one.",
  "description-too-long": "The description is longer than 1,024 characters.",
  "name-missing": "There is no `name`; the folder names the skill.",
  "name-too-long": "The declared name is longer than 64 characters.",
  "name-uppercase": "The declared name has capital letters.",
  "name-hyphens": "The declared name begins or ends with a hyphen or has two in a row.",
  "name-characters": "The declared name has characters other than letters, digits and hyphens.",
  "name-mismatch": "The declared name differs from the folder's; it is an alias then.",
  "compatibility-too-long": "`compatibility` is longer than 500 characters.",
  "field-invalid": "A field of the open specification has another type than it says.",
  "field-unexpected": "The open specification does not know these keys at the top level.",
  "field-type": "A value has a form that its key cannot take; it was left out.",
  "frame-unknown": "A frame is none of the six.",
  "requirement-not-env":
    "An entry of `requires` is not the name of an environment variable; it is not checked.",
  "list-truncated":
    "A list has more than 256 entries, or an entry more than 1,024 characters; the rest was cut.",
  "body-empty": "There are no instructions below the front matter.",
};

const row = (weight, meaning, fix) => ({ weight, meaning, fix });

const OTHERS = {
  discover: {
    "source-unknown": row(
      "warning",
      "The configuration names a source that there is not, in `sources.only` for example; its skills are missing then.",
      "Write the id as `repertoire sources` does.",
    ),
    "depth-limit": row(
      "warning",
      "A folder lies deeper than 32 levels; it is not searched.",
      "Move the skills closer to the source's root.",
    ),
    "entry-limit": row(
      "warning",
      "A source holds more than 200,000 files and folders; the rest is not searched.",
      "Move what is not a skill out of the source.",
    ),
    "unreadable-folder": row("warning", "A folder cannot be read.", "Check its permissions."),
    "two-skill-files": row(
      "warning",
      "A folder holds `SKILL.md` in two spellings; one is read.",
      "Remove the other one.",
    ),
    "not-a-file": row(
      "warning",
      "`SKILL.md` is a folder, a pipe, a device or a broken link.",
      "Replace it with a Markdown file.",
    ),
    "link-into-source": row(
      "info",
      "A link leads into another source, which provides the skill itself.",
      "Nothing.",
    ),
    "link-outside-source": row(
      "warning",
      "A link leads out of its source; it is not followed.",
      "Add the source to `sources.trustLinks` if you trust where it leads.",
    ),
  },
  library: {
    shadowed: row(
      "info",
      "A skill of the same name in a later source covers this one.",
      "Nothing if that is meant; otherwise rename one of the two folders.",
    ),
    "duplicate-name": row(
      "warning",
      "Two folders of one source become the same name.",
      "Rename one of the two folders.",
    ),
    "alias-ambiguous": row(
      "warning",
      "Two skills declare the same `name`; it leads to the later one.",
      "Give one another `name`, or call them by their paths.",
    ),
    "name-empty": row(
      "warning",
      "The folder's name has no letter or digit (a-z, 0-9); the skill is skipped.",
      "Rename the folder.",
    ),
    "name-traversal": row(
      "warning",
      "The folder's name is `.` or `..`; the skill is skipped.",
      "Rename the folder.",
    ),
    "name-confusable": row(
      "warning",
      "The folder's name uses letters that only look like ASCII ones; the skill is skipped.",
      "Rename the folder with ASCII letters.",
    ),
    "name-too-long": row(
      "warning",
      "The folder's name is longer than 255 characters; the skill is skipped.",
      "Rename the folder.",
    ),
    "file-too-large": row(
      "error",
      "The `SKILL.md` has more than 256 KB; it is not opened.",
      "Move details into files beside it and point to them.",
    ),
    "unreadable-file": row(
      "error",
      "The file cannot be read.",
      "Check that it is a regular file and that you may read it.",
    ),
  },
  recall: {
    "trigger-pattern": row(
      "warning",
      "A trigger pattern is not a regular expression that runs in linear time; it is not used.",
      "Write it in RE2 syntax, without look-around and back-references.",
    ),
    "trigger-conflict": row(
      "info",
      "Several skills claim the same trigger.",
      "Nothing if their texts tell them apart; otherwise make one trigger more specific.",
    ),
  },
  tools: {
    "script-not-found": row(
      "warning",
      "The front matter lists a script that the package does not have.",
      "Add the file, or correct the entry below `scripts:`.",
    ),
    "version-invalid": row(
      "warning",
      "`version` is not a version.",
      "Write a semantic version, such as 1.0.0.",
    ),
    "description-long": row(
      "info",
      "The description has more than 500 characters, which is all that some agents read.",
      "Put what matters for choosing the skill first, or shorten it.",
    ),
    "toolset-path-refused": row(
      "warning",
      "A toolset's path is absolute, a URL, or leaves the package.",
      "Write `toolsets/index:ExportName`.",
    ),
    "toolset-entry-invalid": row(
      "warning",
      "What stands behind the colon is not a name that a module can export.",
      "Write `toolsets/index:ExportName`.",
    ),
    "toolset-not-found": row(
      "warning",
      "The package has no such module.",
      "Add the file or correct the entry.",
    ),
    "toolset-load-failed": row(
      "warning",
      "The module threw while it was loaded, or ended its process.",
      "Make it load; it may import `repertoire/tools`, `zod`, Node's modules, files of the package and installed packages.",
    ),
    "toolset-no-sandbox": row(
      "warning",
      "This machine has no sandbox, so no code of the package was run.",
      "Install one, or allow this content in `scripts.unsandboxed`.",
    ),
    "toolset-load-timeout": row(
      "warning",
      "The module took too long to load.",
      "Wait inside `execute`, not at the top of the module.",
    ),
    "toolset-export-missing": row(
      "warning",
      "The module does not export that name.",
      "Export it or correct the entry.",
    ),
    "toolset-export-invalid": row(
      "warning",
      "The export has no tools.",
      "Export an array of tools made with `defineTool`.",
    ),
    "toolset-too-many-tools": row(
      "warning",
      "The skill brings more tools than are offered.",
      "Split the skill, or unite tools.",
    ),
    "tool-invalid": row(
      "warning",
      "One tool is not well-formed; it is left out.",
      "Make it with `defineTool` and types that JSON has.",
    ),
    "tool-name-collision": row(
      "warning",
      "Two tools have the same qualified name; the later one is left out.",
      "Rename one of the two.",
    ),
  },
};

/** Further files that name codes a stage reports. */
const ALSO = { library: ["src/model/name.ts"] };

/** Files whose codes are those of a script's result, not of a diagnostic. */
const RESULT_FILES = ["script-result.ts"];

export function diagnosticRows(product, stage) {
  if (stage === "parse") return parseRows(product);
  const known = OTHERS[stage];
  // What is wrong with the state is no diagnostic of a skill.
  const reported = reportedCodes(product.root, stage).filter((code) => !(code in product.STATE_CODES));
  compare(stage, reported, Object.keys(known));
  return Object.entries(known).map(([name, about]) => ({ name, ...about }));
}

function parseRows({ diagnosticTable }) {
  const rows = diagnosticTable();
  compare(
    "parse",
    rows.map((entry) => entry.code),
    Object.keys(PARSE),
  );
  return rows.map(({ code, lenient, strict, fix }) => ({
    name: code,
    weight: lenient === strict ? lenient : `${lenient}; strict: ${strict}`,
    meaning: PARSE[code],
    fix,
  }));
}

/** Every code that a stage's files put into a diagnostic. */
function reportedCodes(root, stage) {
  const codes = new Set();
  for (const path of [
    ...sourceFiles(join(root, "src", stage)),
    ...(ALSO[stage] ?? []).map((file) => join(root, file)),
  ]) {
    const text = readFileSync(path, "utf8");
    for (const [, line] of text.matchAll(/\bcode: (.*)/g)) {
      for (const [, code] of line.matchAll(/"([a-z]+(?:-[a-z0-9]+)*)"/g)) codes.add(code);
    }
    for (const [, code] of text.matchAll(/\breport\(\s*"([a-z0-9-]+)"/g)) codes.add(code);
  }
  return [...codes];
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !RESULT_FILES.includes(name))
    .map((name) => join(folder, name));
}

function compare(stage, reported, explained) {
  const missing = reported.filter((code) => !explained.includes(code));
  const stale = explained.filter((code) => !reported.includes(code));
  if (missing.length + stale.length === 0) return;
  throw new Error(
    `scripts/docs/diagnostics.mjs and src/${stage} disagree. Not explained: ${missing.join(", ") || "none"}. No longer reported: ${stale.join(", ") || "none"}.`,
  );
}
