// Finds where the front matter starts and ends, in good files and in the usual broken ones. `yaml.ts` reads it, `read.ts`
// repairs it.

import type { Report } from "./codes.ts";
import { isKnownKey } from "./dialects.ts";
import { LIMITS } from "./limits.ts";

export interface Split {
  /** The text between the fences; undefined when the file has none. */
  readonly yaml: string | undefined;
  /** Offset in the file where `yaml` starts, and its 1-based line. */
  readonly yamlStart: number;
  readonly yamlLine: number;
  /** Offset in the file where the body starts. */
  readonly bodyStart: number;
  /** Offset in the file where the body ends. */
  readonly bodyEnd: number;
}

const FENCE_LABEL = /^---[ \t]*([A-Za-z][\w+-]*)[ \t]*(?:\n|$)/;
/** More dashes are a rule of Markdown, unless a key follows. Editors make one long dash of three. */
const NEAR_FENCE = /^(?:-{4,}|--|[–—]{1,3})[ \t]*\n(?=[A-Za-z_][\w.-]*[ \t]*:(?:[ \t]|\n))/;
/** A line that was meant to close the front matter: indented, with more or fewer dashes, or the end mark of YAML. */
const NEAR_CLOSING = /^[ \t]*(?:-{2,}|[–—]{1,3}|\.{3})[ \t]*$/;
const CODE_FENCE = /^(`{3,}|~{3,})[ \t]*(?:yaml|yml|markdown|md)?[ \t]*\n/i;
const KEY_LINE = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]|$)/;

/** Finds the front matter; undefined when it is in a language that is not read. */
export function splitFrontMatter(text: string, report: Report): Split | undefined {
  const open = afterFence(text, 0);
  if (open > 0) return closeFrom(text, open, report);

  const start = text.search(/\S/);
  const head = text.slice(start, start + LIMITS.leadingChars);
  const line = lineAt(text, start);
  if (line > 1) report.add("leading-blank-lines", "There are blank lines before the front matter.", 1);

  const indented = afterFence(text, start);
  if (indented > 0) return closeFrom(text, indented, report);

  const label = FENCE_LABEL.exec(head)?.[1] ?? (/^\+\+\+[ \t]*\n/.test(head) ? "toml" : undefined);
  if (label !== undefined) {
    if (!/^ya?ml$/i.test(label)) {
      report.add(
        "front-matter-language",
        `The front matter is marked as "${label}"; only YAML is read, nothing is run.`,
        line,
      );
      return undefined;
    }
    report.add("front-matter-label", `The fence carries the label "${label}".`, line);
    return closeFrom(text, nextLine(text, start), report);
  }

  const near = NEAR_FENCE.exec(head);
  if (near) {
    report.add("front-matter-fence", "The fence is not three dashes.", line);
    const from = start + near[0].length;
    const close = nearClosing(text, from);
    return close ? split(text, from, close.start, close.end) : closeFrom(text, from, report);
  }

  const code = CODE_FENCE.exec(head);
  if (code) {
    const inner = codeBlock(text, start, code);
    if (inner) {
      report.add("front-matter-code-block", "The front matter is in a code block.", line);
      return inner;
    }
  }

  if (/^(?:name|description)[ \t]*:[ \t]/i.test(head)) {
    report.add("front-matter-unopened", "The front matter has no opening ---.", line);
    const close = closingFence(text, start);
    if (close) return split(text, start, close.start, close.end);
    return splitAfterYaml(text, start, yamlExtent(text, start));
  }

  const later = /\n---[ \t]*\n(?=(?:name|description)[ \t]*:)/.exec(head);
  if (later) {
    const from = start + later.index + later[0].length;
    const close = closingFence(text, from);
    if (close) {
      report.add("leading-text", "There is text before the front matter.", line);
      return split(text, from, close.start, close.end);
    }
  }
  report.add("front-matter-missing", "The file has no front matter.");
  return { yaml: undefined, yamlStart: 0, yamlLine: 1, bodyStart: start, bodyEnd: text.length };
}

/**
 * The same file read as if its closing fence were missing and a `---` of the body had been taken for it.
 * Undefined unless what is cut off looks like a body.
 */
export function splitShorter(text: string, given: Split): Split | undefined {
  if (given.yaml === undefined) return undefined;
  const end = yamlExtent(text, given.yamlStart);
  const givenEnd = given.yamlStart + given.yaml.length;
  if (end >= givenEnd) return undefined;
  const rest = text.slice(end, givenEnd);
  const lostKey = rest.split("\n").some((line) => isKnownKey(KEY_LINE.exec(line)?.[1] ?? ""));
  return lostKey ? undefined : splitAfterYaml(text, given.yamlStart, end);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

function closeFrom(text: string, from: number, report: Report): Split {
  const close = closingFence(text, from);
  if (close) return split(text, from, close.start, close.end);
  report.add(
    "front-matter-unclosed",
    "The front matter has no closing ---.",
    Math.max(1, lineAt(text, from) - 1),
  );
  return splitAfterYaml(text, from, yamlExtent(text, from));
}

/** A line that was meant as the closing fence belongs to neither part. */
function splitAfterYaml(text: string, from: number, end: number): Split {
  const next = nextLine(text, end);
  const isClosing = NEAR_CLOSING.test(text.slice(end, next).trimEnd());
  return split(text, from, end, isClosing ? next : end);
}

function split(
  text: string,
  yamlStart: number,
  yamlEnd: number,
  afterFence: number,
  bodyEnd = text.length,
): Split {
  let bodyStart = afterFence;
  for (let next = bodyStart; next < bodyEnd && /[ \t\n]/.test(text[next]!); ) {
    next++;
    if (text.charCodeAt(next - 1) === 0x0a) bodyStart = next;
  }
  return {
    yaml: text.slice(yamlStart, yamlEnd),
    yamlStart,
    yamlLine: lineAt(text, yamlStart),
    bodyStart,
    bodyEnd,
  };
}

/** The offset after a line of three dashes that starts at `offset`, or 0. */
function afterFence(text: string, offset: number): number {
  if (!text.startsWith("---", offset)) return 0;
  let end = offset + 3;
  while (text.charCodeAt(end) === 0x20 || text.charCodeAt(end) === 0x09) end++;
  if (end >= text.length) return text.length;
  return text.charCodeAt(end) === 0x0a ? end + 1 : 0;
}

function closingFence(text: string, from: number): { start: number; end: number } | undefined {
  for (let at = from; at >= 0 && at < text.length; at = nextFence(text, at)) {
    const end = afterFence(text, at);
    if (end > 0) return { start: at, end };
  }
  return undefined;
}

/** The first line that may have been meant to close the front matter; an indented one, if there is no other. */
function nearClosing(text: string, from: number): { start: number; end: number } | undefined {
  const limit = Math.min(text.length, from + LIMITS.frontMatterChars);
  let indented: { start: number; end: number } | undefined;
  for (let start = from; start < limit; start = nextLine(text, start)) {
    const end = nextLine(text, start);
    const line = text.slice(start, end).trimEnd();
    if (!NEAR_CLOSING.test(line)) continue;
    if (line === line.trimStart()) return { start, end };
    indented ??= { start, end };
  }
  return indented;
}

function nextFence(text: string, after: number): number {
  const at = text.indexOf("\n---", after);
  return at < 0 ? -1 : at + 1;
}

function codeBlock(text: string, start: number, code: RegExpExecArray): Split | undefined {
  const inside = start + code[0].length;
  const fence = code[1] as string;
  const dashes = afterFence(text, inside);
  if (dashes > 0) {
    const close = closingFence(text, dashes);
    if (!close) return undefined;
    const rest = text.slice(close.end);
    const closer = new RegExp(`^\\s*${fence}[ \\t]*(?:\\n|$)`).exec(rest);
    if (closer) return split(text, dashes, close.start, close.end + closer[0].length);
    const trailer = new RegExp(`\\n${fence}\\s*$`).exec(rest.slice(-64));
    const cut = trailer ? text.length - Math.min(64, rest.length) + trailer.index + 1 : text.length;
    return split(text, dashes, close.start, close.end, cut);
  }
  const end = text.indexOf(`\n${fence}`, inside);
  if (end < 0 || !KEY_LINE.test(text.slice(inside, inside + 200).split("\n")[0] as string)) return undefined;
  return split(text, inside, end + 1, nextLine(text, end + 1));
}

/** Where lines stop looking like YAML: the end of a front matter that nobody closed. */
function yamlExtent(text: string, from: number): number {
  let end = from;
  const limit = Math.min(text.length, from + LIMITS.frontMatterChars);
  for (let at = from; at < limit; ) {
    const next = nextLine(text, at);
    const line = text.slice(at, next).trimEnd();
    if (NEAR_CLOSING.test(line)) break;
    const shaped = /^[ \t]+\S/.test(line) || /^- /.test(line) || KEY_LINE.test(line);
    if (shaped) end = next;
    else if (line !== "" || !continues(text, next)) break;
    at = next;
  }
  return end;
}

/** After a blank line the front matter goes on only with a key that we know, or inside an indented block. */
function continues(text: string, from: number): boolean {
  const line = /^\n*([^\n]*)/.exec(text.slice(from, from + 400))?.[1] ?? "";
  return /^ {1,8}\S/.test(line) || isKnownKey(KEY_LINE.exec(line)?.[1] ?? "");
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}
