// Reads a front matter step by step: strict YAML, then each repair, then single keys without YAML. Each
// kind of fault has its own repair and code.

import { type ParseCode, type Report, shown } from "./codes.ts";
import { frontMatterTable } from "./dialects.ts";
import { LIMITS } from "./limits.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { SPEC_FIELDS } from "./spec.ts";
import { lineAt, type Split, splitShorter } from "./split.ts";
import { isMap, readYaml, UNPRINTABLE, type YamlMap, type YamlResult, type YamlValue } from "./yaml.ts";

interface FrontMatter {
  readonly raw: YamlMap;
  /** The split that was used in the end. */
  readonly split: Split;
}

type Failure = Extract<YamlResult, { ok: false }>;

export function readFrontMatter(text: string, split: Split, report: Report): FrontMatter {
  const yaml = split.yaml ?? "";
  if (yaml.length > LIMITS.frontMatterChars) {
    const message = `The front matter has ${yaml.length} characters; ${LIMITS.frontMatterChars} are read at most.`;
    report.add("front-matter-too-large", message, split.yamlLine);
    return bare(split, report);
  }
  const plain = readPlainYaml(yaml);
  if (plain) return { raw: plain, split };
  const strict = readYaml(yaml);
  if (strict.ok) return accepted(strict.value, split, report);
  if (strict.code === "yaml-too-deep" || strict.code === "yaml-too-many-nodes")
    return unreadable(strict, split, report);

  const shorter = splitShorter(text, split);
  if (shorter) {
    const value = readYaml(shorter.yaml as string);
    if (value.ok && isMap(value.value)) {
      report.add(
        "front-matter-unclosed",
        "The front matter has no closing --- of its own.",
        Math.max(1, split.yamlLine - 1),
      );
      return { raw: value.value, split: shorter };
    }
  }
  return mended(yaml, strict, split, report);
}

function mended(yaml: string, first: Failure, split: Split, report: Report): FrontMatter {
  const pending: { code: ParseCode; line: number; message: string }[] = [];
  let text = yaml;
  for (const repair of [undefined, ...REPAIRS]) {
    const repaired = repair?.(text);
    if (repair && !repaired) continue;
    for (const { code, line, what } of repaired?.findings ?? []) pending.push({ code, line, message: what });
    text = repaired?.text ?? text;
    const result = repair ? readYaml(text) : first;
    if (result.value === undefined) continue;
    if (!result.ok) pending.push({ ...result, message: "A key appears twice; the last one counts." });
    for (const { code, line, message } of pending) report.add(code, message, split.yamlLine + line - 1);
    return accepted(result.value, split, report);
  }
  return unreadable(first, split, report);
}

function unreadable({ code, reason, line }: Failure, split: Split, report: Report): FrontMatter {
  report.add(code, `The YAML cannot be read: ${reason}.`, split.yamlLine + line - 1);
  return bare(split, report);
}

function accepted(value: YamlValue, split: Split, report: Report): FrontMatter {
  if (isMap(value)) return { raw: value, split };
  if (value === null) return { raw: Object.create(null), split };
  report.add("front-matter-not-mapping", "The front matter is not a map of keys.", split.yamlLine);
  return bare(split, report);
}

function bare(split: Split, report: Report): FrontMatter {
  const raw = extractBare(split.yaml ?? "");
  if (raw)
    report.add(
      "front-matter-bare",
      `Only these keys could be read: ${Object.keys(raw).join(", ")}.`,
      split.yamlLine,
    );
  return { raw: raw ?? Object.create(null), split };
}

interface Mended {
  readonly text: string;
  /** The first repair for each code, with its 1-based line. */
  readonly findings: readonly { readonly code: ParseCode; readonly line: number; readonly what: string }[];
}

/** A repair returns undefined if it finds nothing to repair. */
type Repair = (text: string) => Mended | undefined;

