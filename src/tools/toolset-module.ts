// Imports a module of a package and takes the tools from it. Runs only in the process of the toolset.

import { readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as zod from "zod";
import { messageOf } from "../model/errors.ts";
import type { JsonSchema } from "./argument-schema.ts";
import type { ToolContext, ToolSpec } from "./define-tool.ts";
import * as authoring from "./define-tool.ts";
import { TOOL_LIMITS, TOOLSET_LIMITS } from "./limits.ts";
import { type EntryProblem, isProblem, TOOL_NAME, type ToolsetEntry } from "./toolset-protocol.ts";

/** A checked tool of a module. */
export interface ModuleTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly parameters: ToolSpec["parameters"];
  execute(args: unknown, context: ToolContext): unknown;
}

/** The tools of an entry, and what is wrong with it. Never rejects. */
export async function loadModule(
  entry: ToolsetEntry,
  loader: string,
): Promise<{ tools: ModuleTool[]; problems: EntryProblem[] }> {
  try {
    const found = await importTools(entry, loader);
    if (isProblem(found)) return { tools: [], problems: [found] };
    const checked = found.values.map((value) => checkTool(value, entry.written));
    return {
      tools: checked.flatMap((one) => (isProblem(one) ? [] : [one])),
      problems: checked.filter(isProblem),
    };
  } catch (error) {
    const fix = `Make ${entry.path} load without an error and export ${entry.exported}. It may import repertoire/tools, zod, Node's modules, files of the package, and packages that are installed in the project or beside the skill.`;
    const message = `The toolset "${entry.written}" could not be loaded: ${messageOf(error)}`;
    return { tools: [], problems: [{ code: "toolset-load-failed", message, fix }] };
  }
}

async function importTools(
  { file, exported, written, path }: ToolsetEntry,
  loader: string,
): Promise<{ values: unknown[] } | EntryProblem> {
  const { createJiti }: typeof import("jiti") = await import(
    pathToFileURL(join(loader, "lib", "jiti.mjs")).href
  );
  // A package has no node_modules, so the modules that authors may import are given here.
  const virtualModules = {
    "repertoire/tools": authoring,
    "@agent/tools": authoring,
    zod,
    "zod/v4": zod,
  };
  const options = { fsCache: false, interopDefault: false, virtualModules };
  const alias = installed(bareImports(file.slice(0, -path.length)), createJiti(file, options));
  const jiti = createJiti(file, { ...options, alias });
  const module = await jiti.import<Record<string, unknown>>(file);
  if (!(exported in module)) {
    const names = Object.keys(module).join(", ") || "nothing";
    return {
      code: "toolset-export-missing",
      message: `${path} does not export ${exported} (toolset "${written}"). It exports: ${names}.`,
      fix: `Export ${exported} from it, or correct the entry.`,
    };
  }
  const values = await toolsIn(module[exported]);
  if (values.length > 0) return { values };
  return {
    code: "toolset-export-invalid",
    message: `${exported} of ${path} has no tools.`,
    fix: "Export an array of tools made with defineTool, or an object or class with such tools.",
  };
}

/** Files of a package that are searched for imports; a larger one still loads, but not what only `import` can resolve. */
const SEARCHED_FILES = 500;

/** The packages that the modules of a folder import, as they write them. */
function bareImports(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
    .slice(0, SEARCHED_FILES);
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  const written = texts.flatMap((text) => [
    ...text.matchAll(/(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["']([^"'\n]+)["']/g),
  ]);
  return new Set(
    written.map(([, name]) => name!).filter((name) => /^(?:@[\w.-]+\/)?[\w.-]+(?:\/|$)/.test(name)),
  );
}

/**
 * Where imported packages are in the folders of NODE_PATH. Node searches those folders for `require` only, which does not see
 * what a package exports for `import` alone.
 */
function installed(
  names: ReadonlySet<string>,
  jiti: { esmResolve(id: string, options: { parentURL: string; try: true }): string | undefined },
): Record<string, string> {
  const folders = (process.env.NODE_PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...names].flatMap((name) => {
    for (const folder of folders) {
      const parentURL = pathToFileURL(join(dirname(folder), "toolset.js")).href;
      const at = jiti.esmResolve(name, { parentURL, try: true });
      if (at?.startsWith("file:")) return [[name, fileURLToPath(at)] as const];
    }
    return [];
  });
  return Object.fromEntries(found);
}

/** The values in an export: an array, one tool, or an object or class with tools in `tools` or in its fields. */
async function toolsIn(exported: unknown): Promise<unknown[]> {
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

function isToolLike(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "execute" in value;
}

/** The checked tool, or what is wrong with it. */
function checkTool(value: unknown, toolset: string): ModuleTool | EntryProblem {
  if (!isToolLike(value) || typeof value.execute !== "function") {
    return invalid(`A value in "${toolset}" is not a tool`, "Define every tool with defineTool.");
  }
  const { name, description, parameters, execute } = value;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    const fix = "Use 1 to 64 letters, digits, _ and -.";
    return invalid(`A tool in "${toolset}" has the name ${JSON.stringify(name)}`, fix);
  }
  if (typeof description !== "string" || description.trim() === "") {
    return invalid(`The tool "${name}" has no description`, "Say when a model should call it.");
  }
  if (description.length > TOOLSET_LIMITS.descriptionChars) {
    const fix = `Use at most ${TOOLSET_LIMITS.descriptionChars} characters.`;
    return invalid(`The description of the tool "${name}" is too long`, fix);
  }
  if (!isZodSchema(parameters)) {
    return invalid(
      `The parameters of the tool "${name}" are not a zod 4 schema`,
      'Use z from "repertoire/tools": z.object({ ... }).',
    );
  }
  const call = execute as ModuleTool["execute"];
  try {
    const { $schema: _dialect, ...inputSchema } = zod.toJSONSchema(parameters, {
      io: "input",
      unrepresentable: "any",
    });
    if (inputSchema.type !== "object") {
      const fix = "Wrap them: z.object({ value: ... }).";
      return invalid(`The parameters of the tool "${name}" are not an object`, fix);
    }
    if (JSON.stringify(inputSchema).length > TOOLSET_LIMITS.schemaChars) {
      return invalid(`The schema of the tool "${name}" is too long`, "Split the tool, or simplify it.");
    }
    return {
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
  const room = TOOL_LIMITS.messageChars - 100;
  return { code: "tool-invalid", message: `${what.slice(0, room)}; it is left out.`, fix };
}
