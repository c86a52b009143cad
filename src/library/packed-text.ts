// Packs the many short texts of one file: strings that occur often in them, learned from a sample, become codes of twelve
// bits. Each text is unpacked by itself, so that whoever needs one reads one.

const CODE_BITS = 12;
/** Texts are ASCII: a code below this is a character, the others are strings. */
const CHARACTERS = 128;
const STRINGS = 2 ** CODE_BITS - CHARACTERS;
/** Characters of a string at most: so many that the nodes of a trie have numbers of 16 bits. */
const LONGEST = 16;
/** In each round strings may double in length. */
const ROUNDS = 6;
/** Texts learned from between two pauses. */
const TEXTS_PER_STEP = 32;

/** Packs and unpacks with some strings. Without any, texts are stored as they are. */
export class PackedText {
  readonly strings: readonly string[];
  private trie: Trie | undefined;

  constructor(strings: readonly string[]) {
    this.strings = strings;
  }

  pack(text: string): Uint8Array {
    if (this.strings.length === 0) return Buffer.from(text, "latin1");
    this.trie ??= new Trie(this.strings);
    const codes = this.trie.codesOf(text);
    const bytes = new Uint8Array(Math.ceil((codes.length * CODE_BITS) / 8));
    for (let i = 0, at = 0; i < codes.length; i += 2, at += 3) {
      const pair = codes[i]! | ((codes[i + 1] ?? 0) << CODE_BITS);
      bytes[at] = pair;
      bytes[at + 1] = pair >>> 8;
      if (i + 1 < codes.length) bytes[at + 2] = pair >>> 16;
    }
    return bytes;
  }

  unpack(bytes: Uint8Array): string {
    const { strings } = this;
    if (strings.length === 0)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    const count = Math.floor((bytes.length * 8) / CODE_BITS);
    let text = "";
    for (let i = 0; i < count; i++) {
      const at = (i * 3) >>> 1;
      const code =
        i & 1 ? (bytes[at]! >>> 4) | (bytes[at + 1]! << 4) : bytes[at]! | ((bytes[at + 1]! & 15) << 8);
      text += code < CHARACTERS ? String.fromCharCode(code) : (strings[code - CHARACTERS] ?? "");
    }
    return text;
  }
}

/** Finds the strings that shorten texts like these most, with pauses. */
export function* learnStrings(texts: readonly string[]): Generator<undefined, string[]> {
  let strings: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const trie = new Trie(strings);
    const text = (code: number) =>
      code < CHARACTERS ? String.fromCharCode(code) : strings[code - CHARACTERS]!;
    const singles = new Uint32Array(2 ** CODE_BITS);
    const pairs = new Map<number, number>();
    for (const [i, one] of texts.entries()) {
      let last = -1;
      for (const code of trie.codesOf(one)) {
        singles[code]!++;
        const pair = last * 2 ** CODE_BITS + code;
        if (last >= 0) pairs.set(pair, 1 + (pairs.get(pair) ?? 0));
        last = code;
      }
      if (i % TEXTS_PER_STEP === 0) yield;
    }
    const gains = new Map<string, number>();
    const add = (string: string, count: number) => {
      if (count > 1 && string.length > 1 && string.length <= LONGEST)
        gains.set(string, (gains.get(string) ?? 0) + count * string.length);
    };
    singles.forEach((count, code) => {
      add(text(code), count);
    });
    for (const [pair, count] of pairs) add(text(pair >>> CODE_BITS) + text(pair % 2 ** CODE_BITS), count);
    yield;
    const best = [...gains].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    strings = best.slice(0, STRINGS).map(([string]) => string);
    yield;
  }
  return strings;
}

/** The strings letter by letter, for finding the longest one that a text goes on with. */
class Trie {
  /** For each node the node after each character; 0 for none. */
  private next = new Uint16Array(CHARACTERS * 1024);
  /** The code of the string that ends at a node; 0 for none. */
  private readonly codes: number[] = [0];

  constructor(strings: readonly string[]) {
    strings.forEach((string, number) => {
      let node = 0;
      for (let i = 0; i < string.length; i++) node = this.child(node, string.charCodeAt(i));
      this.codes[node] = CHARACTERS + number;
    });
  }

  codesOf(text: string): number[] {
    const { next, codes } = this;
    const found: number[] = [];
    for (let at = 0; at < text.length; ) {
      let code = text.charCodeAt(at);
      let end = at + 1;
      for (let i = at, node = 0; i < text.length; ) {
        node = next[node * CHARACTERS + text.charCodeAt(i)]!;
        if (node === 0) break;
        i++;
        if (codes[node] !== 0) {
          code = codes[node]!;
          end = i;
        }
      }
      found.push(code);
      at = end;
    }
    return found;
  }

  private child(node: number, character: number): number {
    const at = node * CHARACTERS + character;
    if (this.next[at] === 0) {
      const child = this.codes.push(0) - 1;
      if ((child + 1) * CHARACTERS > this.next.length) {
        const grown = new Uint16Array(this.next.length * 2);
        grown.set(this.next);
        this.next = grown;
      }
      this.next[at] = child;
    }
    return this.next[at]!;
  }
}
