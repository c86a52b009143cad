import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SKILL_FILE_CODES } from "./diagnostic.ts";
import { ERROR_CODES } from "./errors.ts";

const LISTS = ["model/errors.ts", "model/diagnostic.ts", "adapters/http/errors.ts"];
const sources = readdirSync("src", { recursive: true })
  .map(String)
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !LISTS.includes(name))
  .map((name) => readFileSync(join("src", name), "utf8"))
  .join("\n");

const codes = [...Object.keys(ERROR_CODES), ...SKILL_FILE_CODES];

describe("the list of error codes", () => {
  it("has kebab-case codes, each once", () => {
    expect(codes.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code))).toEqual([]);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("has only codes that the code reports", () => {
    expect(codes.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
  });

  it("has a sentence for each code", () => {
    expect(Object.values(ERROR_CODES).filter((meaning) => !/^[A-Z].*\.$/.test(meaning))).toEqual([]);
  });
});
