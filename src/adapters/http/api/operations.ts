// The table of all operations, from which the router and the OpenAPI document are made.

import type * as z from "zod";
import { DREAM_OPERATIONS } from "./dream.ts";
import { JOURNAL_OPERATIONS } from "./journal.ts";
import { LEARNED_OPERATIONS } from "./learned.ts";
import { LIBRARY_OPERATIONS } from "./library.ts";
import type { ApiOperation } from "./operation.ts";
import { SERVER_OPERATIONS } from "./server.ts";
import { SUPPLY_OPERATIONS } from "./supply.ts";
import { TASK_OPERATIONS } from "./tasks.ts";
import { TURN_OPERATIONS } from "./turns.ts";

const AREAS = {
  turns: TURN_OPERATIONS,
  library: LIBRARY_OPERATIONS,
  tasks: TASK_OPERATIONS,
  "learned skills": LEARNED_OPERATIONS,
  "skills from elsewhere": SUPPLY_OPERATIONS,
  journal: JOURNAL_OPERATIONS,
  dreams: DREAM_OPERATIONS,
  server: SERVER_OPERATIONS,
};

type Row = (typeof AREAS)[keyof typeof AREAS][number];

/** What each operation answers, by its id: for clients in TypeScript, such as the dashboard. */
export type Answers = { readonly [R in Row as R["id"]]: z.output<R["answer"]> };

export const OPERATIONS: readonly (ApiOperation & { readonly area: string })[] = Object.entries(
  AREAS,
).flatMap(([area, rows]) => rows.map((row) => ({ ...row, area })));

/** Where the OpenAPI document is served. */
export const OPENAPI_PATH = "/api/openapi.json";

/** Commands of the command line that the API leaves out, and why. */
export const NOT_OVER_HTTP: Readonly<Record<string, string>> = {
  chat: "a conversation in the terminal",
  "catalog add": "edits the person's configuration on this machine",
  "catalog remove": "edits the person's configuration on this machine",
  complete: "for shells",
  completion: "for shells",
  export: "writes files anywhere on this machine",
  hook: "a host calls it as a process of its own",
  link: "writes into the folders of other programs on this machine",
  mcp: "uses standard input and output; /mcp is the same over HTTP",
  publish: "writes files anywhere on this machine",
  pull: "writes files anywhere on this machine",
  push: "reads files anywhere on this machine",
  serve: "is the server",
  sync: "reads and writes files anywhere on this machine",
  "token create": "makes a secret, which one person gives to one agent",
  "token list": "administers the shared database of many machines, at a terminal",
  "token revoke": "administers the shared database of many machines, at a terminal",
  ui: "opens the dashboard, which is a page over this API",
  setup: "writes the configuration of programs on this machine, and shows the person what it writes",
};
