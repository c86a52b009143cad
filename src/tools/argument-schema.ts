// Checks the arguments of a tool call against the JSON schema that the tool's process declared.
//
// The schema is the package's, and it is applied in this process. Only keywords are used whose cost is bounded by the
// sizes of schema and arguments: no regular expressions, no references, no conditions. The tool's own schema checks the
// rest, in its own process.

import * as z from "zod";
import { isRecord } from "../text/json.ts";
import { TOOL_LIMITS } from "./limits.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords that hold a plain value. */
const VALUES = [
  ...["type", "enum", "const", "required", "minLength", "maxLength", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
];
/** Keywords that hold a schema or a list of schemas. */
const SCHEMAS = ["items", "prefixItems", "anyOf", "allOf"];

/** Returns what is wrong with arguments, one line each: `city: expected string`. */
export function argumentChecker(schema: JsonSchema): (args: unknown) => string[] {
  const checked = z.fromJSONSchema(boundedPart(schema) as z.core.JSONSchema.JSONSchema, {
    registry: z.registry(),
  });
  return (args) => issuesOf(checked.safeParse(args).error);
}

/** The issues of a schema as lines, as many as help to correct the call. */
export function issuesOf(error: z.ZodError | undefined): string[] {
  return (error?.issues ?? [])
    .slice(0, TOOL_LIMITS.listedIssues)
    .map(({ path, message }) =>
      `${path.join(".") || "arguments"}: ${message}`.slice(0, TOOL_LIMITS.messageChars),
    );
}

function boundedPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(boundedPart);
  if (!isRecord(schema)) return schema === false ? false : {};
  const part: Record<string, unknown> = {};
  for (const keyword of VALUES) if (keyword in schema) part[keyword] = schema[keyword];
  for (const keyword of SCHEMAS) if (keyword in schema) part[keyword] = boundedPart(schema[keyword]);
  // Without their patterns, several alternatives may fit where one should.
  if (Array.isArray(schema.oneOf)) part.anyOf = boundedPart(schema.oneOf);
  if (isRecord(schema.properties)) {
    const properties = Object.entries(schema.properties).map(([name, of]) => [name, boundedPart(of)]);
    part.properties = Object.fromEntries(properties);
  }
  if ("additionalProperties" in schema && !("patternProperties" in schema))
    part.additionalProperties = boundedPart(schema.additionalProperties);
  return part;
}
