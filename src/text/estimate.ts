// Estimates how many tokens a text costs a model, without a tokenizer: each character has a weight by its kind.

/** Units in one token. Weights are whole units, so that the units of two texts add up exactly. */
export const UNITS_PER_TOKEN = 8;

/**
 * Weights in units. For nearly every real text, the usual byte-pair tokenizers need at most the estimate: about one
 * token for four characters of prose, and one for an ideograph.
 */
const WEIGHTS = {
  /** Prose has 4 to 5 characters per token, including spaces. */
  letter: 2,
  /** Capitals break words: `SKILL`, `camelCase`. */
  capital: 3,
  /** One to three digits make a token. */
  digit: 4,
  /** A mark is a token of its own or joins a neighbour, about evenly. */
  mark: 4,
  /** Accented Latin, Greek, Cyrillic, Hebrew, Arabic: two to three characters per token. */
  alphabet: 4,
  /** Ideographs, kana, Hangul, and scripts that are rare in the vocabularies of tokenizers. */
  dense: 9,
  /** Half of a surrogate pair: an emoji is two to three tokens. */
  surrogate: 10,
} as const;

/** From this code point on, scripts cost about one token per character. */
const ALPHABETS_END = 0x0900;

const ascii = new Uint8Array(128)
  .fill(WEIGHTS.mark)
  .fill(WEIGHTS.letter, 9, 14)
  .fill(WEIGHTS.letter, 32, 33)
  .fill(WEIGHTS.digit, 48, 58)
  .fill(WEIGHTS.capital, 65, 91)
  .fill(WEIGHTS.letter, 97, 123);

/** The cost of a text in units; `UNITS_PER_TOKEN` of them make a token. */
export function tokenUnits(text: string): number {
  let units = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) units += ascii[code]!;
    else if (code < ALPHABETS_END) units += WEIGHTS.alphabet;
    else if (code >= 0xd800 && code <= 0xdfff) units += WEIGHTS.surrogate;
    else units += WEIGHTS.dense;
  }
  return units;
}

/** About how many tokens a text costs, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(tokenUnits(text) / UNITS_PER_TOKEN);
}
