// Turns text into terms in linear time: words, identifiers and their parts, CJK pairs, folded and stemmed.

import { fold } from "./fold.ts";
import { lazyPattern } from "./patterns.ts";
import { stem } from "./stem.ts";
import { isStopWord } from "./stopwords.ts";

/** "joined" is a whole identifier, "part" a piece of the "joined" before it, "word" any other term. */
type TokenKind = "word" | "joined" | "part";
type TokenVisitor = (term: string, kind: TokenKind) => void;

interface TokenizeOptions {
  /** Leave out the joined form of identifiers, so that neighbours in the result are neighbours in the text. */
  partsOnly?: boolean | undefined;
}

const LIMITS = {
  /** A longer run of letters is data (base64, a minified line); only its start is kept. */
  wordLength: 48,
  /** `a-b-c-d` is an identifier; a longer chain is a path or a sentence and has parts only. */
  joinedParts: 5,
  /** A chain is cut here, so that a whole text cannot be one identifier. */
  chainParts: 64,
  /** UTF-16 units in the shared buffer: enough for most skills. */
  units: 1 << 15,
  /** Spellings cached with their term, a power of two: enough for a message, */
  memo: 1 << 10,
  /** and, once that many were missing, for the text of a large library. */
  largeMemo: 1 << 16,
} as const;

const SEPARATOR = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const UNSPACED = 4;
const LETTER = 5;
const UNKNOWN = 255;

const classes = new Uint8Array(0x10000).fill(UNKNOWN);
for (let c = 0; c < 128; c++) {
  classes[c] =
    c >= 97 && c <= 122 ? LOWER : c >= 65 && c <= 90 ? UPPER : c >= 48 && c <= 57 ? DIGIT : SEPARATOR;
}

// Scripts written without spaces: their terms are overlapping pairs of characters.
const unspacedScript = lazyPattern(
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー]",
  "u",
);
const wordCharacter = lazyPattern("[\\p{L}\\p{M}\\p{N}]", "u");

function classOf(code: number): number {
  const known = classes[code]!;
  if (known !== UNKNOWN) return known;
  const char = String.fromCharCode(code);
  // Surrogates are separators: rare scripts and emoji give no terms.
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  const found =
    surrogate || !wordCharacter().test(char) ? SEPARATOR : unspacedScript().test(char) ? UNSPACED : LETTER;
  classes[code] = found;
  return found;
}

/** Calls `visit` for each term of `text`, in order. Stop words are left out. */
export function visitTokens(text: string, visit: TokenVisitor): void {
  const end = text.length;
  const parts: string[] = [];
  const units = unitsOf(text);
  let at = 0;
  while (at < end) {
    const kind = classOf(units[at]!);
    if (kind === SEPARATOR) {
      if (units[at] === 46 && isDotNet(text, at)) visit("dotnet", "word");
      at++;
      continue;
    }
    if (kind === UNSPACED) {
      at = visitPairs(text, at, visit);
      continue;
    }
    // One pass finds the end of the word, its hash, and whether case or digits may split it.
    let stop = at;
    let a = 0;
    let b = 0;
    let onePiece = true;
    for (; stop < end; stop++) {
      const code = units[stop]!;
      let inner = classes[code]!;
      if (inner === UNKNOWN) inner = classOf(code);
      if (inner === SEPARATOR || inner === UNSPACED) break;
      if ((inner === UPPER || inner === DIGIT) && stop > at) onePiece = false;
      if (stop - at < LIMITS.wordLength) {
        a = stepA(a, code);
        b = stepB(b, code);
      }
    }
    const joined = isJoiner(text.charCodeAt(stop)) && isWordAt(text, stop + 1);
    if (!joined && onePiece && parts.length === 0) {
      const language = stop - at === 1 ? languageAt(text, at) : undefined;
      const term = language ?? termHashed({ text, start: at, stop, a, b });
      if (term !== "") visit(term, "word");
      at = stop;
      continue;
    }
    splitWord({ text, start: at, stop, parts });
    at = stop;
    if (joined && parts.length < LIMITS.chainParts) {
      at++;
      continue;
    }
    visitIdentifier(parts, visit);
    parts.length = 0;
  }
  shared ??= units;
}

/** The reused buffer; undefined while a text is being read, so that a visitor may tokenize another text. */
let shared: Uint16Array | undefined;

/** The UTF-16 units of a text: an array is read several times faster than a string. */
function unitsOf(text: string): Uint16Array {
  const size = Math.max(text.length, LIMITS.units);
  const units = shared !== undefined && shared.length >= text.length ? shared : new Uint16Array(size);
  shared = undefined;
  Buffer.from(units.buffer).write(text, 0, "utf16le");
  return units;
}

/** The terms of `text`, in order. */
export function tokenize(text: string, options: TokenizeOptions = {}): string[] {
  const terms: string[] = [];
  const { partsOnly = false } = options;
  visitTokens(text, (term, kind) => {
    if (kind !== "joined" || !partsOnly) terms.push(term);
  });
  return terms;
}

const UNSPLIT = new Set(
  `javascript typescript github gitlab youtube linkedin powerpoint postgresql mysql sqlite nosql graphql openai chatgpt
  macos ios ipad iphone devops whatsapp tiktok wordpress paypal pytorch tensorflow latex mongodb dynamodb clickhouse
  bigquery hubspot docusign onedrive sharepoint airflow webrtc oauth nuget npm powershell jetbrains vscode webpack
  fastapi opentelemetry graphrag airtable figjam salesforce webassembly pypi cocoapods cloudflare cloudwatch`.split(
    /\s+/,
  ),
);

