// Removes disguises from text before rules match it: look-alike letters, invisible characters, spaced letters, blanks.

/** Letters of other scripts that look like an ASCII letter, in lower case. */
const LOOKALIKES = new Map<string, string>(
  Object.entries({
    а: "a",
    в: "b",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    і: "i",
    ј: "j",
    к: "k",
    ӏ: "l",
    м: "m",
    н: "h",
    о: "o",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    т: "t",
    ѵ: "v",
    ԝ: "w",
    х: "x",
    у: "y",
    ү: "y",
    ɡ: "g",
    ı: "i",
    ɩ: "i",
    ɑ: "a",
    օ: "o",
    ո: "n",
    ս: "u",
    հ: "h",
    ց: "g",
    α: "a",
    ε: "e",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ℓ: "l",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "–": "-",
    "—": "-",
    "−": "-",
    "‐": "-",
    "‑": "-",
    "⁄": "/",
    "∕": "/",
    ǃ: "!",
    ꓸ: ".",
  }),
);

/** Characters without a glyph: zero-width, direction marks, fillers, tags and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

const ASCII_ONLY = /^[\x00-\x7f]*$/;
const SPACE = 0x20;
const WORD = /[\p{L}\p{N}_]{1,64}/gu;
/** What spaced letters and blanks other than single spaces have in common: tested first, because few lines have it. */
const THREE_LETTERS = / [a-z] [a-z] /i;
const ODD_BLANKS = /[\x00-\x1f\x7f-\xa0]| {2}/;
const SPACED_LETTERS = /(?<![a-z])(?:[a-z] ){3,64}[a-z](?![a-z])/gi;

/** Whether nothing in a text can be a disguise: printable ASCII with single spaces, and no letters in a row with spaces between. */
function isPlain(text: string): boolean {
  let sinceSpace = 2;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === SPACE) {
      if (sinceSpace === 0) return false;
      letters = sinceSpace === 1 ? letters + 1 : 0;
      if (letters === 2) return false;
      sinceSpace = 0;
    } else if (code > SPACE && code < 0x7f) sinceSpace++;
    else return false;
  }
  return true;
}

/** The text without disguises, in its own case; rules match it in lower case. */
export function canonicalText(line: string): string {
  if (isPlain(line)) return line;
  let text = line;
  if (!ASCII_ONLY.test(text)) {
    text = text.normalize("NFKC").replace(INVISIBLE, "");
    text = text.replace(/[‐-—−’‘“”⁄∕ǃꓸ]/g, (char) => LOOKALIKES.get(char) ?? char).replace(WORD, unmaskWord);
  }
  if (THREE_LETTERS.test(text)) text = text.replace(SPACED_LETTERS, (letters) => letters.replaceAll(" ", ""));
  return ODD_BLANKS.test(text)
    ? text.replace(/[\x00-\x20\x7f-\xa0]{1,1000}/g, " ").replace(/ {2,1000}/g, " ")
    : text;
}

/** The look-alike letters of a word that is otherwise ASCII; empty for words of other scripts. */
export function maskedLetters(word: string): string[] {
  if (ASCII_ONLY.test(word) || !/[a-z]/i.test(word)) return [];
  const foreign = [...word.toLowerCase()].filter((char) => char > "\x7f");
  return foreign.every((char) => LOOKALIKES.has(char)) ? foreign : [];
}

function unmaskWord(word: string): string {
  if (ASCII_ONLY.test(word)) return word;
  const letters = [...word];
  const twins = letters.map((char) => LOOKALIKES.get(char.toLowerCase()));
  const mixed = /[a-z]/i.test(word);
  if (!mixed && twins.some((twin) => twin === undefined)) return word;
  return letters.map((char, index) => (char > "\x7f" ? (twins[index] ?? char) : char)).join("");
}
