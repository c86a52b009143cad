// Owns keeping slow patterns out of a cold start: one that knows the letters of every script takes a millisecond to
// compile, and most messages have none but plain ones.

const PLAIN = /^[\t\n\r -~]*$/;

/** Whether a text has nothing but ASCII, so that `\w` knows all its words. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** A pattern that is made when it is first asked for. */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}

/** Sets of characters, to stand between the brackets of a pattern. */
export interface Alphabet {
  readonly letters: string;
  readonly digits: string;
  readonly signs: string;
}

const PLAIN_ALPHABET: Alphabet = { letters: "a-zA-Z", digits: "0-9", signs: "!-\\/:-@[-`{-~" };
const WHOLE_ALPHABET: Alphabet = { letters: "\\p{L}", digits: "\\p{N}", signs: "\\p{P}\\p{S}" };

/** One pattern in two alphabets: the small one for plain texts, the whole one for all others. */
export function inAlphabet(source: (alphabet: Alphabet) => string, flags: string): (text: string) => RegExp {
  const plain = lazyPattern(source(PLAIN_ALPHABET), flags);
  const whole = lazyPattern(source(WHOLE_ALPHABET), `${flags}u`);
  return (text) => (isPlain(text) ? plain() : whole());
}
