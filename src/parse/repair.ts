// Owns the lenient repairs of broken YAML, in order, each with its own code. Does not own when they are tried: `read.ts` does.

import { type ParseCode, shown } from "./codes.ts";
import { LIMITS } from "./limits.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { readYaml } from "./yaml.ts";

export interface Mended {
  readonly text: string;
  /** What was mended first for each code, with its 1-based line. */
  readonly findings: readonly { readonly code: ParseCode; readonly line: number; readonly what: string }[];
}

/** A repair gives undefined when it finds nothing to mend. */
export type Repair = (text: string) => Mended | undefined;

/** Cheapest and surest first. Each works on the text that the one before left. */
export const REPAIRS: readonly Repair[] = [dropControlCharacters, indentWithSpaces, quoteBrokenValues];

const CONTROL =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function dropControlCharacters(text: string): Mended | undefined {
  const at = text.search(CONTROL);
  if (at < 0) return undefined;
  const finding = {
    code: "yaml-control-characters" as const,
    line: lineOf(text, at),
    what: "Control characters were left out.",
  };
  return { text: text.replace(CONTROL, ""), findings: [finding] };
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
        line: lineOf(text, at),
        what: "A tab stands in the indentation; it was read as two spaces.",
      },
    ],
  };
}

const ENTRY = /^( *(?:- +)*)(?:([\w$.@/-]+)([ \t]*:[ \t]+))?(\S.*)$/;

/** Puts quotes around each value that is no YAML by itself: a colon inside, a leading `*`, `@`, `[a] [b]` … */
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
          what: `${shown(key ?? joined)} has a value that is no YAML without quotes; it was read as text.`,
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
  if (readPlainYaml(text)) return true;
  // Spares the full reader the commonest fault; it makes errors at a high price.
  if (/^[\w.-]+[ \t]*:[ \t]+\w[^#]*:(?:\s|$)/.test(text)) return false;
  return readYaml(text).ok;
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

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
