// The table of all operations, from which the router and the OpenAPI document are made.

import { DREAM_OPERATIONS } from "./dream.ts";
import { JOURNAL_OPERATIONS } from "./journal.ts";
import { LEARNED_OPERATIONS } from "./learned.ts";
import { LIBRARY_OPERATIONS } from "./library.ts";
import type { ApiOperation } from "./operation.ts";
import { SERVER_OPERATIONS } from "./server.ts";
import { TASK_OPERATIONS } from "./tasks.ts";
import { TURN_OPERATIONS } from "./turns.ts";

export const OPERATIONS: readonly ApiOperation[] = [
  ...TURN_OPERATIONS,
  ...LIBRARY_OPERATIONS,
  ...TASK_OPERATIONS,
  ...LEARNED_OPERATIONS,
  ...JOURNAL_OPERATIONS,
  ...DREAM_OPERATIONS,
  ...SERVER_OPERATIONS,
];

/** Where the OpenAPI document is served. */
export const OPENAPI_PATH = "/api/openapi.json";

/** Commands of the command line that the API leaves out, and why. */
export const NOT_OVER_HTTP: Readonly<Record<string, string>> = {
  chat: "a conversation in the terminal",
  hook: "a host calls it as a process of its own",
  mcp: "uses standard input and output; /mcp is the same over HTTP",
  serve: "is the server",
  setup: "writes the configuration of programs on this machine, and shows the person what it writes",
};
