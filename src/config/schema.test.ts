import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadConfig } from "./config.ts";
import { CONFIG_KEYS, type ConfigKey, configSchema } from "./keys.ts";
import { acceptedValues, accepts, type Schema } from "./kinds.ts";

const schema = JSON.parse(JSON.stringify(configSchema()));
const validate = new Ajv({ strictTypes: true, allErrors: false }).compile(schema);

/** Whether `loadConfig` accepts the settings in a place that may set everything. */
function loads(values: Readonly<Record<string, unknown>>): boolean {
  try {
    loadConfig({ home: "/nowhere", dir: "/nowhere", env: {}, values });
    return true;
  } catch {
    return false;
  }
}

const nested = (name: string, value: unknown) => {
  const [group, field] = name.split(".");
  return field === undefined ? { [name]: value } : { [group!]: { [field]: value } };
};

/** Values near the limits of a schema, most of them valid. */
function near({ type, anyOf, enum: values, ...more }: Schema): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...anyOf.map(near));
  if (values) return fc.constantFrom(...values, `${values[0]}x`);
  if (type === "boolean") return fc.boolean();
  if (type === "string") return fc.string({ maxLength: 3 });
  if (type === "array") return fc.array(near(more.items!), { maxLength: 3 });
  if (type !== "object") {
    const { minimum = 0, maximum = 100 } = more;
    return fc.oneof(
      fc.integer({ min: minimum - 1, max: maximum + 1 }),
      fc.double({ min: minimum - 1, max: maximum + 1, noNaN: true }),
    );
  }
  const fields = Object.entries(more.properties ?? {}).map(([name, field]) => [name, near(field)]);
  return more.additionalProperties
    ? fc.dictionary(fc.string(), near(more.additionalProperties), { maxKeys: 3 })
    : fc.record({ ...Object.fromEntries(fields), unknown: fc.constant(1) }, { requiredKeys: [] });
}

describe.each([...CONFIG_KEYS])("the key %s", (name: string, key: ConfigKey) => {
  it("accepts its own default and its examples", () => {
    for (const value of [key.default, ...(key.kind.examples ?? [])]) {
      if (value === undefined) continue;
      expect(accepts(key.kind, value)).toBe(true);
      expect(validate(nested(name, value))).toBe(true);
    }
  });

  it("has a text about what it accepts and what it is for", () => {
    expect(acceptedValues(key.kind)).not.toMatch(/undefined|such as $/);
    expect(key.about).toMatch(/^[A-Z].*[.)]$/);
  });

  it("is accepted and rejected by the schema as by loadConfig, nested and dotted", () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: near(key.kind) }, fc.jsonValue()), (value) => {
        const loaded = loads(nested(name, value));
        expect(validate(nested(name, value))).toBe(loaded);
        expect(validate({ [name]: value })).toBe(loaded);
        expect(loads({ [name]: value })).toBe(loaded);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the schema", () => {
  it.each([
    [{}, true],
    [{ $schema: "./config.schema.json" }, true],
    [{ style: "cards", sources: { drop: ["x"] }, "recall.limit": 3 }, true],
    [{ sorces: {} }, false],
    [{ sources: [] }, false],
    [{ sources: null }, false],
    [{ sources: { dropp: [] } }, false],
    [{ "budget.tokens": 1 }, false],
    [{ sourcesXdrop: [] }, false],
  ])("agrees with loadConfig about %j", (settings, valid) => {
    expect(validate(settings)).toBe(valid);
    expect(loads(settings)).toBe(valid);
  });

  it("tells editors which keys a project may not set", () => {
    const { style, disable, sources } = schema.properties;
    expect(style.description).toContain("project's file");
    expect(disable.description).not.toContain("project's file");
    expect(sources.properties.trustLinks.description).toContain("project's file");
  });
});
