// Owns the estimate of how many tokens a text costs a model. Does not own budgets: `disclose/` does.
// No tokenizer is loaded: each character has a weight by its kind, so the estimate is one pass, the same on
// every machine, and additive: the units of two texts joined are the sum of their units.

/** Units in one token. Weights are whole units, so that sums are exact. */
export const UNITS_PER_TOKEN = 8;

/**
 * Weights in units, set so that the usual byte-pair tokenizers need no more than the estimate for nearly every
 * real text: prose costs about a token for four characters, an ideograph about one.
 */
const WEIGHTS = {
  /** Prose has 4 to 5 characters a token, its spaces included. */
  letter: 2,
  /** Capitals break words: `SKILL`, `camelCase`. */
  capital: 3,
  /** One to three digits make a token. */
  digit: 4,
  /** A mark is a token of its own or joins a neighbour, about evenly. */
  mark: 4,
  /** Accented Latin, Greek, Cyrillic, Hebrew, Arabic: two to three characters a token. */
  alphabet: 4,
  /** Ideographs, kana, Hangul, and scripts that tokenizers know little of. */
  dense: 9,
  /** Half of a surrogate pair: an emoji is two to three tokens. */
  surrogate: 10,
} as const;

/** Where alphabets end and scripts that cost a token a character begin. */
const ALPHABETS_END = 0x0900;

const ascii = new Uint8Array(128).fill(WEIGHTS.mark);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[a-z\s]/.test(char)) ascii[code] = WEIGHTS.letter;
  else if (/[A-Z]/.test(char)) ascii[code] = WEIGHTS.capital;
  else if (/[0-9]/.test(char)) ascii[code] = WEIGHTS.digit;
}

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

/** About how many tokens a text costs, rather too many than too few. */
export function estimateTokens(text: string): number {
  return Math.ceil(tokenUnits(text) / UNITS_PER_TOKEN);
}
