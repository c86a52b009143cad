import { describe, expect, it } from "vitest";
import type { Verb } from "../../cli/command.ts";
import { verbsFor } from "../../cli/main.ts";
import { openApiDocument } from "./openapi.ts";
import { NOT_OVER_HTTP, OPERATIONS } from "./operations.ts";

interface Answered {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: object;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Answered>>;
}

const document = openApiDocument("1.2.3") as {
  readonly openapi: string;
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<"schemas" | "responses", Readonly<Record<string, Answered>>>>;
};
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function resolved(answer: Answered): Answered {
  return answer.$ref === undefined ? answer : document.components.responses[answer.$ref.split("/").at(-1)!]!;
}

/** The words of every command that does something, `proposals accept` for example. */
async function commands(): Promise<string[]> {
  const wordsOf = ({ use, run, verbs = [] }: Verb, before: readonly string[]): string[] => {
    const words = [...before, use.split(" ")[0]!];
    return [...(run ? [words.join(" ")] : []), ...verbs.flatMap((inner) => wordsOf(inner, words))];
  };
  return (await verbsFor(undefined)).flatMap((verb) => wordsOf(verb, []));
}

describe("the table of operations", () => {
  it("has every command of the command line, but those that make no sense over HTTP", async () => {
    const over = new Set(OPERATIONS.flatMap(({ command }) => command ?? []));
    const missing = (await commands()).filter((words) => !over.has(words) && !(words in NOT_OVER_HTTP));
    expect(missing).toEqual([]);
  });

  it("names only commands that exist", async () => {
    const known = await commands();
    expect(
      OPERATIONS.flatMap(({ command }) => command ?? []).filter((words) => !known.includes(words)),
    ).toEqual([]);
  });
});

describe("the OpenAPI document", () => {
  it("has every operation of the table once", () => {
    const ids = described.map(({ operation }) => operation.operationId);
    expect(document.openapi).toBe("3.1.0");
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  });

  it("resolves every reference, and uses every schema", () => {
    const text = JSON.stringify(document);
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!));
    const known = (["schemas", "responses"] as const).flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...refs].filter((ref) => !known.includes(ref))).toEqual([]);
    expect(known.filter((name) => !refs.has(name))).toEqual([]);
    expect(text).not.toMatch(/"\$(?:id|schema|defs)"/);
  });

  it("declares each parameter of a path, and no other", () => {
    for (const { path, operation } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path");
      expect([path, declared.map(({ name }) => name)]).toEqual([path, inPath]);
      expect(declared.every(({ required, schema }) => required && schema)).toBe(true);
    }
  });

  it("describes each operation, its answer and its refusals", () => {
    const areas = document.tags.map(({ name }) => name);
    for (const { method, operation } of described) {
      const { operationId, summary, responses, requestBody, tags } = operation;
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(tags.every((tag) => areas.includes(tag))).toBe(true);
      const statuses = Object.keys(responses);
      expect([operationId, statuses.some((status) => status.startsWith("2"))]).toEqual([operationId, true]);
      const answers = Object.values(responses).map(resolved);
      expect(answers.every(({ description, content }) => description && content)).toBe(true);
      if (!["health", "live", "ready"].includes(operationId))
        expect(statuses).toEqual(expect.arrayContaining(["401", "429"]));
      if (method === "get" || method === "delete") expect(requestBody).toBeUndefined();
    }
  });
});
