// Folds a word to one spelling, independent of case, width and accents.

const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  æ: "ae",
  œ: "oe",
  ı: "i",
  đ: "d",
  ё: "е",
};

/** Lower case, compatibility forms unified, accents of Latin letters removed; other scripts keep their marks. */
export function fold(word: string): string {
  const lower = word.toLowerCase();
  if (isAscii(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(/([a-z])[\u0300-\u036f]+/g, "$1")
    .normalize("NFC")
    .replace(/[ßøłæœıđё]/g, (letter) => FOLDED[letter] ?? letter);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