/** Cheapest and surest first. Each works on the text that the one before left. */
const REPAIRS: readonly Repair[] = [dropControlCharacters, indentWithSpaces, outdentKeys, quoteBrokenValues];

function dropControlCharacters(text: string): Mended | undefined {
  const at = text.search(UNPRINTABLE);
  if (at < 0) return undefined;
  const finding = {
    code: "yaml-control-characters" as const,
    line: lineAt(text, at),
    what: "Control characters were left out.",
  };
  return { text: text.replace(new RegExp(UNPRINTABLE, "g"), ""), findings: [finding] };
}

function indentWithSpaces(text: string): Mended | undefined {
  const at = text.search(/^ *\t/m);
  if (at < 0) return undefined;
  const spaced = text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll("\t", "  "));
  return {
    text: spaced,
    findings: [
      {
        code: "yaml-tabs",
        line: lineAt(text, at),
        what: "The indentation has a tab; it was read as two spaces.",
      },
    ],
  };
}

const SPEC_KEY = new RegExp(`^[ \\t]+(?:${SPEC_FIELDS.join("|")})[ \\t]*:(?:[ \\t]|$)`);
/** A key at the margin whose value is on the same line, so that nothing below belongs to it as a key. */
const WHOLE_ENTRY = /^[\w-]+[ \t]*:[ \t]+[^\s|>&!#]/;

/** Moves an indented key of the spec to the margin if it follows a whole entry there: YAML has no other place for it. */
function outdentKeys(text: string): Mended | undefined {
  let above = "";
  let first: number | undefined;
  const out = text.split("\n").map((line, index) => {
    const isWrong = SPEC_KEY.test(line) && WHOLE_ENTRY.test(above);
    if (isWrong) first ??= index + 1;
    const moved = isWrong ? line.trimStart() : line;
    if (moved.trim() !== "") above = moved;
    return moved;
  });
  if (first === undefined) return undefined;
  const what = "A key is indented below a key that has its value already; it was read as one beside it.";
  return { text: out.join("\n"), findings: [{ code: "yaml-indent", line: first, what }] };
}

const ENTRY = /^( *(?:- +)*)(?:([\w$.@/-]+)([ \t]*:[ \t]+))?(\S.*)$/;

/** Puts quotes around each value that is not YAML without them: a colon inside, a leading `*`, `@`, `[a] [b]` … */
function quoteBrokenValues(text: string): Mended | undefined {
  const lines = text.split("\n");
  if (lines.length > LIMITS.repairLines) return undefined;
  const findings = new Map<ParseCode, { code: ParseCode; line: number; what: string }>();
  const out: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as string;
    const [, lead = "", key, colon = "", value = ""] = ENTRY.exec(line) ?? [];
    const next = endOfValue(lines, index, lead.length);
    const isValue = key !== undefined || /- +$/.test(lead);
    if (!isValue || value.startsWith("#") || /^[|>]/.test(value)) {
      const end = /^[|>]/.test(value) ? next : index + 1;
      out.push(...lines.slice(index, end));
      index = end;
      continue;
    }
    const chunk = lines.slice(index, next);
    if (isSound(chunk, lead)) out.push(...chunk);
    else {
      const joined = [value, ...chunk.slice(1).map((more) => more.trim())].join(" ").trim();
      const code = codeFor(joined);
      if (!findings.has(code))
        findings.set(code, {
          code,
          line: index + 1,
          what: `${shown(key ?? joined)} has a value that needs quotes in YAML; it was read as text.`,
        });
      out.push(`${lead}${key ?? ""}${colon}${quoted(joined)}`);
    }
    index = next;
  }
  return findings.size > 0 ? { text: out.join("\n"), findings: [...findings.values()] } : undefined;
}

/** The lines that belong to a value are those indented further than its key, blank ones between them included. */
function endOfValue(lines: readonly string[], start: number, indent: number): number {
  let end = start + 1;
  for (let index = end; index < lines.length; index++) {
    const line = lines[index] as string;
    if (line.trim() === "") continue;
    if (line.search(/\S/) <= indent) break;
    end = index + 1;
  }
  return end;
}

