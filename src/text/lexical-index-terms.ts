// Owns the term table: a hash table in one run of 32-bit words, the same in memory and on disk.
// It keeps no strings. A term is its 64-bit hash; with ten million terms the odds of one collision are 1 in 370,000.
// Entries lie in hash order with gaps, so one small read finds a term and two tables merge in one pass.

export interface TermHash {
  high: number;
  low: number;
}

export interface TermEntry extends TermHash {
  /** Where the posting list begins, in 16-bit units of the postings. */
  start: number;
  /** Documents in the list, dead ones included. */
  count: number;
  /** The largest impact in the list. */
  maxImpact: number;
}

export const ENTRY_WORDS = 4;
export const ENTRY_BYTES = ENTRY_WORDS * 4;
const OCCUPIED = 1 << 24;
/** 1.4 slots a term: runs stay within a few entries, 22 bytes a term in all. */
const SLOTS_PER_TERM = 1.4;

/** Writes the two halves into `target`, so that counting millions of terms allocates nothing. */
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
  target[1] = low ^ (low >>> 16);
}

export function hashTerm(term: string): TermHash {
  const halves = new Uint32Array(2);
  hashTermInto(halves, term);
  return { high: halves[0]!, low: halves[1]! };
}

export function compareHashes(a: TermHash, b: TermHash): number {
  return a.high - b.high || a.low - b.low;
}

/** Capacity follows from the number of terms, the table's real length also from where the last run ends. */
export function termCapacity(terms: number): number {
  return Math.ceil(terms * SLOTS_PER_TERM) + 1;
}

export function slotOf(high: number, capacity: number): number {
  return Math.floor((high * capacity) / 2 ** 32);
}

/** Takes entries in hash order. */
export class TermTableWriter {
  private words: Uint32Array<ArrayBuffer>;
  private readonly capacity: number;
  private next = 0;

  constructor(terms: number) {
    this.capacity = termCapacity(terms);
    this.words = new Uint32Array((this.capacity + 64) * ENTRY_WORDS);
  }

  push(entry: TermEntry): void {
    const slot = Math.max(this.next, slotOf(entry.high, this.capacity));
    const at = slot * ENTRY_WORDS;
    if (at + ENTRY_WORDS > this.words.length) {
      const grown = new Uint32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    this.words[at] = entry.high;
    this.words[at + 1] = entry.low;
    this.words[at + 2] = entry.start;
    this.words[at + 3] = OCCUPIED | (entry.maxImpact << 16) | (entry.count - 1);
    this.next = slot + 1;
  }

  /** Ends with an empty slot, so that a search always meets its end. */
  finish(): Uint8Array<ArrayBuffer> {
    const slots = Math.max(this.next, this.capacity) + 1;
    return new Uint8Array(this.words.slice(0, slots * ENTRY_WORDS).buffer, 0, slots * ENTRY_BYTES);
  }
}

export function entryAt(words: Uint32Array, slot: number): TermEntry | undefined {
  const at = slot * ENTRY_WORDS;
  const packed = words[at + 3] ?? 0;
  if ((packed & OCCUPIED) === 0) return undefined;
  return {
    high: words[at]!,
    low: words[at + 1]!,
    start: words[at + 2]!,
    count: (packed & 0xffff) + 1,
    maxImpact: (packed >>> 16) & 0xff,
  };
}
