import { describe, expect, it } from "vitest";
import { briefOf, clipped, firstParagraph } from "./prose.ts";

describe("briefOf", () => {
  it.each([
    ["Makes PDFs. Use it often.", "Makes PDFs."],
    ["Reads v1.2 files, e.g. old ones! Then stops.", "Reads v1.2 files, e.g. old ones!"],
    ["Line one\n  goes on.\nNext.", "Line one goes on."],
    ["No full stop", "No full stop"],
  ])("takes the first sentence of %j", (description, brief) => {
    expect(briefOf(description)).toBe(brief);
  });

  it("cuts between words, never beyond 80 characters, never inside a pair", () => {
    expect(briefOf(`${"word ".repeat(30)}.`)).toBe(`${"word ".repeat(16).trim()}…`);
    expect(briefOf("x".repeat(200))).toBe(`${"x".repeat(79)}…`);
    expect(clipped(`${"x".repeat(78)}🎉🎉`, 80)).toBe(`${"x".repeat(78)}…`);
  });
});

describe("firstParagraph", () => {
  it.each([
    ["# Title\n\nFirst **bold** line\nand `code`.\n\nSecond.", "First bold line and code."],
    ["```sh\nls\n```\n\nAfter code.", "After code."],
    ["<!-- note\nmore -->\n![logo](x.png)\n\n- An item\n", "An item"],
    ["> Quoted words.\n\nx", "Quoted words."],
    ["## Only a heading", "Only a heading"],
    ["| a | b |\n|---|---|\n\nText.", "Text."],
    ["```\nnever closed", ""],
    ["snake_case stays", "snake_case stays"],
  ])("finds the prose of %j", (body, paragraph) => {
    expect(firstParagraph(body)).toBe(paragraph);
  });
});
