// The OpenAPI 3.1 document, made from the table of operations.

import * as z from "zod";
import { type ApiOperation, waitQuery } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { ErrorSchema, JobSchema, NAMED } from "./schemas.ts";

type Json = Readonly<Record<string, unknown>>;

const MEANINGS: Readonly<Record<number, string>> = {
  400: "The request does not fit the operation.",
  401: "The token is missing or wrong.",
  403: "Refused.",
  404: "Not found.",
  409: "In conflict with the current state, or a person's consent is needed first.",
  413: "The body is too large.",
  415: "The body is not JSON.",
  429: "Too many requests; Retry-After says when to try again.",
  500: "The server failed.",
  502: "The configured language model failed.",
  503: "Not now; try again in a moment.",
};

export function openApiDocument(version: string): Json {
  const answers = z.registry<{ id: string }>();
  for (const [schema, id] of NAMED) answers.add(schema, { id });
  const bodies = z.registry<{ id: string }>();
  for (const { id, answer, body, type } of OPERATIONS) {
    if (type === undefined && !answers.has(answer)) answers.add(answer, { id: `${capital(id)}Answer` });
    if (body) bodies.add(body, { id: `${capital(id)}Body` });
  }
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of OPERATIONS)
    paths[row.path] = { ...paths[row.path], [row.method]: describe(row, { answers, bodies }) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Repertoire",
      version,
      description:
        "The skill engine for AI agents. The API acts for the person who holds the token: never hand the token to a model.",
    },
    servers: [{ url: "http://127.0.0.1:7431" }],
    security: [{ token: [] }],
    tags: [...new Set(OPERATIONS.map(({ area }) => area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      responses: Object.fromEntries(
        Object.entries(MEANINGS).map(([status, description]) => [
          `Refusal${status}`,
          { description, content: json(refTo(answers, ErrorSchema)) },
        ]),
      ),
      schemas: { ...schemasOf(answers, "output"), ...schemasOf(bodies, "input") },
    },
  };
}

type Registry = z.core.$ZodRegistry<{ id: string }>;

function describe(row: (typeof OPERATIONS)[number], schemas: { answers: Registry; bodies: Registry }): Json {
  const { id, area, summary, command, params, query, body, answer, type, job, open } = row;
  const parameters = [
    ...parametersOf(params, "path"),
    ...parametersOf(query, "query"),
    ...(job ? parametersOf(waitQuery, "query") : []),
  ];
  const content =
    type === undefined
      ? json(refTo(schemas.answers, answer))
      : { [type.split(";")[0]!]: { schema: { type: "string" } } };
  return {
    operationId: id,
    tags: [area],
    summary,
    ...(command !== undefined && { "x-command": `repertoire ${command}` }),
    ...(open && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: !body.safeParse({}).success, content: json(refTo(schemas.bodies, body)) },
    }),
    responses: {
      [row.status ?? 200]: { description: "The answer.", content },
      ...(job && {
        202: { description: "It continues as a job.", content: json(refTo(schemas.answers, JobSchema)) },
      }),
      ...Object.fromEntries(
        refusals(row).map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]),
      ),
    },
  };
}

function refusals({ params, query, body, job, open, refuses = [] }: ApiOperation): number[] {
  const known = [
    403,
    500,
    ...(open ? [] : [401, 429]),
    ...(params || query || body || job ? [400] : []),
    ...(params ? [404] : []),
    ...(body ? [413, 415] : []),
    ...(job ? [409] : []),
    ...refuses,
  ];
  return [...new Set(known)].sort((a, b) => a - b);
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query"): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "output" });
  const isRequired = (name: string) => {
    const field = schema.shape[name];
    return required.includes(name) && !(field instanceof z.ZodDefault);
  };
  return Object.entries(properties).map(([name, described]) => {
    const { description, ...rest } = described as { description?: string };
    return {
      name,
      in: place,
      required: place === "path" || isRequired(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function schemasOf(registry: Registry, io: "input" | "output"): Record<string, Json> {
  const { schemas } = z.toJSONSchema(registry, { io, uri: refOf });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

function refTo(registry: Registry, schema: z.ZodType): Json {
  return { $ref: refOf(registry.get(schema)!.id) };
}

function refOf(id: string): string {
  return `#/components/schemas/${id}`;
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

function capital(id: string): string {
  return id[0]!.toUpperCase() + id.slice(1);
}
