import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "./fold.ts";
import { tokenize } from "./tokens.ts";

describe("tokenize", () => {
  test("splits identifiers and keeps their joined form", () => {
    expect(tokenize("getUserName")).toEqual(["getusernam", "user", "name"]);
    expect(tokenize("snake_case_id")).toEqual(["snakecaseid", "snak", "case", "id"]);
    expect(tokenize("XMLHttpRequest")).toEqual(["xmlhttprequest", "xml", "http", "request"]);
  });

  test("leaves out the joined form with `partsOnly`", () => {
    expect(tokenize("release-notes", { partsOnly: true })).toEqual(["releas", "note"]);
  });

  test("gives the same term for dashed, underscored and camel-case spellings of a compound", () => {
    const spellings = ["front-end", "frontEnd", "front_end"].map((s) => tokenize(s)[0]);
    expect(new Set([...spellings, tokenize("frontend")[0]]).size).toBe(1);
  });

  test("keeps names of languages with punctuation", () => {
    expect(tokenize("C++ and C# on .NET")).toEqual(["cpp", "csharp", "dotnet", "net"]);
    expect(tokenize("node.js")).toContain("nodejs");
    expect(tokenize("ASP.NET")).toContain("aspnet");
  });

  test("does not split brand names", () => {
    expect(tokenize("JavaScript GitHub PostgreSQL")).toEqual(["javascript", "github", "postgres"]);
  });

  test("splits a word from its number", () => {
    expect(tokenize("python3 dotnet10")).toEqual(["python3", "python", "3", "dotnet10", "dotnet", "10"]);
  });

  test("gives one term for the forms of a verb", () => {
    const forms = ["migrate", "migrates", "migrating", "migrated", "migration", "migrations"];
    expect(new Set(forms.flatMap((form) => tokenize(form))).size).toBe(1);
  });

  test("drops function words of several languages", () => {
    expect(tokenize("how do I use the")).toEqual([]);
    expect(tokenize("wie kann ich das mit dem")).toEqual([]);
    expect(tokenize("что это такой")).toEqual([]);
  });

  test("gives overlapping pairs for scripts without spaces", () => {
    expect(tokenize("数据库")).toEqual(["数据", "据库"]);
    expect(tokenize("字")).toEqual(["字"]);
  });

  test("folds accents of Latin letters and keeps other scripts", () => {
    expect(tokenize("Café")).toEqual(tokenize("cafe"));
    expect(fold("Straße")).toBe("strasse");
    expect(tokenize("обновление")).toEqual(["обновление"]);
  });

  test("splits the steps of a path", () => {
    expect(tokenize("src/text/tokens.py")).toEqual(
      expect.arrayContaining(["src", "text", "token", "python"]),
    );
  });

  test("accepts any string, including unpaired surrogates and control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        for (const term of tokenize(text)) expect(term.length).toBeGreaterThan(0);
      }),
    );
  });

  test("gives the same terms after other texts", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (text, other) => {
        const first = tokenize(text);
        tokenize(other);
        expect(tokenize(text)).toEqual(first);
      }),
    );
  });

  test("gives the terms of both texts for two texts with white space between them", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), fc.string({ maxLength: 100 }), (a, b) => {
        expect(tokenize(`${a} \n ${b}`)).toEqual([...tokenize(a), ...tokenize(b)]);
      }),
    );
  });

  test("keeps only the start of a run that is not a word", () => {
    expect(tokenize("a".repeat(100_000))[0]!.length).toBeLessThanOrEqual(48);
  });

  test("keeps short names of tools that are function words in other languages", () => {
    expect(tokenize("AI in CI, C for /bin on a NAS, vi and SES")).toEqual([
      "ai",
      "ci",
      "c",
      "bin",
      "nas",
      "vi",
      "ses",
    ]);
  });

  test("leaves out function words with accents, which are listed without", () => {
    expect(tokenize("über für können où être très también até più ещё всё")).toEqual([]);
  });

  test("gives numeronyms the term of their word", () => {
    expect(tokenize("i18n a11y")).toEqual(tokenize("internationalization accessibility"));
    expect(tokenize("implementation")).toEqual(tokenize("implementing"));
  });
});
