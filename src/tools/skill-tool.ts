// Finds the tools in a toolset's export and checks them.

import { messageOf } from "../model/errors.ts";
import type { ToolContext, ToolSpec } from "./define-tool.ts";
import type { EntryProblem } from "./toolset-entry.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A checked tool of a skill, with its schema for hosts. */
export interface SkillTool {
  readonly skill: string;
  readonly mount: string;
  /** The manifest's entry that it came from. */
  readonly toolset: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly parameters: ToolSpec["parameters"];
  execute(args: unknown, context: ToolContext): unknown;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

interface ToolLike {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
  readonly execute?: unknown;
}

/** The values in an export: an array, one tool, or an object or class with tools in `tools` or in its fields. */
export async function toolsIn(exported: unknown): Promise<unknown[]> {
  const value = typeof exported === "function" ? await instantiate(exported) : exported;
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [];
  if (isToolLike(value)) return [value];
  const { tools } = value as { tools?: unknown };
  if (Array.isArray(tools)) return tools;
  return Object.values(typeof tools === "object" && tools !== null ? tools : value).filter(isToolLike);
}

function instantiate(exported: unknown): unknown {
  const isClass = /^class\b/.test(Function.prototype.toString.call(exported));
  if (!isClass) return (exported as () => unknown)();
  const holder = exported as { new (): unknown; tools?: unknown };
  return holder.tools === undefined ? new holder() : { tools: holder.tools };
}

function isToolLike(value: unknown): value is ToolLike {
  return typeof value === "object" && value !== null && "execute" in value;
}

interface CheckOptions {
  readonly skill: string;
  readonly mount: string;
  readonly toolset: string;
  readonly toJsonSchema: (schema: ToolSpec["parameters"]) => JsonSchema;
}

/** The checked tool, or what is wrong with it. */
export function checkTool(value: unknown, options: CheckOptions): SkillTool | EntryProblem {
  const { toJsonSchema, ...origin } = options;
  if (!isToolLike(value) || typeof value.execute !== "function") {
    return invalid(`A value in "${origin.toolset}" is not a tool`, "Define every tool with defineTool.");
  }
  const { name, description, parameters, execute } = value;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    const fix = "Use 1 to 64 letters, digits, _ and -.";
    return invalid(`A tool in "${origin.toolset}" has the name ${JSON.stringify(name)}`, fix);
  }
  if (typeof description !== "string" || description.trim() === "") {
    return invalid(`The tool "${name}" has no description`, "Say when a model should call it.");
  }
  if (!isZodSchema(parameters)) {
    return invalid(
      `The parameters of the tool "${name}" are not a zod 4 schema`,
      'Use z from "repertoire/tools": z.object({ ... }).',
    );
  }
  const call = execute as SkillTool["execute"];
  try {
    const { $schema: _dialect, ...inputSchema } = toJsonSchema(parameters);
    if (inputSchema.type !== "object") {
      const fix = "Wrap them: z.object({ value: ... }).";
      return invalid(`The parameters of the tool "${name}" are not an object`, fix);
    }
    return {
      ...origin,
      ...{ name, description, inputSchema, parameters },
      execute: (args, context) => call.call(value, args, context),
    };
  } catch (error) {
    const fix = "Use types that JSON has.";
    return invalid(`The parameters of the tool "${name}" have no JSON schema: ${messageOf(error)}`, fix);
  }
}

function isZodSchema(value: unknown): value is ToolSpec["parameters"] {
  return typeof value === "object" && value !== null && "_zod" in value && "safeParseAsync" in value;
}

function invalid(what: string, fix: string): EntryProblem {
  return { code: "tool-invalid", message: `${what}; it is left out.`, fix };
}
