import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashKey, WORD_LIMITS, WordCutter } from "./words.ts";

function cutterOver(keys: string[]): (text: string) => string[] {
  const rows = new Map(keys.map((key, row) => [hashKey(key).join(), row]));
  const cutter = new WordCutter({ find: (a, b) => rows.get(`${a},${b}`) ?? -1 });
  return (text) => Array.from(cutter.cut(text), (row) => keys[row]!);
}

/** Any code units, including lone surrogates and control characters. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units));

describe("WordCutter", () => {
  test("takes known words whole, in any case and without accents", () => {
    expect(cutterOver(["docker", "cafe"])("Docker, café DOCKER")).toEqual(["docker", "cafe", "docker"]);
  });

  test("falls back to the longest pieces, and drops a word with an unknown part", () => {
    const cut = cutterOver(["un", "unhappy", "##ness", "##happy"]);
    expect(cut("unhappyness")).toEqual(["unhappy", "##ness"]);
    expect(cut("unhappyzzz")).toEqual([]);
  });

  test("splits identifiers at capitals and digits unless the whole is known", () => {
    const cut = cutterOver(["parse", "http", "header", "github", "git", "##hub", "utf", "8"]);
    expect(cut("parseHTTPHeader")).toEqual(["parse", "http", "header"]);
    expect(cut("GitHub")).toEqual(["github"]);
    expect(cut("utf8 parse_header")).toEqual(["utf", "8", "parse", "header"]);
  });

  test("recognises words that end in signs", () => {
    const cut = cutterOver(["c", "c++", "c#"]);
    expect(cut("c++ c# c c+ c")).toEqual(["c++", "c#", "c", "c", "c"]);
  });

  test("adds the row of a phrase if its words are joined by one sign", () => {
    const cut = cutterOver(["node", "js", "node js", "end", "to", "end to end"]);
    expect(cut("node.js")).toEqual(["node", "node js", "js"]);
    expect(cut("end-to-end")).toEqual(["end", "to", "end to end", "end"]);
    expect(cut("node, js")).toEqual(["node", "js"]);
  });

  test("skips scripts without rows", () => {
    expect(cutterOver(["docker"])("用 docker 部署 приложение")).toEqual(["docker"]);
  });

  test("limits rows and the length of words", () => {
    const cut = cutterOver(["a"]);
    expect(cut("a ".repeat(200_000))).toHaveLength(WORD_LIMITS.rows);
    expect(cut("a".repeat(WORD_LIMITS.wordLetters + 1))).toEqual([]);
  });

  test("accepts any text", () => {
    const cut = cutterOver(["a", "##b", "a b"]);
    fc.assert(fc.property(anyText, (text) => Array.isArray(cut(text))));
    expect(cut("\ud800 a \udfff\ud800")).toEqual(["a"]);
  });
});
