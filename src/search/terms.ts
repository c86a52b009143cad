// The term table of a segment: finds the posting list of a term. It stores no strings: a term is its hash of 40 bits, and with
// 700,000 terms in a segment two of them share a hash in one of five segments.
//
//   pages of 4 KB, in hash order | the first hash of each page
//
// A page is a block of the file, so a new process finds a term with one read. Numbers are little-endian. A page: the number of
// its lists (12 bits), of its single postings (12 bits), and whether its hashes are wide; the place of its first list, in units
// of two bytes of the postings; the hashes of the lists and those of the single postings, each ascending; then three bytes for
// the place of each list from the first one on and three for its shape, and three for each single posting. A hash is stored in
// 32 bits: less the high half of the page's first one, times 256, plus the low bits. In a wide page it is the high half, and
// the low bits follow all hashes.

import { type ByteSource, memoryBytes, wordsOf } from "./bytes.ts";
import { BLOCK_BYTES } from "./checksum.ts";

export interface TermHash {
  high: number;
  /** 8 bits. */
  low: number;
}

export interface TermEntry extends TermHash {
  /** Documents in the list, deleted ones included; never 0. */
  count: number;
  maxImpact: number;
  /** Of a term in one document: impact (8 bits) and document (16 bits). Of others: the start of the list, in units of two bytes. */
  where: number;
  /** Whether the documents of the list are stored as gaps. */
  asGaps: boolean;
}

/** Writes the two halves of the hash into `target`, so that counting millions of terms allocates nothing. */
export function hashTermInto(target: Uint32Array, term: string): void {
  let high = 0x2545f491;
  let low = 0x6c078965;
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5bd1e995);
    high ^= high >>> 17;
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (low >>> 11), 0x85ebca6b);
  low = Math.imul(low ^ (high >>> 15), 0xc2b2ae35);
  target[0] = high ^ (high >>> 13);
  target[1] = (low ^ (low >>> 16)) & 0xff;
}

/** The hash under which a term is stored. */
export function hashTerm(term: string): TermHash {
  const halves = new Uint32Array(2);
  hashTermInto(halves, term);
  return { high: halves[0]!, low: halves[1]! };
}

/** The order of the term table. */
export function compareHashes(a: TermHash, b: TermHash): number {
  return a.high - b.high || a.low - b.low;
}

const HEADER_BYTES = 8;
const COUNT_BITS = 12;
const COUNT_MASK = 2 ** COUNT_BITS - 1;
const WIDE = 2 ** (2 * COUNT_BITS);
const HASH_BYTES = 4;
const LIST_BYTES = 6;
const SINGLE_BYTES = 3;
/** The values of the low bits of a hash. */
const LOWS = 2 ** 8;
/** The high halves of a page with narrow hashes span less than this. */
const NARROW_SPAN = 2 ** 32 / LOWS;
/** The shape of a list: its largest impact (8 bits), whether it has gaps, and its length less one (14 bits). */
const LIST_GAPS = 1 << 8;
const LIST_COUNT = 1 << 9;

/** The bytes of a full page and of its place in the directory. */
const FULL_PAGE_BYTES = BLOCK_BYTES + 4;

/** Writes the table of terms that come in hash order. */
export class TermTableWriter {
  private pages = new Uint8Array(4 * BLOCK_BYTES);
  /** The bytes of the pages, and the first high half of each. */
  private length = 0;
  private readonly firsts: number[] = [];
  /** The page being filled. */
  private lists: TermEntry[] = [];
  private singles: TermEntry[] = [];
  private first = 0;
  private last = 0;

  push(entry: TermEntry): void {
    const isSingle = entry.count === 1;
    const { lists, singles } = this;
    const bytes = pageBytes(
      lists.length + (isSingle ? 0 : 1),
      singles.length + (isSingle ? 1 : 0),
      entry.high - this.first >= NARROW_SPAN,
    );
    if (bytes > BLOCK_BYTES) this.finishPage();
    if (this.lists.length + this.singles.length === 0) this.first = entry.high;
    (isSingle ? this.singles : this.lists).push(entry);
    this.last = entry.high;
  }

  finish(): ByteSource {
    this.finishPage();
    const directory = new Uint8Array(Uint32Array.from(this.firsts).buffer);
    const table = new Uint8Array(this.length + directory.length);
    table.set(this.pages.subarray(0, this.length));
    table.set(directory, this.length);
    return memoryBytes(table);
  }

  private finishPage(): void {
    const { lists, singles, first } = this;
    const terms = [...lists, ...singles];
    if (terms.length === 0) return;
    const isWide = this.last - first >= NARROW_SPAN;
    const base = lists[0]?.where ?? 0;
    const at = this.startPage();
    const words = wordsOf(this.pages.subarray(at, at + BLOCK_BYTES));
    words[0] = lists.length + singles.length * 2 ** COUNT_BITS + (isWide ? WIDE : 0);
    words[1] = base;
    let next = HEADER_BYTES / 4;
    for (const { high, low } of terms) words[next++] = isWide ? high : (high - first) * LOWS + low;
    let end = at + next * 4;
    const append = (value: number, bytes: number) => {
      for (let i = 0; i < bytes; i++) this.pages[end++] = value >>> (8 * i);
    };
    if (isWide) for (const { low } of terms) append(low, 1);
    for (const { where, count, asGaps, maxImpact } of lists) {
      append(where - base, 3);
      append((count - 1) * LIST_COUNT + (asGaps ? LIST_GAPS : 0) + maxImpact, 3);
    }
    for (const { where } of singles) append(((where >>> 16) << 14) | (where & 0x3fff), 3);
    this.length = Math.ceil(end / 4) * 4;
    this.firsts.push(first);
    this.lists = [];
    this.singles = [];
  }

