import { describe, expect, it } from "vitest";
import { fenceLanguage, type Language, languageOf, programOf } from "./program.ts";

const cut = (language: Language, text: string) =>
  programOf("a", language, text).statements.map(({ line, code }) => `${line} ${code.replace(/\s+/g, " ")}`);

describe("statements", () => {
  it("of Python end with the line, unless a bracket is open", () => {
    expect(cut("python", "x = {\n  1: 2, # two\n}\ny = f(1); z = 3")).toEqual([
      "1 x = { 1: 2, }",
      "4 y = f(1)",
      "4 z = 3",
    ]);
  });

  it("of JavaScript end with the line or a semicolon, and blocks are cut open", () => {
    expect(cut("javascript", "get(u, (r) => {\n  eval(r); // now\n})\nconst o = { a: 1,\n b: 2 }")).toEqual([
      "1 get(u, (r) =>",
      "2 eval(r)",
      "3 )",
      "4 const o = { a: 1, b: 2 }",
    ]);
  });

  it("of a shell end with the line or an operator, and keep pipes and here-documents whole", () => {
    expect(cut("shell", "A=$(cat x | tr a b) && run $A\ncat > f <<'E'\nx; y\nE\nls | wc")).toEqual([
      "1 A=$(cat x | tr a b)",
      "1 run $A",
      "2 cat > f <<'E' x; y",
      "5 ls | wc",
    ]);
  });

  it("know their functions", () => {
    const scopes = (language: Language, text: string) =>
      programOf("a", language, text).statements.map(({ scope }) => scope.join(">"));
    expect(scopes("python", "def f(a):\n    x = 1\n    def g():\n        y = 2\nz = 3")).toEqual([
      "",
      "f",
      "f",
      "f>g",
      "",
    ]);
    expect(scopes("javascript", "function f(a) { x() }\nconst g = (b) => { y() }\nz()")).toEqual([
      "",
      "f",
      "",
      "g",
      "",
    ]);
    expect(scopes("shell", "f() { x; }\ny")).toEqual(["", "f", ""]);
  });

  it("have no contents of strings in `bare`, except for what is interpolated", () => {
    const bare = (language: Language, text: string) =>
      programOf("a", language, text).statements[0]!.bare.replace(/\s+/g, " ");
    expect(bare("python", `x = f"a {b} c" + 'd'`)).toBe(`x = f"" b + ""`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code under test.
    expect(bare("javascript", "x = `a ${b} c`")).toBe('x = "" b');
    expect(bare("shell", "x '$a' \"$b\"")).toBe('x "" "" $b');
  });
});

describe("languages", () => {
  it("come from names, first lines, info strings and text", () => {
    expect(languageOf("scripts/a.mts", "")).toBe("javascript");
    expect(languageOf("run", "#!/usr/bin/env python3")).toBe("python");
    expect(languageOf("data.csv", "a,b")).toBeUndefined();
    expect(fenceLanguage("bash", "")).toBe("shell");
    expect(fenceLanguage("json", "curl x")).toBeUndefined();
    expect(fenceLanguage("", "curl -s https://x.example.com")).toBe("shell");
  });
});
