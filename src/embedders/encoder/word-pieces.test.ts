import { expect, test } from "vitest";
import { WordPieces } from "./word-pieces.ts";

const VOCABULARY = [
  "[UNK]",
  "[CLS]",
  "[SEP]",
  "un",
  "##aff",
  "##able",
  "cafe",
  "!",
  "日",
  "本",
  "##s",
  "²",
  "x",
  "-",
  "ᄒ",
  "##ᅡ",
];
const pieces = new WordPieces(VOCABULARY);
const cut = (text: string, limit = 64) =>
  pieces
    .cut(text, limit)
    .slice(1, -1)
    .map((id) => VOCABULARY[id]);

test("takes the longest known pieces", () => {
  expect(cut("unaffable uns")).toEqual(["un", "##aff", "##able", "un", "##s"]);
});

test("ignores case and accents and separates punctuation", () => {
  expect(cut("CAFÉ!x")).toEqual(["cafe", "!", "x"]);
  expect(cut("x-x")).toEqual(["x", "-", "x"]);
});

test("separates Chinese characters, and decomposes Hangul as the vocabulary does", () => {
  expect(cut("日本x")).toEqual(["日", "本", "x"]);
  expect(cut("하")).toEqual(["ᄒ", "##ᅡ"]);
});

test("ignores characters that cannot be seen, and lone surrogates", () => {
  expect(cut("c\u0000a\u200bf\ufffd\ud800e")).toEqual(["cafe"]);
});

test("separates at every kind of space", () => {
  expect(cut("x\u00a0x\u3000x\u2028x\tx")).toEqual(["x", "x", "x", "x", "x"]);
});

test("has one unknown piece for a word that it cannot cut, such as an emoji or a very long word", () => {
  expect(cut("🙂 unq x")).toEqual(["[UNK]", "[UNK]", "x"]);
  expect(cut("x".repeat(101))).toEqual(["[UNK]"]);
});

test("keeps to its limit with both marks", () => {
  expect(pieces.cut("x ".repeat(10_000), 8)).toEqual([1, 12, 12, 12, 12, 12, 12, 2]);
  expect(pieces.cut("unaffable", 4)).toEqual([1, 3, 4, 2]);
  expect(pieces.cut("", 8)).toEqual([1, 2]);
  expect(pieces.cut("  \n", 8)).toEqual([1, 2]);
});