// Splits a run of letters and digits at the borders in lowerUpper, ABCWord and word9, and appends the pieces.
function splitWord(run: { text: string; start: number; stop: number; parts: string[] }): void {
  const { text, start, parts } = run;
  const stop = Math.min(run.stop, start + LIMITS.wordLength);
  const first = parts.length;
  let from = start;
  let previous = classOf(text.charCodeAt(start));
  for (let i = start + 1; i < stop; i++) {
    const kind = classOf(text.charCodeAt(i));
    if (kind === LETTER || previous === LETTER) {
      previous = LETTER;
      continue;
    }
    const lowerUpper = kind === UPPER && previous === LOWER;
    const acronymWord =
      kind === LOWER && previous === UPPER && i - 1 > from && classOf(text.charCodeAt(i - 2)) === UPPER;
    const wordNumber = kind === DIGIT && previous !== DIGIT && i - from >= 3;
    if (lowerUpper || wordNumber) {
      parts.push(text.slice(from, i));
      from = i;
    } else if (acronymWord) {
      parts.push(text.slice(from, i - 1));
      from = i - 1;
    }
    previous = kind;
  }
  if (from > start && UNSPLIT.has(text.slice(start, stop).toLowerCase())) {
    parts.length = first;
    from = start;
  }
  parts.push(text.slice(from, stop));
}

function visitIdentifier(parts: readonly string[], visit: TokenVisitor): void {
  if (parts.length === 1) {
    const term = termOf(parts[0]!);
    if (term !== "") visit(term, "word");
    return;
  }
  if (parts.length <= LIMITS.joinedParts) {
    const numbers = parts.every((part) => classOf(part.charCodeAt(0)) === DIGIT);
    const whole = parts.join(numbers ? "." : "");
    if (whole.length <= LIMITS.wordLength) visit(termOf(whole) || whole.toLowerCase(), "joined");
  }
  for (const part of parts) {
    const term = termOf(part);
    if (term !== "") visit(term, "part");
  }
}

// Direct-mapped cache from spelling to term. A spelling is identified by its 64-bit hash, as terms are in the index.
let memoA = new Int32Array(LIMITS.memo);
let memoB = new Int32Array(LIMITS.memo);
let memoTerms: (string | undefined)[] = new Array(LIMITS.memo).fill(undefined);
let missing = 0;

function enlargeMemo(): void {
  memoA = new Int32Array(LIMITS.largeMemo);
  memoB = new Int32Array(LIMITS.largeMemo);
  memoTerms = new Array(LIMITS.largeMemo).fill(undefined);
}

const stepA = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
const stepB = (hash: number, unit: number): number => {
  const mixed = Math.imul(hash + unit + 1, 0x9e3779b1 | 0);
  return mixed ^ (mixed >>> 15);
};

interface HashedSpelling {
  text: string;
  start: number;
  stop: number;
  a: number;
  b: number;
}

// The term of a spelling, or an empty string for a stop word.
function termHashed({ text, start, stop, a, b }: HashedSpelling): string {
  const slot = (b ^ (b >>> 16)) & (memoA.length - 1);
  const known = memoTerms[slot];
  if (known !== undefined && memoA[slot] === a && memoB[slot] === b) return known;
  const folded = fold(ownCopy(text.slice(start, Math.min(stop, start + LIMITS.wordLength))));
  const term = isStopWord(folded) ? "" : stem(folded);
  memoA[slot] = a;
  memoB[slot] = b;
  memoTerms[slot] = term;
  if (++missing === LIMITS.memo) enlargeMemo();
  return term;
}

// Copies a slice: in the cache, the slice itself would keep the whole text in memory.
function ownCopy(slice: string): string {
  return Buffer.from(slice, "utf16le").toString("utf16le");
}

function termOf(spelling: string): string {
  const end = Math.min(spelling.length, LIMITS.wordLength);
  let a = 0;
  let b = 0;
  for (let i = 0; i < end; i++) {
    a = stepA(a, spelling.charCodeAt(i));
    b = stepB(b, spelling.charCodeAt(i));
  }
  return termHashed({ text: spelling, start: 0, stop: end, a, b });
}

function visitPairs(text: string, start: number, visit: TokenVisitor): number {
  let at = start + 1;
  while (at < text.length && classOf(text.charCodeAt(at)) === UNSPACED) {
    visit(text.slice(at - 1, at + 1), "word");
    at++;
  }
  if (at === start + 1) visit(text[start]!, "word");
  return at;
}

// `-`, `.` and `_` join the parts of an identifier; `/` and `\` separate the steps of a path.
function isJoiner(code: number): boolean {
  return code === 45 || code === 46 || code === 95;
}

function isWordAt(text: string, at: number): boolean {
  if (at >= text.length) return false;
  const kind = classOf(text.charCodeAt(at));
  return kind !== SEPARATOR && kind !== UNSPACED;
}

// Names of languages that include punctuation, as the terms that skills use.
function languageAt(text: string, at: number): string | undefined {
  const letter = text.charCodeAt(at) | 32;
  const next = text.charCodeAt(at + 1);
  if (next === 35 && letter === 99) return "csharp";
  if (next === 35 && letter === 102) return "fsharp";
  if (next === 43 && letter === 99 && text.charCodeAt(at + 2) === 43) return "cpp";
  return undefined;
}

// ".NET" on its own; "ASP.NET" has its joined form.
function isDotNet(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 46 || text.slice(at + 1, at + 4).toLowerCase() !== "net") return false;
  return !isWordAt(text, at + 4) && (at === 0 || !isWordAt(text, at - 1));
}
