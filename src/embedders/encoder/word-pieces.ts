// Cuts a text into the word pieces of BERT's uncased vocabulary.

const PIECE_LIMITS = {
  /** Characters that are read for each token that is allowed: English has four. */
  charactersPerToken: 12,
  /** Characters of a word; a longer one is unknown. */
  wordCharacters: 100,
  /** Words whose pieces are remembered. */
  remembered: 20_000,
} as const;

const MARKS = { start: "[CLS]", end: "[SEP]", unknown: "[UNK]" } as const;

// Each of them matches one code point of the text in normal form D.
const ACCENT = /^\p{Mn}$/u;
const SPACE = /^[\p{Z}\t-\r\x1c-\x1f\x85]$/u;
const INVISIBLE = /^[\p{C}\ufffd]$/u;
const ALONE =
  /^[!-/:-@[-`{-~\p{P}\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]$/u;
const PLAIN = /^[a-z0-9]$/;

export class WordPieces {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #start: number;
  readonly #end: number;
  readonly #unknown: number;
  readonly #seen = new Map<string, readonly number[]>();

  constructor(vocabulary: readonly string[]) {
    this.#ids = new Map(vocabulary.map((piece, id) => [piece, id]));
    const idOf = (mark: string): number => {
      const id = this.#ids.get(mark);
      if (id === undefined) throw new Error(`the vocabulary has no ${mark}`);
      return id;
    };
    this.#start = idOf(MARKS.start);
    this.#end = idOf(MARKS.end);
    this.#unknown = idOf(MARKS.unknown);
  }

  /** The ids of a text's pieces between the two marks, `limit` at most; only the marks for a text without words. */
  cut(text: string, limit: number): number[] {
    const ids = [this.#start];
    for (const word of wordsOf(firstCharacters(text, (limit - 2) * PIECE_LIMITS.charactersPerToken))) {
      ids.push(...this.#piecesOf(word));
      if (ids.length >= limit - 1) break;
    }
    ids.length = Math.min(ids.length, limit - 1);
    ids.push(this.#end);
    return ids;
  }

  #piecesOf(word: string): readonly number[] {
    const known = this.#seen.get(word);
    if (known !== undefined) return known;
    const pieces = this.#split(word);
    if (this.#seen.size < PIECE_LIMITS.remembered) this.#seen.set(word, pieces);
    return pieces;
  }

  /** Takes the longest known start, then the longest known pieces; a word with an unknown part is unknown. */
  #split(word: string): number[] {
    const characters = [...word];
    if (characters.length > PIECE_LIMITS.wordCharacters) return [this.#unknown];
    const pieces: number[] = [];
    for (let from = 0; from < characters.length; ) {
      let to = characters.length;
      let id: number | undefined;
      for (; to > from; to--) {
        const piece = characters.slice(from, to).join("");
        id = this.#ids.get(from === 0 ? piece : `##${piece}`);
        if (id !== undefined) break;
      }
      if (id === undefined) return [this.#unknown];
      pieces.push(id);
      from = to;
    }
    return pieces;
  }
}

/** The first `count` code points. */
function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left--)
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

function* wordsOf(text: string): Generator<string> {
  let word = "";
  for (const character of text.toLowerCase().normalize("NFD")) {
    if (PLAIN.test(character)) {
      word += character;
    } else if (SPACE.test(character)) {
      if (word !== "") yield word;
      word = "";
    } else if (ALONE.test(character)) {
      if (word !== "") yield word;
      word = "";
      yield character;
    } else if (!ACCENT.test(character) && !INVISIBLE.test(character)) {
      word += character;
    }
  }
  if (word !== "") yield word;
}
