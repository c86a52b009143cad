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
  const signs = encodingSigns(text);
  return signs === 0 || !ENCODED.test(text) ? [] : decode(text, signs);
}

function decode(text: string, signs: number): string[] {
  const found: string[] = [];
  const keep = (decoded: string | undefined): void => {
    if (decoded !== undefined && decoded.trim().length >= 6)
      found.push(decoded.slice(0, INSPECT_LIMITS.decodedPerFile));
  };
  if (signs & LONG_RUN) {
    for (const match of text.matchAll(BASE64)) keep(readable(fromBase64(match[0])));
    for (const match of text.matchAll(HEX)) keep(readable(Buffer.from(match[0], "hex")));
  }
  if (signs & ESCAPE) {
    for (const match of text.matchAll(HEX_ESCAPES)) keep(fromCodes(match[0], /[0-9a-fA-F]{2}/g, 16));
    for (const match of text.matchAll(PERCENT))
      keep(readable(Buffer.from(match[0].replaceAll("%", ""), "hex")));
    for (const match of text.matchAll(UNICODE_ESCAPES)) keep(fromCodes(match[0], /[0-9a-fA-F]{2,5}/g, 16));
    for (const match of text.matchAll(OCTAL_ESCAPES)) keep(fromCodes(match[0], /[0-7]{3}/g, 8));
    for (const match of text.matchAll(ENTITIES)) keep(fromEntities(match[0]));
  }
  if (signs & NUMBERS)
    for (const match of text.matchAll(CHAR_CODES)) keep(fromCodes(match[0], /[0-9]{2,3}/g, 10));
  if (signs & REVERSAL && text.length < 4_000) {
    if (/\brev\b|\[::-1\]|\.reverse\(\)|strrev\(/.test(text)) keep([...text].reverse().join(""));
    if (/rot_?13|n-za-m/i.test(text)) keep(rot13(text));
  }
  return found;
}

/** What a text has that a decoder needs. */
const LONG_RUN = 1;
const ESCAPE = 2;
const NUMBERS = 4;
const REVERSAL = 8;

/** A quick check in one pass: a long run of letters, an escape, a list of numbers, a reversal. */
function encodingSigns(text: string): number {
  const length = text.length;
  let signs = 0;
  let run = 0;
  let numbers = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : 0;
    if (kind === TOKEN) {
      if (++run >= 20) signs |= LONG_RUN;
      continue;
    }
    if (kind === 0) {
      run = 0;
      continue;
    }
    const next = at + 1 < length ? text.charCodeAt(at + 1) : 0;
    if (kind === TOKEN_SIGN) {
      if (++run >= 20) signs |= LONG_RUN;
      if (code === 0x30) {
        if (next === 0x78 || next === 0x58) signs |= ESCAPE;
      } else if (code === 0x6e || code === 0x4e) {
        if (next === 0x2d) signs |= REVERSAL;
      } else if (/^r(?:ev|ot|everse)/i.test(text.slice(at, at + 7))) signs |= REVERSAL;
      continue;
    }
    run = 0;
    if (code === 0x5c || code === 0x25) signs |= ESCAPE;
    else if (code === 0x26) {
      if (next === 0x23) signs |= ESCAPE;
    } else if (code === 0x5b) {
      if (next === 0x3a) signs |= REVERSAL;
    } else if (++numbers >= 7) signs |= NUMBERS;
  }
  return signs;
}

/** What a character of ASCII is to that check: a letter of a run, one that may also begin a sign, or a sign. */
const TOKEN = 1;
const TOKEN_SIGN = 2;
const SIGN = 3;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[rn0]/i.test(char)) return TOKEN_SIGN;
  if (/[\w+/-]/.test(char)) return TOKEN;
  return /[\\%&[,;]/.test(char) ? SIGN : 0;
});

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