  /** Where the next page begins; the one before it is filled up. */
  private startPage(): number {
    const at = Math.ceil(this.length / BLOCK_BYTES) * BLOCK_BYTES;
    if (at + BLOCK_BYTES > this.pages.length) {
      const grown = new Uint8Array(this.pages.length * 2);
      grown.set(this.pages);
      this.pages = grown;
    }
    return at;
  }
}

function pageBytes(lists: number, singles: number, isWide: boolean): number {
  const terms = lists * (HASH_BYTES + LIST_BYTES) + singles * (HASH_BYTES + SINGLE_BYTES);
  return HEADER_BYTES + terms + (isWide ? lists + singles : 0);
}

/** A page in memory: `words` are the same bytes. */
interface Page {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  /** Where it begins, in bytes. */
  readonly at: number;
  readonly first: number;
}

/** Reads a term table. */
export class TermTable {
  private readonly source: ByteSource;
  private readonly pages: number;
  /** The first high half of each page, read on first use. */
  private firsts: Uint32Array | undefined;
  /** The whole table, if it is in memory. */
  private readonly whole: { readonly bytes: Uint8Array; readonly words: Uint32Array } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
    // All pages but the last are full.
    this.pages = Math.ceil(source.length / FULL_PAGE_BYTES);
    if (source.resident) {
      const bytes = source.read(0, source.length);
      this.whole = { bytes, words: wordsOf(bytes) };
    }
  }

  lookup(hash: TermHash): TermEntry | undefined {
    const firsts = this.directory();
    // Hashes are spread evenly, so the page is near this one.
    let p = Math.min(this.pages - 1, Math.floor((hash.high * this.pages) / 2 ** 32));
    while (p + 1 < this.pages && firsts[p + 1]! <= hash.high) p++;
    while (p >= 0 && firsts[p]! > hash.high) p--;
    for (; p >= 0; p--) {
      const found = findIn(this.page(p), hash);
      // Terms with the same high half may begin on the page before.
      if (found !== undefined || firsts[p]! < hash.high) return found;
    }
    return undefined;
  }

  /** All terms, in hash order. */
  *entries(): Generator<TermEntry> {
    for (let p = 0; p < this.pages; p++) {
      const page = this.page(p);
      const { lists, singles } = countsOf(page);
      let single = lists;
      let next = single < lists + singles ? entryAt(page, single) : undefined;
      for (let list = 0; list < lists; list++) {
        const entry = entryAt(page, list);
        while (next !== undefined && compareHashes(next, entry) < 0) {
          yield next;
          next = ++single < lists + singles ? entryAt(page, single) : undefined;
        }
        yield entry;
      }
      while (next !== undefined) {
        yield next;
        next = ++single < lists + singles ? entryAt(page, single) : undefined;
      }
    }
  }

  private directory(): Uint32Array {
    const { source, pages } = this;
    this.firsts ??= wordsOf(source.read(source.length - pages * 4, pages * 4));
    return this.firsts;
  }

  private page(p: number): Page {
    const at = p * BLOCK_BYTES;
    const first = this.directory()[p]!;
    if (this.whole !== undefined) return { ...this.whole, at, first };
    const end = this.source.length - this.pages * 4;
    const bytes = this.source.read(at, Math.min(BLOCK_BYTES, end - at));
    return { bytes, words: wordsOf(bytes), at: 0, first };
  }
}

function countsOf({ words, at }: Page): { lists: number; singles: number; isWide: boolean } {
  const packed = words[at >>> 2]!;
  return {
    lists: packed & COUNT_MASK,
    singles: (packed >>> COUNT_BITS) & COUNT_MASK,
    isWide: (packed & WIDE) !== 0,
  };
}

function findIn(page: Page, hash: TermHash): TermEntry | undefined {
  const { lists, singles, isWide } = countsOf(page);
  const span = hash.high - page.first;
  if (!isWide && span >= NARROW_SPAN) return undefined;
  const wanted = isWide ? hash.high : span * LOWS + hash.low;
  const hashesAt = (page.at + HEADER_BYTES) >>> 2;
  for (const [from, to] of [
    [0, lists],
    [lists, lists + singles],
  ] as const) {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (page.words[hashesAt + middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    for (; low < to && page.words[hashesAt + low] === wanted; low++) {
      const entry = entryAt(page, low);
      if (entry.low === hash.low) return entry;
    }
  }
  return undefined;
}

/** The entry at a place in a page: its lists first, then its single postings. */
function entryAt(page: Page, place: number): TermEntry {
  const { bytes, words, first } = page;
  const { lists, singles, isWide } = countsOf(page);
  const hash = words[((page.at + HEADER_BYTES) >>> 2) + place]!;
  const lowsAt = page.at + HEADER_BYTES + (lists + singles) * HASH_BYTES;
  const high = isWide ? hash : first + Math.floor(hash / LOWS);
  const low = isWide ? bytes[lowsAt + place]! : hash % LOWS;
  const listsAt = lowsAt + (isWide ? lists + singles : 0);
  if (place >= lists) {
    const single = threeBytes(bytes, listsAt + lists * LIST_BYTES + (place - lists) * SINGLE_BYTES);
    const impact = single >>> 14;
    return {
      high,
      low,
      count: 1,
      maxImpact: impact,
      where: (impact << 16) | (single & 0x3fff),
      asGaps: false,
    };
  }
  const at = listsAt + place * LIST_BYTES;
  const shape = threeBytes(bytes, at + 3);
  return {
    high,
    low,
    count: Math.floor(shape / LIST_COUNT) + 1,
    maxImpact: shape & 0xff,
    where: words[(page.at >>> 2) + 1]! + threeBytes(bytes, at),
    asGaps: (shape & LIST_GAPS) !== 0,
  };
}

function threeBytes(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
}
