// Computes the value of an expression that is built from literals only: joined, reversed, encoded, compressed or XORed text.
// Nothing is executed: a table has the few functions that hide text.

import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

export interface Folded {
  /** Bytes are characters below 256. */
  readonly text: string;
  /** Whether the text is not in the source as written. */
  readonly disguised: boolean;
}

type Value = Folded | readonly Value[] | number;
export type Constants = ReadonlyMap<string, Folded>;

const EXPRESSION = 20_000;
const DEPTH = 24;
const UNPACKED = 200_000;

/** The value of an expression in Python or JavaScript, or undefined if it depends on anything but literals. */
export function foldConstant(expression: string, constants: Constants): Folded | undefined {
  if (expression.length > EXPRESSION) return undefined;
  const xored = foldXor(expression, constants);
  if (xored !== undefined) return { text: xored, disguised: true };
  const reader = new Reader(expression, constants);
  const value = reader.sum(0);
  return value !== undefined && reader.ended() && isText(value) ? value : undefined;
}

/** A shell text with the values of known variables and of decoders in `$(…)`. */
export function foldShell(text: string, constants: Constants): Folded {
  let disguised = false;
  const filled = text.replace(
    /\$(?:\{([A-Za-z_]\w{0,60})\}|([A-Za-z_]\w{0,60}))/g,
    (whole, braced: string | undefined, plain: string | undefined, at: number) => {
      const known = constants.get(braced ?? plain ?? "");
      if (known) disguised ||= known.disguised || isPieceOfCommand(known.text, text, at, at + whole.length);
      return known?.text ?? whole;
    },
  );
  const decoded = filled.replace(
    /(?:\$\(|\x60)?\s?(?:echo|printf)(?: -[ne]{1,2})? ["']?([^"'|)\x60]{4,4000})["']? ?\| ?(base64 (?:-d|-D|--decode)|xxd -r -p|rev|base32 (?:-d|--decode)|tr ['"]?[a-z0-9-]{3,12}['"]? ['"]?n-za-m[^|)\x60]{0,12})\s?(?:\)|\x60)?/gi,
    (whole, data: string, tool: string) => {
      const result = decodeShell(data.trim(), tool);
      if (result === undefined) return whole;
      disguised = true;
      return result;
    },
  );
  return { text: decoded, disguised };
}

