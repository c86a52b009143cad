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

/**
 * Chooses from the alternatives of a pattern those that can occur in a text, joined with `|`; undefined if none can. A long pattern
 * takes longer to compile than to search with, and most texts have the beginning of one or two alternatives at most.
 *
 * @example
 * const greetings = alternativesIn("hi|hello|good (?:morning|night)");
 * greetings("good night, all"); // "good (?:morning|night)"
 */
export function alternativesIn(alternatives: string): (text: string) => string | undefined {
  let parts: { readonly source: string; readonly starts: readonly string[] }[] | undefined;
  return (text) => {
    parts ??= splitAlternatives(alternatives).map((source) => ({ source, starts: startsOf(source) }));
    const found = parts.filter(({ starts }) => starts.some((start) => text.includes(start)));
    return found.length === 0 ? undefined : found.map(({ source }) => source).join("|");
  };
}

/** Groups at most in groups, and no classes with brackets or bars. */
function splitAlternatives(source: string): readonly string[] {
  return source.match(/(?:\((?:[^()]|\([^()]*\))*\)|[^|()])+/g) ?? [];
}

/** The letters with which every match of an alternative begins; empty ones if that is not plain. */
function startsOf(source: string): readonly string[] {
  const group = /^\(\?:((?:[^()]|\([^()]*\))*)\)(?![?*{])/.exec(source)?.[1];
  if (group !== undefined) return splitAlternatives(group).flatMap(startsOf);
  // A letter before a quantifier may be missing.
  return [/^[^\\[\](){}.?*+^$|]*(?![?*{])/.exec(source)![0]];
}
