import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashKey, LIMITS, WordCutter } from "./words.ts";

function cutterOver(keys: string[]): (text: string) => string[] {
  const rows = new Map(keys.map((key, row) => [hashKey(key).join(), row]));
  const cutter = new WordCutter({ find: (a, b) => rows.get(`${a},${b}`) ?? -1 });
  return (text) => Array.from(cutter.cut(text), (row) => keys[row]!);
}

/** Any code units at all, half surrogate pairs and control characters included. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units));

describe("cutting a text into rows", () => {
  test("takes known words whole, in any case and with accents folded", () => {
    expect(cutterOver(["docker", "cafe"])("Docker, café DOCKER")).toEqual(["docker", "cafe", "docker"]);
  });

  test("falls back to the longest pieces, and drops a word with an unknown part", () => {
    const cut = cutterOver(["un", "unhappy", "##ness", "##happy"]);
    expect(cut("unhappyness")).toEqual(["unhappy", "##ness"]);
    expect(cut("unhappyzzz")).toEqual([]);
  });

  test("splits identifiers at humps and digits unless the whole is known", () => {
    const cut = cutterOver(["parse", "http", "header", "github", "git", "##hub", "utf", "8"]);
    expect(cut("parseHTTPHeader")).toEqual(["parse", "http", "header"]);
    expect(cut("GitHub")).toEqual(["github"]);
    expect(cut("utf8 parse_header")).toEqual(["utf", "8", "parse", "header"]);
  });

  test("knows words that end in signs", () => {
    const cut = cutterOver(["c", "c++", "c#"]);
    expect(cut("c++ c# c c+ c")).toEqual(["c++", "c#", "c", "c", "c"]);
  });

  test("adds a phrase's row to its words', across one joining sign only", () => {
    const cut = cutterOver(["node", "js", "node js", "end", "to", "end to end"]);
    expect(cut("node.js")).toEqual(["node", "node js", "js"]);
    expect(cut("end-to-end")).toEqual(["end", "to", "end to end", "end"]);
    expect(cut("node, js")).toEqual(["node", "js"]);
  });

  test("leaves scripts without rows alone", () => {
    expect(cutterOver(["docker"])("用 docker 部署 приложение")).toEqual(["docker"]);
  });

  test("bounds what it looks at", () => {
    const cut = cutterOver(["a"]);
    expect(cut("a ".repeat(200_000))).toHaveLength(LIMITS.rows);
    expect(cut("a".repeat(LIMITS.wordLetters + 1))).toEqual([]);
  });

  test("survives any text", () => {
    const cut = cutterOver(["a", "##b", "a b"]);
    fc.assert(fc.property(anyText, (text) => Array.isArray(cut(text))));
    expect(cut("\ud800 a \udfff\ud800")).toEqual(["a"]);
  });
});
