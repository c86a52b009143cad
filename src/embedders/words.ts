// Cuts a text into rows of the embedding table (words, word pieces, phrases), by running hashes without substrings.

export interface RowIndex {
  /** The row of the key with these hashes, or -1. */
  find(a: number, b: number): number;
}

export const WORD_LIMITS = {
  /** Characters that are read, about 5,000 words: enough to determine the topic. */
  characters: 32_768,
  /** Rows taken from one text: bounds the time of a text made of one-letter words. */
  rows: 4_096,
  /** Letters of a word; longer runs are base64, hashes or minified lines. */
  wordLetters: 48,
  /** Words in the longest phrase that has its own row. */
  phraseWords: 3,
} as const;

const SPACE = 32;
const HASH = 35;
const PLUS = 43;

const seedA = 0x811c9dc5 | 0;
const seedB = 0x2545f491 | 0;
const stepA = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
const stepB = (hash: number, unit: number): number => {
  const mixed = Math.imul(hash + unit, 0x9e3779b1 | 0);
  return mixed ^ (mixed >>> 15);
};

/** Both hashes of a key of the table: a word, `##piece`, or words joined by one space. */
export function hashKey(key: string): [number, number] {
  let a = seedA;
  let b = seedB;
  for (let i = 0; i < key.length; i++) {
    a = stepA(a, key.charCodeAt(i));
    b = stepB(b, key.charCodeAt(i));
  }
  return [a, b];
}

const [pieceA, pieceB] = hashKey("##");

/** Folds width and removes accents, but not the marks of other scripts, which are vowels there. */
function foldText(text: string): string {
  const head = text.length > WORD_LIMITS.characters ? text.slice(0, WORD_LIMITS.characters) : text;
  if (/^[\x00-\x7f]*$/.test(head)) return head;
  return head.normalize("NFKD").replace(/[\u0300-\u036f]+/g, "");
}

const isUpper = (c: number): boolean => c >= 65 && c <= 90;
const isLower = (c: number): boolean => c >= 97 && c <= 122;
const isDigit = (c: number): boolean => c >= 48 && c <= 57;

function isWordUnit(c: number): boolean {
  if (c < 128) return isLower(c) || isUpper(c) || isDigit(c);
  if (c < 0xc0 || c === 0xd7 || c === 0xf7) return false;
  if (c >= 0x2000 && c <= 0x2bff) return false;
  if (c >= 0x3000 && c <= 0x303f) return false;
  return c < 0xd800;
}

const lowerUnit = (c: number): number => {
  if (c < 128) return isUpper(c) ? c + 32 : c;
  const lower = String.fromCharCode(c).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : c;
};

const joinsPhrase = (c: number): boolean => c === SPACE || c === 45 || c === 46 || c === 47 || c === 95;

/** Cuts texts into row numbers of one table. It reuses buffers and is not re-entrant. */
export class WordCutter {
  readonly #index: RowIndex;
  readonly #rows = new Int32Array(WORD_LIMITS.rows);
  readonly #units = new Uint16Array(WORD_LIMITS.wordLetters);
  #count = 0;
  /** Running hashes of the phrases that end with the previous word and may continue. */
  readonly #openA = new Int32Array(WORD_LIMITS.phraseWords - 1);
  readonly #openB = new Int32Array(WORD_LIMITS.phraseWords - 1);
  #open = 0;

  constructor(index: RowIndex) {
    this.#index = index;
  }

  /** The rows of a text in order, with repetitions. The view is valid until the next call. */
  cut(text: string): Int32Array {
    const folded = foldText(text);
    this.#count = 0;
    this.#open = 0;
    const end = folded.length;
    let at = 0;
    while (at < end && this.#count < WORD_LIMITS.rows) {
      if (!isWordUnit(folded.charCodeAt(at))) {
        at++;
        continue;
      }
      let stop = at + 1;
      while (stop < end && isWordUnit(folded.charCodeAt(stop))) stop++;
      if (stop - at <= WORD_LIMITS.wordLetters) this.#word(folded, at, stop);
      else this.#open = 0;
      if (!joinsPhrase(folded.charCodeAt(stop)) || !isWordUnit(folded.charCodeAt(stop + 1))) this.#open = 0;
      at = stop;
    }
    return this.#rows.subarray(0, this.#count);
  }

