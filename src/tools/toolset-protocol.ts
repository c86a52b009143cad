// The lines of JSON between this process and the process that runs a skill's toolsets.
//
// What a toolset's process says is never trusted: the package's code runs in it and can write every line.

import * as z from "zod";
import { isRecord, jsonIn } from "../text/json.ts";
import { TOOL_LIMITS, TOOLSET_LIMITS } from "./limits.ts";

/** A module of the package, and what to take from it. */
export interface ToolsetEntry {
  /** The entry as the manifest has it: `toolsets/index:MyTools`. */
  readonly written: string;
  /** The path as the manifest has it, with its extension. */
  readonly path: string;
  /** The module as a real path. */
  readonly file: string;
  readonly exported: string;
}

/** What is wrong with a toolset or one of its tools. */
export interface EntryProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export function isProblem(value: object): value is EntryProblem {
  return "code" in value;
}

/** The first line to a toolset's process. */
export interface LoadRequest {
  readonly skill: string;
  readonly mount: string;
  /** The folder of jiti. */
  readonly loader: string;
  readonly entries: readonly ToolsetEntry[];
  /** The file descriptor to which the process writes its lines. */
  readonly answers: number;
  /** The file descriptor that is closed when this process is gone; absent if the sandbox takes care of that. */
  readonly lifeline?: number | undefined;
}

/** The other lines to a toolset's process. */
export type WorkerRequest =
  | { readonly call: string; readonly toolset: string; readonly tool: string; readonly args: unknown }
  | { readonly cancel: string };

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const problem = z.strictObject({
  code: z.enum(["toolset-load-failed", "toolset-export-missing", "toolset-export-invalid", "tool-invalid"]),
  message: z.string().max(TOOL_LIMITS.messageChars),
  fix: z.string().max(TOOL_LIMITS.messageChars),
});
const declaredTool = z.strictObject({
  name: z.string().regex(TOOL_NAME),
  description: z.string().trim().min(1).max(TOOLSET_LIMITS.descriptionChars),
  inputSchema: z.looseObject({ type: z.literal("object") }),
});
const callId = z.string().max(64);
const workerLine = z.union([
  z.strictObject({
    answer: callId,
    result: z.strictObject({
      title: z.string().max(TOOL_LIMITS.titleChars),
      metadata: z.record(z.string(), z.unknown()),
      output: z.string().max(TOOL_LIMITS.outputChars),
      cut: z.int().min(0),
    }),
  }),
  z.strictObject({
    answer: callId,
    invalid: z.array(z.string().max(TOOL_LIMITS.messageChars)).max(TOOL_LIMITS.listedIssues),
  }),
  z.strictObject({ answer: callId, failed: z.string().max(TOOL_LIMITS.messageChars) }),
  z.strictObject({
    /** The number of an entry, in the order of the request. */
    loaded: z.int().min(0),
    /** How many tools there are; the first ones are declared. */
    count: z.int().min(0),
    tools: z.array(declaredTool).max(TOOLSET_LIMITS.maxTools),
    problems: z.array(problem).max(TOOLSET_LIMITS.maxTools),
  }),
]);

/** A line from a toolset's process. */
export type WorkerLine = z.infer<typeof workerLine>;
/** What a process says about an entry that it has loaded. */
export type LoadedEntry = Extract<WorkerLine, { readonly loaded: number }>;

/** The line as a message; undefined if it is not one. */
export function readWorkerLine(line: string): WorkerLine | undefined {
  const value = jsonIn(line);
  return isShallow(value, TOOLSET_LIMITS.depth) ? workerLine.safeParse(value).data : undefined;
}

/**
 * Whether a value from JSON can be passed on safely. Deep values would overflow the stack of those who walk through
 * them, and a key `__proto__` would change the prototype of objects to which it is assigned.
 */
function isShallow(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth > 0 && value.every((item) => isShallow(item, depth - 1));
  if (!isRecord(value)) return true;
  return (
    depth > 0 &&
    Object.entries(value).every(([key, item]) => key !== "__proto__" && isShallow(item, depth - 1))
  );
}
