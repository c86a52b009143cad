// A quick reader for plain front matter: `key: value` lines, simple lists, one line of quoted text, simple blocks.
// Everything else is left to `yaml.ts`. The YAML library takes three times the processor time of a first scan without
// this reader (docs/decisions/2026-11-18-plain-yaml.md).

import { LIMITS } from "./limits.ts";
import type { YamlMap, YamlValue } from "./yaml.ts";

const KEY = /^[A-Za-z_][\w-]*$/;
/** Control characters and halves of pairs are refused by YAML; tabs mean different things in different places. */
const STRANGE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff\u2028\u2029]/u;
const BEYOND_ASCII = /[^\n -~]/;
const PLAIN_START = /^[\w(/.$+<~\u00a1-\uffff]/;
const FLOW_LIST = /^\[ *(?:[A-Za-z0-9_][\w ./+()*-]*(?:, *[A-Za-z0-9_][\w ./+()*-]*)*)?\]$/;
const BLOCK = /^([|>])(-?)$/;

const SPACE = 0x20;

interface Line {
  /** Spaces before the text, or -1 for a blank line. */
  readonly indent: number;
  readonly text: string;
}

/** The map, or undefined when the text is not simple enough to be sure. */
export function readPlainYaml(text: string): YamlMap | undefined {
  if (text.length > LIMITS.plainChars) return undefined;
  if (BEYOND_ASCII.test(text) && STRANGE.test(text)) return undefined;
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    let first = start;
    while (text.charCodeAt(first) === SPACE) first++;
    lines.push({ indent: first >= end ? -1 : first - start, text: text.slice(start, end) });
    start = end + 1;
  }
  while (lines.length > 0 && lines.at(-1)?.text === "") lines.pop();
  const reader = { lines, at: 0 };
  const map = readMap(reader, 0);
  return map !== undefined && reader.at === lines.length ? map : undefined;
}

interface Reader {
  readonly lines: readonly Line[];
  at: number;
}

function readMap(reader: Reader, indent: number): YamlMap | undefined {
  const map: YamlMap = Object.create(null);
  const { lines } = reader;
  while (reader.at < lines.length) {
    const line = lines[reader.at] as Line;
    if (line.indent < indent && line.indent >= 0) break;
    const key = line.indent === indent ? keyOf(line) : undefined;
    if (key === undefined || key in map) return undefined;
    reader.at++;
    const value = readValue(reader, trimmed(line.text.slice(indent + key.length + 1)), indent);
    if (value === undefined) return undefined;
    map[key] = value;
  }
  return map;
}

function keyOf({ text, indent }: Line): string | undefined {
  const colon = text.indexOf(":", indent);
  if (colon < 0 || (colon + 1 < text.length && text.charCodeAt(colon + 1) !== SPACE)) return undefined;
  const key = text.slice(indent, colon);
  return KEY.test(key) ? key : undefined;
}

function readValue(reader: Reader, written: string, indent: number): YamlValue | undefined {
  const next = reader.lines[reader.at];
  const block = BLOCK.exec(written);
  if (block) return next && next.indent > indent ? readBlock(reader, block, next.indent) : undefined;
  if (written === "") {
    if (!next || (next.indent >= 0 && next.indent < indent)) return null;
    if (next.text.startsWith("- ", next.indent)) return readList(reader, next.indent);
    if (next.indent === indent) return null;
    return next.indent > indent && indent < 6 ? readMap(reader, next.indent) : undefined;
  }
  if (written.startsWith("'") && !closesQuote(written.slice(1))) return readQuoted(reader, written, indent);
  const first = readScalar(written);
  if (first === undefined || !next || (next.indent >= 0 && next.indent <= indent)) return first;
  return isPlain(written) && typeof first === "string" ? readContinued(reader, first, indent) : undefined;
}

/** A value on one line: plain, quoted without escapes, or a flow list of plain words. */
function readScalar(written: string): YamlValue | undefined {
  const text = trimmed(written);
  const open = text[0];
  if (open === '"') {
    const inner = text.slice(1, -1);
    return text.length > 1 && text.endsWith(open) && !/["\\]/.test(inner) ? inner : undefined;
  }
  if (open === "'") return closesQuote(text.slice(1)) ? text.slice(1, -1).replaceAll("''", "'") : undefined;
  if (open === "[") {
    if (!FLOW_LIST.test(text)) return undefined;
    const inner = text.slice(1, -1).trim();
    return inner === "" ? [] : inner.split(",").map((item) => item.trim());
  }
  return isPlain(text) ? text : undefined;
}

function isPlain(text: string): boolean {
  return PLAIN_START.test(text) && !text.includes(": ") && !text.includes(" #") && !text.endsWith(":");
}

/** Only spaces end a line in YAML; the language's own trimming takes more. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) === SPACE) end--;
  return text.slice(start, end);
}

/** Whether a single quote ends the text, and all before it are doubled. */
function closesQuote(text: string): boolean {
  return text.indexOf("'") >= 0 && /^(?:[^']|'')*'$/.test(text);
}

/** Text in single quotes over several lines: a line break is a space, each blank line a break. */
function readQuoted(reader: Reader, written: string, indent: number): string | undefined {
  let text = trimmed(written).slice(1);
  let blanks = 0;
  if (/(?:^|[^'])(?:'')*'(?!')/.test(text)) return undefined;
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] as Line;
    if (line.indent < 0) {
      blanks++;
      continue;
    }
    if (line.indent <= indent) return undefined;
    const part = trimmed(line.text);
    text += blanks === 0 ? " " : "\n".repeat(blanks);
    blanks = 0;
    if (!part.includes("'")) text += part;
    else if (closesQuote(part)) {
      reader.at++;
      const next = reader.lines[reader.at];
      const ends = !next || (next.indent >= 0 && next.indent <= indent);
      return ends ? (text + part.slice(0, -1)).replaceAll("''", "'") : undefined;
    } else if (/^(?:[^']|'')*$/.test(part)) text += part;
    else return undefined;
  }
  return undefined;
}

/** A plain value that goes on over further lines; YAML folds them into one. */
function readContinued(reader: Reader, first: string, indent: number): string | undefined {
  const parts = [first];
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] as Line;
    if (line.indent >= 0 && line.indent <= indent) break;
    const text = trimmed(line.text);
    if (!isPlain(text)) return undefined;
    parts.push(text);
  }
  return parts.join(" ");
}

function readList(reader: Reader, indent: number): YamlValue | undefined {
  const list: YamlValue[] = [];
  for (; reader.at < reader.lines.length; ) {
    const line = reader.lines[reader.at] as Line;
    if (line.indent >= 0 && line.indent < indent) break;
    if (!line.text.startsWith("- ", line.indent)) {
      if (line.indent === indent && keyOf(line) !== undefined) break;
      return undefined;
    }
    const item = readScalar(line.text.slice(line.indent + 2));
    const next = reader.lines[++reader.at];
    if (line.indent !== indent || item === undefined || (next && (next.indent < 0 || next.indent > indent)))
      return undefined;
    list.push(item);
  }
  return list;
}

/** A block of lines that all start in the same column, without blank ones. */
function readBlock(reader: Reader, block: RegExpExecArray, indent: number): string | undefined {
  const parts: string[] = [];
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] as Line;
    if (line.indent >= 0 && line.indent < indent) break;
    if (line.indent !== indent || line.text.endsWith(" ")) return undefined;
    parts.push(line.text.slice(indent));
  }
  return parts.join(block[1] === "|" ? "\n" : " ") + (block[2] === "-" ? "" : "\n");
}
