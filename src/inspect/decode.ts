// Decodes one layer of encoding (base64, hex, escapes, entities, character codes, reversal) and joins split strings.

import { rot13 } from "./fold.ts";
import { INSPECT_LIMITS } from "./limits.ts";

const BASE64 = /[A-Za-z0-9+/_-]{20,100000}={0,2}/g;
const HEX = /(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){12,50000}(?![0-9a-fA-F])/g;
const HEX_ESCAPES = /(?:(?:\\|%|0)x[0-9a-fA-F]{2}[,; ]{0,2}){4,20000}/g;
const PERCENT = /(?:%[0-9a-fA-F]{2}){4,20000}/g;
const UNICODE_ESCAPES = /(?:\\u\{?[0-9a-fA-F]{2,5}\}?){4,20000}/g;
const OCTAL_ESCAPES = /(?:\\[0-7]{3}){4,20000}/g;
const ENTITIES = /(?:&#(?:x[0-9a-fA-F]{2,4}|[0-9]{2,5});){4,20000}/gi;
const CHAR_CODES = /(?:\b[0-9]{2,3}\b ?[,;] ?){7,20000}[0-9]{2,3}\b/g;
const MIXED_ESCAPE = /\\x[0-9a-fA-F]{2}|\\u\{?[0-9a-fA-F]{4}\}?|%[0-9a-fA-F]{2}/g;

/** Every text that one of the decoders could read. */
const ENCODED =
  /[A-Za-z0-9+/_-]{20}|(?:\\|%|0)x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}%|\\u|\\[0-7]{3}|&#|(?:\b[0-9]{2,3}\b ?[,;] ?){7}|\brev\b|\[::-1\]|reverse\(|strrev\(|rot_?13|n-za-m/i;

/** The readable texts that are encoded inside `text`. */
export function decodedTexts(text: string): string[] {
  const found: string[] = [];
  if (!mayBeEncoded(text) || !ENCODED.test(text)) return found;
  const keep = (decoded: string | undefined): void => {
    if (decoded !== undefined && decoded.trim().length >= 6) found.push(decoded);
  };
  for (const match of text.matchAll(BASE64)) keep(readable(fromBase64(match[0])));
  for (const match of text.matchAll(HEX)) keep(readable(Buffer.from(match[0], "hex")));
  for (const match of text.matchAll(HEX_ESCAPES)) keep(fromCodes(match[0], /[0-9a-fA-F]{2}/g, 16));
  for (const match of text.matchAll(PERCENT))
    keep(readable(Buffer.from(match[0].replaceAll("%", ""), "hex")));
  for (const match of text.matchAll(UNICODE_ESCAPES)) keep(fromCodes(match[0], /[0-9a-fA-F]{2,5}/g, 16));
  for (const match of text.matchAll(OCTAL_ESCAPES)) keep(fromCodes(match[0], /[0-7]{3}/g, 8));
  for (const match of text.matchAll(ENTITIES)) keep(fromEntities(match[0]));
  for (const match of text.matchAll(CHAR_CODES)) keep(fromCodes(match[0], /[0-9]{2,3}/g, 10));
  if (/\brev\b|\[::-1\]|\.reverse\(\)|strrev\(/.test(text) && text.length < 4_000)
    keep([...text].reverse().join(""));
  if (/rot_?13|n-za-m/i.test(text) && text.length < 4_000) keep(rot13(text));
  return found.map((decoded) => decoded.slice(0, INSPECT_LIMITS.decodedPerFile));
}

/** A quick check in one pass, of which `ENCODED` is the exact one: a long run of letters, an escape, a list of numbers, a reversal. */
function mayBeEncoded(text: string): boolean {
  let run = 0;
  let numbers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isTokenCode(code)) {
      if (++run >= 20) return true;
      const char = text[at]!;
      if ((char === "r" || char === "R") && /^r(?:ev|ot|everse)/i.test(text.slice(at, at + 7))) return true;
      if ((char === "n" || char === "N") && text[at + 1] === "-") return true;
      if (char === "0" && (text[at + 1] === "x" || text[at + 1] === "X")) return true;
      continue;
    }
    run = 0;
    if (code === 0x5c || code === 0x25 || (code === 0x26 && text[at + 1] === "#")) return true;
    if (code === 0x5b && text[at + 1] === ":") return true;
    if ((code === 0x2c || code === 0x3b) && ++numbers >= 7) return true;
  }
  return false;
}

function isTokenCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x5f
  );
}

/** The line without quotes, escapes and concatenations that split a command, or undefined if there are none. */
export function unspliced(line: string): string | undefined {
  if (!/['"`\\$^+%]/.test(line) || EXPRESSION.test(line)) return undefined;
  const whole = line
    .replace(MIXED_ESCAPE, unescapeOne)
    .replace(/\$\{?ifs\}?(?:\$[0-9])?/gi, " ")
    .replace(/(["'`]) ?(?:\+|\.|\|\||&|,(?= ?["'`]\)\.join)) ?(["'`])/g, "");
  const joined = SPLIT_WORD.test(whole) ? withoutInnerQuotes(whole) : whole;
  return joined === line ? undefined : joined;
}

/** A regular expression: its escapes split no word. */
const EXPRESSION = /\\{1,2}[bswd](?:[+*{)|[(]|\\)|\(\?[:i=!<]/;

/** What every word has that is split by quotes, escapes or empty variables. */
const SPLIT_WORD = /\w(?:["']\w|''|""|``|\$[@*{])|[a-z][\\^][a-z]/i;

function withoutInnerQuotes(line: string): string {
  return line
    .replace(/(?<=\w)(?:''|""|``|\$@|\$\*|\$\{\w{0,12}:?-?\})(?=\w)/g, "")
    .replace(/(?<=\b\w{1,12})(["'])(\w{1,12})\1/g, "$2")
    .replace(/(?<![\w])(["'])(\w{1,12})\1(?=\w)/g, "$2")
    .replace(/(?<=[a-z])[\\^](?=[a-z])/gi, "");
}

/** A command that the code passes as a list of strings, joined to one line; undefined if there is none. */
export function joinedArguments(line: string): string | undefined {
  if (!/\b(?:spawn|exec|run|popen|call|command|system|output|process)\w{0,12} ?\(/i.test(line))
    return undefined;
  const joined = line.replace(/(["'`]) ?, ?\[? ?(["'`])/g, " ").replace(/["'`] ?\+ ?/g, "");
  return joined === line ? undefined : joined;
}

function unescapeOne(escaped: string): string {
  const code = Number.parseInt(escaped.replace(/[^0-9a-fA-F]/g, ""), 16);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : escaped;
}

function fromBase64(token: string): Uint8Array | undefined {
  const body = token.replace(/=+$/, "");
  const looksLikeWords = /^[a-z/_-]+$/.test(body) || /^[A-Z/_-]+$/.test(body) || /^[0-9]+$/.test(body);
  if (looksLikeWords || body.length % 4 === 1) return undefined;
  return Buffer.from(body, "base64");
}

function readable(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes || bytes.length < 6) return undefined;
  const utf16 = bytes.length > 8 && bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0;
  const text = Buffer.from(bytes).toString(utf16 ? "utf16le" : "utf8");
  const odd = text.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  return odd * 20 <= text.length ? text : undefined;
}

function fromCodes(text: string, each: RegExp, base: number): string | undefined {
  let decoded = "";
  for (const match of text.matchAll(each)) {
    const code = Number.parseInt(match[0], base);
    if (code !== 9 && code !== 10 && code !== 13 && (code < 32 || code > 126)) return undefined;
    decoded += String.fromCharCode(code);
  }
  return /[a-z]{2}/i.test(decoded) ? decoded : undefined;
}

function fromEntities(text: string): string | undefined {
  let decoded = "";
  for (const match of text.matchAll(/&#(x?)([0-9a-f]{2,5});/gi)) {
    const code = Number.parseInt(match[2]!, match[1] ? 16 : 10);
    decoded += code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  }
  return decoded;
}
