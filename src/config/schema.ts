// Builds the JSON Schema of configuration files, with which editors complete and check them.

import { CONFIG_KEYS, CONFIG_TABLE, type ConfigKey, groupKeys } from "./keys.ts";

/** Accepts what `loadConfig` accepts in the person's own file. */
export function configSchema(): Readonly<Record<string, unknown>> {
  const properties = Object.keys(CONFIG_TABLE).map((name) => [name, groupSchema(name) ?? keySchema(name)]);
  // Dotted keys are accepted too. As patterns, because editors do not offer patterns for completion.
  const dotted = [...CONFIG_KEYS.keys()]
    .filter((name) => name.includes("."))
    .map((name) => [
      `^${name.replace(".", "\\.")}$`,
      { $ref: `#/properties/${name.replace(".", "/properties/")}` },
    ]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Repertoire configuration",
    type: "object",
    properties: { $schema: {}, ...Object.fromEntries(properties) },
    patternProperties: Object.fromEntries(dotted),
    additionalProperties: false,
  };
}

function groupSchema(name: string) {
  const keys = groupKeys(name)?.map((key) => [key, keySchema(`${name}.${key}`)]);
  return keys && { type: "object", properties: Object.fromEntries(keys), additionalProperties: false };
}

function keySchema(name: string) {
  const { about, kind, projectMaySet, default: fallback } = CONFIG_KEYS.get(name) as ConfigKey;
  const description = projectMaySet ? about : `${about} Not allowed in a project's file.`;
  return { description, ...kind, default: fallback };
}
