// Reads YAML of unknown origin: every scalar stays text, depth and number of values are capped, and anchors, aliases
// and tags are refused. Broken YAML is repaired elsewhere (`read.ts`).

import { Composer, CST, isMap as isMapNode, isScalar, isSeq, Lexer, type Node, Parser, Schema } from "yaml";
import type { ParseCode } from "./codes.ts";
import { LIMITS } from "./limits.ts";
import { lineAt } from "./split.ts";

/** A YAML value: text, list, map (null prototype) or nothing. */
export type YamlValue = string | null | YamlValue[] | YamlMap;
export interface YamlMap {
  [key: string]: YamlValue;
}

export type YamlResult =
  | { readonly ok: true; readonly value: YamlValue }
  | {
      readonly ok: false;
      readonly code: ParseCode;
      readonly reason: string;
      readonly line: number;
      /** If the only fault is a key that appears twice: the map in which the last one counts, as in most loaders. */
      readonly value?: YamlValue | undefined;
    };

/** Characters that YAML does not allow anywhere, and halves of surrogate pairs. */
export const UNPRINTABLE =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A list or a map in brackets, at the start of a value. */
export const FLOW_STYLE = /^[ \t]*(?:- +)*(?:[\w.-]+[ \t]*:[ \t]+)?[[{]/m;

/** Keys are compared in `toValue`, because the library compares each key with all others. */
const OPTIONS = {
  schema: new Schema({ schema: "failsafe" }),
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

/** Why a text is not read. Thrown, but not an Error: its stack trace would cost more than the parse. */
class Refusal {
  readonly code: ParseCode;
  readonly reason: string;
  readonly offset: number;
  private readonly text: string;
  constructor(code: ParseCode, reason: string, text: string, offset: number) {
    this.code = code;
    this.reason = reason;
    this.offset = offset;
    this.text = text;
  }

  get line(): number {
    return lineAt(this.text, this.offset);
  }
}

/** Reads one YAML document and never throws. Line numbers count from 1 in `text`. */
export function readYaml(text: string): YamlResult {
  try {
    const parsed = parse(text);
    const conversion: Conversion = { text: parsed.text, nodes: 0, duplicate: undefined };
    const value = toValue(compose(parsed), conversion);
    return conversion.duplicate ? failure(conversion.duplicate, value) : { ok: true, value };
  } catch (thrown) {
    if (thrown instanceof Refusal) return failure(thrown);
    return { ok: false, code: "yaml-invalid", reason: String(thrown), line: 1 };
  }
}

function failure({ code, reason, line }: Refusal, value?: YamlValue): YamlResult {
  return { ok: false, code, reason, line, value };
}

interface Parsed {
  readonly text: string;
  /** The syntax tree up to the first token that is refused. */
  readonly tokens: readonly CST.Token[];
  readonly refusal: Refusal | undefined;
}

/** Parses the text within the caps, which protect the composer: it is recursive. */
function parse(text: string, attempts: number = LIMITS.reindents): Parsed {
  const unprintable = text.search(UNPRINTABLE);
  if (unprintable >= 0)
    throw new Refusal("yaml-invalid", "a character that is not printable", text, unprintable);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let refusal: Refusal | undefined;
  let scalars = 0;
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset, stack } = parser;
    const type: CST.TokenType | null = isContent ? null : CST.tokenType(lexeme);
    // This lexeme only announces that the next one is the content of a plain or block scalar.
    isContent = type === "scalar";
    if (isContent && ++scalars > LIMITS.nodes) throw tooMany(text, offset);
    if (type === "anchor" || type === "alias" || type === "tag") {
      const code = type === "tag" ? "yaml-tag" : "yaml-anchor";
      refusal = new Refusal(code, `${type} ${lexeme}`, text, offset);
    } else if (type !== null && isCutOff(type, lexeme)) {
      const start = stack.find((token) => token.type === "flow-collection")?.offset ?? offset;
      const indented = attempts > 0 ? reindented(text, start) : undefined;
      if (indented !== undefined) return parse(indented, attempts - 1);
      refusal = new Refusal("yaml-invalid", "a quote or bracket that is not closed", text, offset);
    } else {
      for (const token of parser.next(lexeme)) {
        if (token.type === "error")
          refusal ??= new Refusal("yaml-invalid", token.message, text, token.offset);
        else tokens.push(token);
      }
    }
    if (refusal) break;
    // The document and a scalar are on the stack too.
    if (stack.length > LIMITS.depth + 2)
      throw new Refusal("yaml-too-deep", `nested more than ${LIMITS.depth} levels deep`, text, offset);
  }
  for (const token of parser.end()) tokens.push(token);
  return { text, tokens, refusal };
}

/** Whether the lexer ended a quoted scalar or a flow collection at a line that is not indented. */
function isCutOff(type: CST.TokenType, lexeme: string): boolean {
  if (type === "single-quoted-scalar") return !/^'(?:[^']|'')*'$/.test(lexeme);
  if (type === "double-quoted-scalar") return !/^"(?:[^"\\]|\\[\s\S])*"$/.test(lexeme);
  return type === "flow-error-end";
}

