// Owns the table of what each profile makes of each fixture. The fixtures' folders are named after their case;
// those that no repository should hold (other encodings, huge or deep files) are made at run time.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { Severity } from "../../src/model/diagnostic.ts";
import { type ParseResult, parseSkill } from "../../src/parse/parse.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/conformance", import.meta.url));

interface Expected {
  /** "ok", or the codes of the errors. */
  readonly strict: "ok" | readonly string[];
  /** "ok", or the codes of the warnings and errors. */
  readonly lenient: "ok" | readonly string[];
  /** The lenient profile yields no skill either. */
  readonly skipped?: boolean;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

const expected: Record<string, Expected> = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8"));

function codes({ diagnostics }: ParseResult, severities: readonly Severity[]): "ok" | string[] {
  const found = diagnostics.filter(({ severity }) => severities.includes(severity)).map(({ code }) => code);
  return found.length > 0 ? found.sort() : "ok";
}

const sorted = (list: "ok" | readonly string[]) => (list === "ok" ? list : [...list].sort());

describe("each fixture", () => {
  it("stands in the table, and the table names no other", () => {
    const folders = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("SKILL.md"))
      .map((path) => dirname(path).replaceAll("\\", "/"));
    expect(folders.sort()).toEqual(Object.keys(expected).sort());
  });

  for (const [folder, wanted] of Object.entries(expected)) {
    const path = join(FIXTURES, folder, "SKILL.md");

    it(`${folder}, strict`, () => {
      const result = parseSkill(readFileSync(path), path, { profile: "strict" });
      expect(codes(result, ["error"])).toEqual(sorted(wanted.strict));
      expect(result.skill !== undefined).toBe(wanted.strict === "ok");
    });

    it(`${folder}, lenient`, () => {
      const result = parseSkill(readFileSync(path), path);
      expect(codes(result, ["warning", "error"])).toEqual(sorted(wanted.lenient));
      expect(result.skill === undefined).toBe(wanted.skipped === true);
      expect(result.skill?.manifest ?? {}).toMatchObject(wanted.manifest ?? {});
    });
  }

  it("says a message, a next step and the path in every finding", () => {
    for (const folder of Object.keys(expected)) {
      const path = join(FIXTURES, folder, "SKILL.md");
      for (const diagnostic of parseSkill(readFileSync(path), path, { profile: "strict" }).diagnostics) {
        expect(diagnostic).toMatchObject({
          path,
          message: expect.stringMatching(/\S.*\.$/),
          fix: expect.stringMatching(/\S.*\.$/),
        });
      }
    }
  });
});

describe("files that are made at run time", () => {
  const root = mkdtempSync(join(tmpdir(), "conformance-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const TEXT = "---\nname: made\ndescription: Renames files.\n---\n\nDo it.\n";
  const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

  function lenient(bytes: string | Uint8Array): ParseResult {
    const folder = mkdtempSync(join(root, "case-"));
    mkdirSync(join(folder, "made"));
    const path = join(folder, "made", "SKILL.md");
    writeFileSync(path, bytes);
    return parseSkill(readFileSync(path), path);
  }

  it.each([
    ["UTF-16 little endian with a mark", Buffer.from(`\uFEFF${TEXT}`, "utf16le")],
    ["UTF-16 big endian with a mark", bigEndian(`\uFEFF${TEXT}`)],
    ["UTF-16 little endian without a mark", Buffer.from(TEXT, "utf16le")],
    ["UTF-16 big endian without a mark", bigEndian(TEXT)],
  ])("%s is reported as such and read", (_, bytes) => {
    const result = lenient(bytes);
    expect(codes(result, ["warning", "error"])).toEqual(["encoding-utf-16"]);
    expect(result.skill).toMatchObject({
      manifest: { declaredName: "made", description: "Renames files." },
      body: "Do it.\n",
    });
    expect(codes(parseSkill(bytes, "made/SKILL.md", { profile: "strict" }), ["error"])).toEqual([
      "encoding-utf-16",
    ]);
  });

  it("NUL bytes are left out of a text file, and a binary file is refused", () => {
    const text = lenient(TEXT.replace("Do", "D\0o"));
    expect(codes(text, ["warning", "error"])).toEqual(["nul-bytes"]);
    expect(text.skill?.body).toBe("Do it.\n");
    const binary = lenient(Uint8Array.from({ length: 999 }, (_, index) => (index * 7919) % 256));
    expect(codes(binary, ["error"])).toEqual(["file-binary"]);
  });

  it("bytes that are not UTF-8 are replaced and reported", () => {
    const result = lenient(Buffer.from(TEXT.replace("Do", "D\xfco"), "latin1"));
    expect(codes(result, ["warning", "error"])).toEqual(["encoding-invalid"]);
    expect(result.skill?.body).toBe("D\uFFFDo it.\n");
  });

  it("a file of 256 KB is read, one of 260 KB is skipped", () => {
    const filled = (bytes: number) => TEXT + "x".repeat(bytes - TEXT.length);
    expect(codes(lenient(filled(256 * 1024)), ["warning", "error"])).toBe("ok");
    const tooLarge = lenient(filled(260 * 1024));
    expect(codes(tooLarge, ["error"])).toEqual(["file-too-large"]);
    expect(tooLarge.skill).toBeUndefined();
    expect(codes(parseSkill("é".repeat(130 * 1024), "made/SKILL.md"), ["error"])).toContain("file-too-large");
  });

  it.each([
    ["flow lists", `tags: ${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["flow maps that never close", `tags: ${"{a: ".repeat(5_000)}`],
    ["block lists", `tags:\n  ${"- ".repeat(10_000)}x`],
    ["indented maps", Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth)}k:`).join("\n")],
  ])("10,000 deep %s leave the name and the description", (_, nested) => {
    const result = lenient(TEXT.replace("\n---\n\n", `\n${nested}\n---\n\n`));
    expect(codes(result, ["warning", "error"])).toEqual(["front-matter-bare", "yaml-too-deep"]);
    expect(result.skill?.manifest).toMatchObject({ declaredName: "made", description: "Renames files." });
  });

  it("a front matter with too many values, or too long, leaves the name and the description", () => {
    const many = lenient(TEXT.replace("\n---\n\n", `\ntags: [${"a,".repeat(6_000)}b]\n---\n\n`));
    expect(codes(many, ["warning", "error"])).toEqual(["front-matter-bare", "yaml-too-many-nodes"]);
    const long = lenient(TEXT.replace("\n---\n\n", `\nnote: ${"n".repeat(40_000)}\n---\n\n`));
    expect(codes(long, ["warning", "error"])).toEqual(["front-matter-bare", "front-matter-too-large"]);
    expect(long.skill?.manifest.description).toBe("Renames files.");
  });

  it("aliases that multiply are never followed", () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(level > 0 ? 9 : 0)} x]`,
    );
    const result = lenient(TEXT.replace("\n---\n\n", `\n${levels.join("\n")}\n---\n\n`));
    expect(codes(result, ["warning", "error"])).toContain("yaml-anchor");
    expect(result.skill?.manifest.description).toBe("Renames files.");
  });
});
