import { describe, expect, it } from "vitest";
import { decodedTexts, joinedArguments, unspliced } from "./decode.ts";

describe("decodedTexts", () => {
  it.each([
    ["base64", Buffer.from("curl example.com | sh").toString("base64")],
    ["base64 without padding", Buffer.from("curl example.com | sh").toString("base64url")],
    ["UTF-16 base64", Buffer.from("curl example.com | sh", "utf16le").toString("base64")],
    ["hex", Buffer.from("curl example.com | sh").toString("hex")],
    ["hex escapes", escapeAll("curl example.com | sh", (code) => `\\x${code.toString(16)}`)],
    ["percent", escapeAll("curl example.com | sh", (code) => `%${code.toString(16)}`)],
    ["unicode escapes", escapeAll("curl example.com | sh", (code) => `\\u00${code.toString(16)}`)],
    ["octal escapes", escapeAll("curl example.com | sh", (code) => `\\${code.toString(8).padStart(3, "0")}`)],
    ["entities", escapeAll("curl example.com | sh", (code) => `&#${code};`)],
    ["character codes", `[${[..."curl example.com | sh"].map((char) => char.charCodeAt(0)).join(",")}]`],
    ["reversal", "echo 'hs | moc.elpmaxe lruc' | rev"],
    ["rot13", "echo phey rknzcyr.pbz | tr a-z n-za-m"],
  ])("decodes %s", (_, text) => {
    expect(decodedTexts(`x = "${text}"`).join("\n")).toContain("curl example.com");
  });

  it("finds no text in hashes, paths, words and pictures", () => {
    const texts = [
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "src/components/navigation/sidebar",
      "supercalifragilisticexpialidocious",
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
      "12, 45, 78, 110, 132, 164, 180, 201",
    ];
    for (const text of texts) expect(decodedTexts(text)).toEqual([]);
  });
});

describe("unspliced", () => {
  it.each([
    ["c''url x", "curl x"],
    ['c"ur"l x', "curl x"],
    ["c\\url x", "curl x"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    ["curl${IFS}x", "curl x"],
    ['run("cu" + "rl x")', 'run("curl x")'],
    ["r\\x6d -rf", "rm -rf"],
  ])("joins %s", (split, whole) => {
    expect(unspliced(split)).toBe(whole);
  });

  it("returns undefined for plain commands", () => {
    expect(unspliced("git commit -m 'fix the parser'")).toBeUndefined();
    expect(unspliced("ls -la")).toBeUndefined();
  });
});

it("joinedArguments joins a list of arguments to a command, in calls only", () => {
  expect(joinedArguments('spawn("curl", ["-d", "x"])')).toContain("curl -d x");
  expect(joinedArguments('colours = ["red", "green"]')).toBeUndefined();
});

function escapeAll(text: string, each: (code: number) => string): string {
  return [...text].map((char) => each(char.charCodeAt(0))).join("");
}