/**
 * The text with the further lines of the quoted scalar or flow collection at `start` indented. YAML 1.2 demands it,
 * common readers do not, and the value is the same. Undefined if that changes nothing.
 */
function reindented(text: string, start: number): string | undefined {
  const lead = /^[ ?:-]*/.exec(text.slice(text.lastIndexOf("\n", start) + 1, start))?.[0] ?? "";
  const indent = " ".repeat(Math.min(lead.length, LIMITS.depth) + 1);
  const piece = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*'(?!')|[[\]{}]/g;
  piece.lastIndex = start;
  for (let depth = 0, match = piece.exec(text); match; match = piece.exec(text)) {
    if (/[[{]/.test(match[0][0] as string)) depth++;
    else if (/[\]}]/.test(match[0][0] as string)) depth--;
    if (depth > 0) continue;
    const span = text.slice(start, piece.lastIndex);
    const indented = span.replace(/\n[ \t]*/g, `\n${indent}`);
    return indented === span ? undefined : text.slice(0, start) + indented + text.slice(piece.lastIndex);
  }
  return undefined;
}

/** The content of the only document. Throws the first fault. */
function compose({ text, tokens, refusal }: Parsed): Node | null {
  let fault: Refusal | undefined;
  const fail = (offset: number, message: string) => {
    fault ??=
      refusal && refusal.offset <= offset ? refusal : new Refusal("yaml-invalid", message, text, offset);
    throw fault;
  };
  const composer = new Composer(OPTIONS);
  // The library collects all errors, each with a stack trace; hostile text has thousands. We stop at the first.
  const onError = (source: ErrorSource, _code: string, message: string, isWarning?: boolean) => {
    if (!isWarning)
      fail(typeof source === "number" ? source : "offset" in source ? source.offset : source[0], message);
  };
  Object.assign(composer, { onError });
  const [document, second] = composer.compose(tokens, true, text.length);
  for (const { pos, message } of document?.errors ?? []) fail(pos[0], message);
  if (second) fail(second.range[0], "more than one document");
  if (refusal) throw refusal;
  return document?.contents ?? null;
}

/** Where the library reports an error. */
type ErrorSource = number | readonly [number, ...number[]] | { readonly offset: number };

interface Conversion {
  readonly text: string;
  nodes: number;
  duplicate: Refusal | undefined;
}

/** Plain data without prototypes, so that a key such as `constructor` is only data. */
function toValue(node: Node | null, conversion: Conversion): YamlValue {
  const offset = node?.range?.[0] ?? 0;
  if (++conversion.nodes > LIMITS.nodes) throw tooMany(conversion.text, offset);
  if (isScalar(node)) return node.type === "PLAIN" && node.source === "" ? null : String(node.value);
  if (isSeq<Node>(node)) return node.items.map((item) => toValue(item, conversion));
  if (!isMapNode<Node, Node | null>(node)) return null;
  const map: YamlMap = Object.create(null);
  for (const { key, value } of node.items) {
    const name = toValue(key, conversion);
    const at = key.range?.[0] ?? offset;
    if (typeof name !== "string") throw new Refusal("yaml-invalid", "an empty key", conversion.text, at);
    if (name in map)
      conversion.duplicate ??= new Refusal("yaml-duplicate-key", `the key ${name}`, conversion.text, at);
    map[name] = toValue(value, conversion);
  }
  return map;
}

function tooMany(text: string, offset: number): Refusal {
  return new Refusal("yaml-too-many-nodes", `more than ${LIMITS.nodes} values`, text, offset);
}

export function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
