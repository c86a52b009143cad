// Compiles Unicode-wide patterns only when needed: each takes a millisecond, and most messages are plain ASCII.

const PLAIN = /^[\t\n\r -~]*$/;

/** Whether a text is printable ASCII, so that `\w` matches all its words. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Compiles a pattern on first use. */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}

/** Sets of characters for the brackets of a pattern. */
export interface Alphabet {
  readonly letters: string;
  readonly digits: string;
  readonly signs: string;
}

const PLAIN_ALPHABET: Alphabet = { letters: "a-zA-Z", digits: "0-9", signs: "!-\\/:-@[-`{-~" };
const WHOLE_ALPHABET: Alphabet = { letters: "\\p{L}", digits: "\\p{N}", signs: "\\p{P}\\p{S}" };

/** Builds a pattern for ASCII and one for all of Unicode, and chooses by the text. */
export function inAlphabet(source: (alphabet: Alphabet) => string, flags: string): (text: string) => RegExp {
  const plain = lazyPattern(source(PLAIN_ALPHABET), flags);
  const whole = lazyPattern(source(WHOLE_ALPHABET), `${flags}u`);
  return (text) => (isPlain(text) ? plain() : whole());
}