  #push(row: number): void {
    if (this.#count < WORD_LIMITS.rows) this.#rows[this.#count++] = row;
  }

  #word(text: string, start: number, stop: number): void {
    const units = this.#units;
    let a = seedA;
    let b = seedB;
    for (let i = start; i < stop; i++) {
      const unit = lowerUnit(text.charCodeAt(i));
      units[i - start] = unit;
      a = stepA(a, unit);
      b = stepB(b, unit);
    }
    this.#phrases(stop - start, a, b);
    const signed = this.#signed(text, stop, a, b);
    const whole = signed >= 0 ? signed : this.#index.find(a, b);
    if (whole >= 0) this.#push(whole);
    else if (!this.#humps(text, start, stop)) this.#pieces(0, stop - start);
  }

  /** Finds words that end in signs: `c#` and `c++`. */
  #signed(text: string, stop: number, a: number, b: number): number {
    const next = text.charCodeAt(stop);
    if (next === HASH) return this.#index.find(stepA(a, HASH), stepB(b, HASH));
    if (next !== PLUS || text.charCodeAt(stop + 1) !== PLUS) return -1;
    return this.#index.find(stepA(stepA(a, PLUS), PLUS), stepB(stepB(b, PLUS), PLUS));
  }

  /** Adds the rows of phrases to those of their words: a phrase's row holds the difference from the sum of its words. */
  #phrases(length: number, wordA: number, wordB: number): void {
    const held = this.#open;
    for (let k = held - 1; k >= 0; k--) {
      let a = stepA(this.#openA[k]!, SPACE);
      let b = stepB(this.#openB[k]!, SPACE);
      for (let i = 0; i < length; i++) {
        a = stepA(a, this.#units[i]!);
        b = stepB(b, this.#units[i]!);
      }
      const row = this.#index.find(a, b);
      if (row >= 0) this.#push(row);
      if (k + 1 < this.#openA.length) {
        this.#openA[k + 1] = a;
        this.#openB[k + 1] = b;
      }
    }
    this.#openA[0] = wordA;
    this.#openB[0] = wordB;
    this.#open = Math.min(held + 1, this.#openA.length);
  }

  /** Splits `parseHTTPHeader` into parse, HTTP, Header and `utf8text` into utf, 8, text. Returns false for one piece. */
  #humps(text: string, start: number, stop: number): boolean {
    let from = start;
    for (let i = start + 1; i <= stop; i++) {
      if (i < stop && !this.#humpAt(text, i, stop)) continue;
      if (from === start && i === stop) return false;
      this.#pieces(from - start, i - start);
      from = i;
    }
    return true;
  }

  #humpAt(text: string, i: number, stop: number): boolean {
    const before = text.charCodeAt(i - 1);
    const here = text.charCodeAt(i);
    if (isDigit(before) !== isDigit(here)) return true;
    if (!isUpper(here)) return false;
    return isLower(before) || (isUpper(before) && i + 1 < stop && isLower(text.charCodeAt(i + 1)));
  }

  /** Takes the longest known start, then the longest known pieces; a word with an unknown part adds no rows. */
  #pieces(from: number, to: number): void {
    const mark = this.#count;
    let at = from;
    while (at < to) {
      let a = at === from ? seedA : pieceA;
      let b = at === from ? seedB : pieceB;
      let best = -1;
      let bestEnd = at;
      for (let i = at; i < to; i++) {
        a = stepA(a, this.#units[i]!);
        b = stepB(b, this.#units[i]!);
        const row = this.#index.find(a, b);
        if (row >= 0) {
          best = row;
          bestEnd = i + 1;
        }
      }
      if (best < 0) {
        this.#count = mark;
        return;
      }
      this.#push(best);
      at = bestEnd;
    }
  }
}
