import { describe, expect, test } from "vitest";
import { argumentChecker } from "./argument-schema.ts";
import { z } from "./define-tool.ts";

const checkerFor = (schema: z.ZodType) =>
  argumentChecker(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));

describe("arguments", () => {
  const check = checkerFor(
    z.object({
      city: z.string().min(2),
      days: z.number().int().max(14).optional(),
      unit: z.enum(["c", "f"]).default("c"),
      tags: z.array(z.string()).optional(),
      place: z.union([z.object({ lat: z.number() }), z.string()]).optional(),
    }),
  );

  test.each([
    [{ city: "Rome" }],
    [{ city: "Rome", days: 3, unit: "f", tags: ["a"], place: { lat: 1 } }],
    [{ city: "Rome", place: "there", unknown: true }],
  ])("%j fit", (args) => {
    expect(check(args)).toEqual([]);
  });

  test.each([
    [{}, "city"],
    [{ city: "R" }, "city"],
    [{ city: "Rome", days: 15 }, "days"],
    [{ city: "Rome", unit: "k" }, "unit"],
    [{ city: "Rome", tags: [1] }, "tags.0"],
    [{ city: "Rome", place: 7 }, "place"],
    [[], "arguments"],
  ])("%j do not fit, and the line names %s", (args, path) => {
    expect(check(args).some((line) => line.startsWith(`${path}: `))).toBe(true);
  });

  test("are not rejected for what only the tool itself can check", () => {
    const choice = z.object({
      id: z.union([z.string().regex(/^a/), z.string().regex(/^b/)]),
      at: z.iso.date(),
    });
    expect(checkerFor(choice)({ id: "c", at: "tomorrow" })).toEqual([]);
    const alternatives = {
      type: "object",
      properties: { x: { oneOf: [{ pattern: "^a" }, { pattern: "^b" }] } },
    };
    expect(argumentChecker(alternatives)({ x: "a" })).toEqual([]);
  });
});

describe("a schema of a package", () => {
  test("brings no regular expression into this process", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)+$" } },
      patternProperties: { "(b+)+$": {} },
      additionalProperties: false,
    };
    expect(argumentChecker(schema)({ a: `${"a".repeat(40)}!`, [`${"b".repeat(40)}!`]: 1 })).toEqual([]);
  });

  test("costs no more because it refers to itself", () => {
    const twice = { anyOf: [{ $ref: "#/$defs/t" }, { $ref: "#/$defs/t" }] };
    const schema = {
      type: "object",
      properties: { t: twice },
      $defs: { t: { type: "object", properties: { t: twice }, required: ["never"] } },
    };
    const deep = Array.from({ length: 40 }).reduce<object>((below) => ({ t: below }), {});
    expect(argumentChecker(schema)(deep)).toEqual([]);
  });

  test.each([
    [
      {
        type: "object",
        if: {},
        not: { type: "string" },
        dependentSchemas: {},
        $ref: "https://example.org/x",
      },
    ],
    [{ type: "object", properties: { __proto__: { type: "string" } }, required: ["toString"] }],
    [{ type: "object", properties: { a: true, b: false, c: null, d: 7 } }],
  ])("%j does not throw", (schema) => {
    expect(() => argumentChecker(schema)({ a: 1 })).not.toThrow();
  });
});