function isSound(chunk: readonly string[], lead: string): boolean {
  const first = (chunk[0] as string).slice(lead.length);
  const text = [first, ...chunk.slice(1).map((line) => line.slice(lead.length))].join("\n");
  // The commonest values and the commonest fault need no parser.
  if (/^(?:[\w.-]+: +)?\w[\w ,.()/-]*$/.test(text)) return true;
  if (/^[\w.-]+[ \t]*:[ \t]+\w[^#]*:(?:\s|$)/.test(text)) return false;
  return readPlainYaml(text) !== undefined || readYaml(text).ok;
}

function codeFor(value: string): ParseCode {
  if (value.startsWith("!")) return "yaml-tag";
  if (/^[&*]/.test(value)) return "yaml-anchor";
  return /:(?:\s|$)/.test(value) && !/^[[{]/.test(value) ? "yaml-unquoted-colon" : "yaml-unquoted-special";
}

/** A quote that nothing closes is dropped, and so is an outer pair; everything else is kept as written. */
function quoted(value: string): string {
  const inner = /^(["'])((?:(?!\1).)*)$/.exec(value)?.[2] ?? /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return `'${inner.replaceAll("'", "''")}'`;
}

/** A skill that hides itself from the model must stay hidden when its YAML is broken. */
const FLAG_KEYS = frontMatterTable()
  .filter((row) => row.kind === "flag")
  .flatMap((row) => [row.key, ...(row.also ?? [])]);
const FLAG_LINE = new RegExp(
  `^[ \\t]*(${FLAG_KEYS.map((key) => key.replace(/[-_]/g, "[-_]?")).join("|")})[ \\t]*:[ \\t]*["']?(\\w+)`,
  "gim",
);
/** Also indented, as a list item, with a Markdown or quoted key, an equals sign or a full-width colon. */
const TEXT_LINE = /^([ \t]*(?:[-*][ \t]+)?)["'*_]*(name|description)["'*_]*[ \t]*[:=：]["'*_]*[ \t]*(.*)$/i;

/** What could be found, or undefined when neither a name nor a description could. */
function extractBare(yaml: string): YamlMap | undefined {
  const text = yaml.slice(0, LIMITS.frontMatterChars);
  const found: YamlMap = Object.create(null);
  const lines = text.split("\n");
  // Keys at the margin first: an indented one may belong to another key.
  for (const isAtMargin of [true, false])
    for (const [index, line] of lines.entries()) {
      const [, indent = "", key = "", rest = ""] = TEXT_LINE.exec(line) ?? [];
      const name = key.toLowerCase();
      if (key === "" || (indent === "") !== isAtMargin || typeof found[name] === "string") continue;
      const value = valueFrom(rest, lines, index + 1);
      if (value !== "") found[name] = value;
    }
  if (Object.keys(found).length === 0) return undefined;
  for (const [, key, value] of text.matchAll(FLAG_LINE)) found[key as string] = value as string;
  return found;
}

function valueFrom(first: string, lines: readonly string[], from: number): string {
  const parts = /^[|>][-+\d]*\s*$/.test(first) ? [] : [first.trim()];
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] as string;
    if (!/^[ \t]+\S/.test(line) || ANY_KEY.test(line)) break;
    parts.push(line.trim());
  }
  return unquoted(parts.join(" ").replace(CONTROL, "").trim()).slice(0, LIMITS.descriptionChars * 4);
}

/** A line that begins with a key of the front matter, not with a sentence that has a colon. */
const ANY_KEY = /^[ \t]*["']?[\w-]+["']?[ \t]*:(?:[ \t]|$)/;

const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

function unquoted(value: string): string {
  const open = value[0];
  if (open !== '"' && open !== "'") return value;
  return value.endsWith(open) && value.length > 1 ? value.slice(1, -1) : value.slice(1);
}