/** Whether a short value is a command, or joins its neighbours to a word: `$c$u http://…`, not a version in an address. */
function isPieceOfCommand(value: string, text: string, start: number, end: number): boolean {
  if (value.length > 8) return false;
  if (/(?:^|[|;&(\x60])\s*["']?$/.test(text.slice(0, start))) return true;
  return (
    /^[a-z]{1,8}$/i.test(value) &&
    (/[a-z}]$/i.test(text.slice(0, start)) || /^(?:[a-z]|\$)/i.test(text.slice(end)))
  );
}

function decodeShell(data: string, tool: string): string | undefined {
  if (tool.startsWith("base64")) return printable(Buffer.from(data, "base64").toString("latin1"));
  if (tool.startsWith("base32")) return printable(base32(data));
  if (tool.startsWith("xxd"))
    return printable(Buffer.from(data.replace(/\s/g, ""), "hex").toString("latin1"));
  if (tool === "rev") return [...data].reverse().join("");
  return rot13(data);
}

/** `bytes(b ^ 0x2a for b in DATA)` and its kin: every literal text or list in the expression with the literal key. */
function foldXor(expression: string, constants: Constants): string | undefined {
  const key =
    /\^\s?(?:ord\()?(?:(0x[0-9a-f]{1,2}|\d{1,3})\b|([A-Za-z_]\w{0,40})|["']([^"']{1,40})["'])/i.exec(
      expression,
    );
  if (!key) return undefined;
  const named = key[2] === undefined ? undefined : constants.get(key[2])?.text;
  const bytes =
    key[1] !== undefined ? [Number(key[1])] : [...(key[3] ?? named ?? "")].map((char) => char.charCodeAt(0));
  if (bytes.length === 0) return undefined;
  if (named !== undefined && /^\d{1,3}$/.test(named)) bytes.splice(0, bytes.length, Number(named));
  const data = xorData(expression, constants);
  if (data === undefined) return undefined;
  return printable(
    [...data]
      .map((char, index) => String.fromCharCode((char.charCodeAt(0) ^ bytes[index % bytes.length]!) & 255))
      .join(""),
  );
}

function xorData(expression: string, constants: Constants): string | undefined {
  const list =
    /[[(]\s{0,9}((?:(?:0x[0-9a-f]{1,2}|\d{1,3})\s{0,3},\s{0,9}){5,4000}(?:0x[0-9a-f]{1,2}|\d{1,3})?)/i.exec(
      expression,
    );
  if (list)
    return String.fromCharCode(
      ...list[1]!
        .split(",")
        .filter((part) => part.trim() !== "")
        .map(Number)
        .slice(0, 4_000),
    );
  const source =
    /\b(?:in|of)\s([^\]]{1,4000}?)(?:\)|\])*\s{0,9}(?:\)|\]|$)/.exec(expression)?.[1] ??
    /^([\w$.]{1,60})(?:\.split\([^)]{0,4}\))?\.map\(/.exec(expression)?.[1];
  if (source === undefined) return undefined;
  const inner = /^enumerate\((.{1,4000})$/.exec(source)?.[1] ?? source;
  for (const candidate of [inner, `${inner})`, `${inner}))`]) {
    const reader = new Reader(candidate, constants);
    const value = reader.sum(0);
    if (value !== undefined && reader.ended() && isText(value)) return value.text;
  }
  return undefined;
}

class Reader {
  readonly #text: string;
  readonly #constants: Constants;
  #at = 0;

  constructor(text: string, constants: Constants) {
    this.#text = text;
    this.#constants = constants;
  }

  ended(): boolean {
    this.#blanks();
    return this.#at >= this.#text.length || this.#text[this.#at] === ";";
  }

  /** Operands joined by `+`, or Python literals side by side. */
  sum(depth: number): Value | undefined {
    let total = this.#operand(depth);
    if (total === undefined) return undefined;
    let pieces = 1;
    let length = isText(total) ? total.text.length : 0;
    for (;;) {
      this.#blanks();
      const plus = this.#text[this.#at] === "+";
      if (!plus && !/["']/.test(this.#text[this.#at] ?? "")) break;
      if (plus) this.#at++;
      const next = this.#operand(depth);
      if (next === undefined || !isText(total) || !isText(next)) return undefined;
      pieces++;
      length += next.text.length;
      total = { text: total.text + next.text, disguised: total.disguised || next.disguised };
    }
    if (isText(total) && pieces > 1 && length <= pieces * 6) return { ...total, disguised: true };
    return total;
  }

  #operand(depth: number): Value | undefined {
    if (depth > DEPTH) return undefined;
    let value = this.#primary(depth);
    while (value !== undefined) {
      const suffix = this.#suffix(value, depth);
      if (suffix === "none") return value;
      value = suffix;
    }
    return undefined;
  }

  #primary(depth: number): Value | undefined {
    this.#blanks();
    const rest = this.#text.slice(this.#at, this.#at + 120);
    const literal = /^[rbfuRBFU]{0,2}(["'\x60])/.exec(rest);
    if (literal) return this.#literal(literal[0], literal[1]!);
    const number = /^(?:0x[0-9a-fA-F]{1,6}|\d{1,7})\b/.exec(rest);
    if (number) {
      this.#at += number[0].length;
      return Number(number[0]);
    }
    if (rest[0] === "[" || rest[0] === "(") return this.#list(depth);
    const name = /^(?:new\s|await\s)?((?:__import__\(["']\w{1,20}["']\)\.)?[A-Za-z_$][\w$.]{0,80})/.exec(
      rest,
    );
    if (!name) return undefined;
    const called = this.#text[this.#at + name[0].length] === "(";
    if (called) {
      this.#at += name[0].length;
      return this.#call(name[1]!, depth);
    }
    return this.#constant(name);
  }

  /** A known name; what follows its first known part is left for the suffixes. */
  #constant(name: RegExpExecArray): Value | undefined {
    const parts = name[1]!.split(".");
    for (let count = parts.length; count > 0; count--) {
      const key = parts.slice(0, count).join(".");
      const known = this.#constants.get(key);
      if (!known) continue;
      this.#at += name[0].length - name[1]!.length + key.length;
      return known;
    }
    return undefined;
  }

  #literal(opening: string, quote: string): Folded | undefined {
    const start = this.#at + opening.length;
    const mark = this.#text.startsWith(quote.repeat(3), start - 1) ? quote.repeat(3) : quote;
    let end = start - 1 + mark.length;
    const from = end;
    while (end < this.#text.length && !this.#text.startsWith(mark, end))
      end += this.#text[end] === "\\" ? 2 : 1;
    if (end >= this.#text.length) return undefined;
    this.#at = end + mark.length;
    const raw = this.#text.slice(from, end);
    if ((/f/i.test(opening) && /\{/.test(raw)) || (quote === "`" && raw.includes("${")))
      return this.#formatted(raw);
    const text = /r/i.test(opening) ? raw : unescaped(raw);
    return { text, disguised: text !== raw && /\\(?:x|u|[0-7]{3})/.test(raw) };
  }

  #formatted(raw: string): Folded | undefined {
    let disguised = false;
    let known = true;
    const text = raw.replace(/\$?\{([A-Za-z_$][\w$.]{0,60})\}/g, (_, name: string) => {
      const value = this.#constants.get(name);
      if (value === undefined) known = false;
      disguised ||= value?.disguised ?? false;
      return value?.text ?? "";
    });
    return known && !/\{/.test(text) ? { text, disguised } : undefined;
  }

  #list(depth: number): Value | undefined {
    const square = this.#text[this.#at] === "[";
    const items = this.#items(depth, square ? "]" : ")");
    return items === undefined ? undefined : square || items.length !== 1 ? items : items[0];
  }

  #items(depth: number, closing: string): Value[] | undefined {
    this.#at++;
    const items: Value[] = [];
    for (;;) {
      this.#blanks();
      if (this.#text[this.#at] === closing) {
        this.#at++;
        return items;
      }
      if (items.length > 8_000) return undefined;
      this.#text
        .slice(this.#at, this.#at + 40)
        .replace(/^\*{1,2}|^\.\.\.|^[a-z_]{1,20}\s?=(?!=)/, (skipped) => {
          this.#at += skipped.length;
          return "";
        });
      const item = this.sum(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      this.#blanks();
      if (this.#text[this.#at] === ",") this.#at++;
      else if (this.#text[this.#at] !== closing) return undefined;
    }
  }

  #call(name: string, depth: number): Value | undefined {
    const args = this.#items(depth, ")");
    if (args === undefined) return undefined;
    const called = name.split(".").at(-1)!;
    const first = args[0];
    if (/^(?:chr|fromCharCode|fromCodePoint)$/.test(called)) return fromCodes(args);
    if (/^(?:bytes|bytearray|Uint8Array)$/.test(called) && Array.isArray(first)) return fromCodes(first);
    if (called === "from" && Array.isArray(first)) return fromCodes(first);
    if (first === undefined || !isText(first)) return undefined;
    const second = args[1] !== undefined && isText(args[1]) ? args[1].text : "";
    if (/^(?:str|bytes|bytearray|String|encode|list|TextEncoder)$/.test(called)) return first;
    const decoded = decodeWith(called, first.text, second);
    return decoded === undefined ? undefined : { text: decoded, disguised: true };
  }

  #suffix(value: Value, depth: number): Value | undefined | "none" {
    this.#blanks();
    const rest = this.#text.slice(this.#at, this.#at + 120);
    if (/^\[\s?:\s?:\s?-1\s?\]/.test(rest) && isText(value)) {
      this.#at += rest.indexOf("]") + 1;
      return { text: [...value.text].reverse().join(""), disguised: true };
    }
    const reversed = /^\.split\(["']{2}\)\.reverse\(\)\.join\(["']{2}\)/.exec(rest);
    if (reversed && isText(value)) {
      this.#at += reversed[0].length;
      return { text: [...value.text].reverse().join(""), disguised: true };
    }
    const method = /^\.\s?([A-Za-z_]\w{0,30})\(/.exec(rest);
    if (!method) return "none";
    this.#at += method[0].length - 1;
    const args = this.#items(depth, ")");
    return args === undefined ? undefined : applyMethod(value, method[1]!, args);
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

function applyMethod(value: Value, method: string, args: readonly Value[]): Value | undefined {
  const [first, second] = args;
  if (Array.isArray(value)) {
    if (method === "reverse") return value.toReversed();
    if (method !== "join") return undefined;
    return joined(value, first !== undefined && isText(first) ? first.text : ",");
  }
  if (!isText(value)) return undefined;
  if (method === "join") return Array.isArray(first) ? joined(first, value.text) : undefined;
  if (method === "concat")
    return args.every(isText)
      ? { text: value.text + args.map((arg) => (arg as Folded).text).join(""), disguised: true }
      : undefined;
  if (/^(?:decode|encode|strip|trim|lower|upper|toString|toLowerCase|rstrip|lstrip)$/.test(method)) {
    const coding = first !== undefined && isText(first) ? first.text : "";
    return method === "decode" || method === "toString"
      ? /^(?:rot_?13|hex|base64)$/.test(coding)
        ? undefined
        : value
      : value;
  }
  if (
    /^replace(?:All)?$/.test(method) &&
    first !== undefined &&
    second !== undefined &&
    isText(first) &&
    isText(second)
  )
    return { text: value.text.split(first.text).join(second.text), disguised: true };
  if (method === "split" && first !== undefined && isText(first))
    return value.text.split(first.text).map((text) => ({ text, disguised: value.disguised }));
  return undefined;
}

function joined(items: readonly Value[], separator: string): Folded | undefined {
  if (!items.every(isText)) return undefined;
  const texts = (items as readonly Folded[]).map(({ text }) => text);
  const short = texts.length > 1 && texts.join("").length <= texts.length * 6;
  return {
    text: texts.join(separator),
    disguised: short || (items as readonly Folded[]).some(({ disguised }) => disguised),
  };
}

function decodeWith(called: string, text: string, coding: string): string | undefined {
  if (/^(?:b64decode|urlsafe_b64decode|standard_b64decode|decodebytes|atob|a2b_base64)$/.test(called))
    return latin(Buffer.from(text, "base64"));
  if (called === "from" && /^base64(?:url)?$/.test(coding)) return latin(Buffer.from(text, "base64"));
  if (/^(?:unhexlify|fromhex|a2b_hex)$/.test(called) || (called === "from" && coding === "hex"))
    return latin(Buffer.from(text.replace(/\s/g, ""), "hex"));
  if (called === "from" || called === "decodestring") return text;
  if (/^(?:b32decode)$/.test(called)) return base32(text);
  if (/^(?:b85decode)$/.test(called)) return base85(text, B85);
  if (/^(?:a85decode)$/.test(called)) return base85(text, A85);
  if (/^(?:decompress|inflate|inflateSync|gunzipSync|unzipSync|inflateRawSync)$/.test(called))
    return unpacked(text);
  if (/^(?:unquote|unquote_plus|decodeURIComponent|unescape|decodeURI)$/.test(called))
    return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  if (called === "decode" && /^rot_?13$/.test(coding)) return rot13(text);
  if (called === "decode" && /hex/.test(coding)) return latin(Buffer.from(text, "hex"));
  if (called === "decode" && /base64/.test(coding)) return latin(Buffer.from(text, "base64"));
  if (called === "reversed") return [...text].reverse().join("");
  return undefined;
}

function unpacked(text: string): string | undefined {
  const bytes = Buffer.from(text, "latin1");
  for (const unpack of [inflateSync, gunzipSync, inflateRawSync]) {
    try {
      return latin(unpack(bytes, { maxOutputLength: UNPACKED }));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  return undefined;
}

const B85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const A85 = Array.from({ length: 85 }, (_, index) => String.fromCharCode(33 + index)).join("");

function base85(text: string, alphabet: string): string | undefined {
  const codes = [...text.replace(/\s|<~|~>/g, "").replaceAll("z", alphabet === A85 ? "!!!!!" : "z")].map(
    (char) => alphabet.indexOf(char),
  );
  if (codes.includes(-1)) return undefined;
  const padding = (5 - (codes.length % 5)) % 5;
  const bytes: number[] = [];
  const padded = [...codes, ...new Array<number>(padding).fill(84)];
  for (let at = 0; at < padded.length; at += 5) {
    const value = padded.slice(at, at + 5).reduce((sum, code) => sum * 85 + code, 0);
    for (let shift = 3; shift >= 0; shift--) bytes.push(Math.floor(value / 256 ** shift) % 256);
  }
  return latin(Buffer.from(bytes.slice(0, bytes.length - padding)));
}

function base32(text: string): string {
  let bits = "";
  for (const char of text.toUpperCase()) {
    const code = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char);
    if (code >= 0) bits += code.toString(2).padStart(5, "0");
  }
  return String.fromCharCode(
    ...(bits.match(/[01]{8}/g) ?? []).slice(0, 20_000).map((byte) => Number.parseInt(byte, 2)),
  );
}

export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (char) => {
    const base = char <= "Z" ? 65 : 97;
    return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base);
  });
}

function fromCodes(values: readonly Value[]): Folded | undefined {
  if (values.length === 0 || !values.every((value) => typeof value === "number" && value < 0x110000))
    return undefined;
  return { text: values.map((value) => String.fromCodePoint(value as number)).join(""), disguised: true };
}

function unescaped(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(
    /\\(?:x([0-9a-f]{2})|u\{?([0-9a-f]{4,6})\}?|([0-7]{3})|(.))/gis,
    (_, hex?: string, code?: string, octal?: string, plain?: string) => {
      const value = hex ?? code;
      if (value !== undefined) return String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(value, 16)));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return plain === "n" ? "\n" : plain === "t" ? "\t" : (plain ?? "");
    },
  );
}

function printable(text: string): string | undefined {
  const odd = text.match(/[^\t\n\r\x20-\x7e]/g)?.length ?? 0;
  return text.length >= 4 && odd * 10 <= text.length ? text : undefined;
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function isText(value: Value): value is Folded {
  return typeof value === "object" && !Array.isArray(value);
}
