// Loads the toolsets of a mounted skill as tools. Call it only after consent.
//
// Loading imports the package's code into this process. It is not isolated, and a module that blocks the thread cannot
// be stopped. A module that throws, waits forever or exports something else becomes a diagnostic.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../disk/disk.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillManifest } from "../model/skill.ts";
import type { ToolContext, ToolSpec } from "./define-tool.ts";
import { TOOLSET_LIMITS } from "./limits.ts";
import { realPathOrNothing, unsafePath } from "./package-path.ts";

interface ToolsetRequest {
  /** The verified private copy of the package. */
  readonly mount: string;
  readonly manifest: Pick<SkillManifest, "toolsets">;
  readonly skillName: string;
  readonly loadMs?: number | undefined;
}

/** Loads all toolsets of a skill; what cannot be loaded becomes a diagnostic. */
export async function loadToolsets(
  request: ToolsetRequest,
): Promise<{ tools: readonly SkillTool[]; diagnostics: readonly Diagnostic[] }> {
  const tools: SkillTool[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const written of new Set(request.manifest.toolsets)) {
    const entry = await resolveEntry(request.mount, written);
    const loaded = "code" in entry ? entry : await loadEntry(entry, request);
    if ("code" in loaded) {
      diagnostics.push(asDiagnostic(loaded, join(request.mount, "SKILL.md")));
      continue;
    }
    tools.push(...loaded.tools);
    diagnostics.push(...loaded.problems.map((problem) => asDiagnostic(problem, loaded.file)));
  }
  if (tools.length > TOOLSET_LIMITS.maxTools) {
    diagnostics.push(tooMany(tools.length, request));
  }
  return { tools: tools.slice(0, TOOLSET_LIMITS.maxTools), diagnostics };
}

type Loaded = { readonly file: string; readonly tools: SkillTool[]; readonly problems: EntryProblem[] };

async function loadEntry(entry: ToolsetEntry, request: ToolsetRequest): Promise<Loaded | EntryProblem> {
  const { written, file, exported } = entry;
  const limit = request.loadMs ?? TOOLSET_LIMITS.loadMs;
  try {
    const found = await within(limit, importTools(entry));
    if (found === "late") {
      return {
        code: "toolset-load-timeout",
        message: `The toolset "${written}" was not loaded within ${limit / 1000} s.`,
        fix: "Do not wait at the top of the module; wait inside execute.",
      };
    }
    if ("code" in found) return found;
    const { z } = await import("./define-tool.ts");
    const tools: SkillTool[] = [];
    const problems: EntryProblem[] = [];
    for (const candidate of found.values) {
      const checked = checkTool(candidate, {
        ...{ skill: request.skillName, mount: request.mount, toolset: written },
        toJsonSchema: (schema) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
      });
      if ("code" in checked) problems.push(checked);
      else tools.push(checked);
    }
    return { file, tools, problems };
  } catch (error) {
    return {
      code: "toolset-load-failed",
      message: `The toolset "${written}" could not be loaded: ${messageOf(error)}`,
      fix: `Make ${entry.path} load without an error and export ${exported}. It may import repertoire/tools, zod, Node's modules and files of the package.`,
    };
  }
}

async function importTools({
  file,
  exported,
  written,
  path,
}: ToolsetEntry): Promise<{ values: unknown[] } | EntryProblem> {
  const [{ createJiti }, authoring, zod] = await Promise.all([
    import("jiti"),
    import("./define-tool.ts"),
    import("zod"),
  ]);
  // A package has no node_modules, so the modules that authors may import are given here.
  const virtualModules = {
    "repertoire/tools": authoring,
    "@agent/tools": authoring,
    zod,
    "zod/v4": zod,
  };
  // No caches: the same path may have another version of the package the next time.
  const jiti = createJiti(file, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules,
  });
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

async function within<T>(ms: number, work: Promise<T>): Promise<T | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** A warning, not an error, because the skill itself still activates. */
function asDiagnostic(problem: EntryProblem, path: string): Diagnostic {
  return { ...problem, severity: "warning", path };
}

function tooMany(count: number, { mount, skillName }: ToolsetRequest): Diagnostic {
  const max = TOOLSET_LIMITS.maxTools;
  const problem = {
    code: "toolset-too-many-tools",
    message: `"${skillName}" has ${count} tools; only the first ${max} are offered.`,
    fix: "Split the skill, or combine tools.",
  };
  return asDiagnostic(problem, join(mount, "SKILL.md"));
}

interface ToolsetEntry {
  /** The entry as the manifest has it. */
  readonly written: string;
  /** The path as the manifest has it. */
  readonly path: string;
  /** The module as a real path. */
  readonly file: string;
  readonly exported: string;
}

interface EntryProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

const SCHEME = /^(node|bun|deno|npm|jsr|file|data|blob|https?):/i;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MODULE = /\.[cm]?[jt]s$/;
/** Tried in this order for a path without an extension. */
const EXTENSIONS = [".ts", ".mts", ".js", ".mjs", ".cjs"];
const FORM = 'Write "toolsets/index:ExportName" with a path inside the package.';

async function resolveEntry(mountPath: string, written: string): Promise<ToolsetEntry | EntryProblem> {
  const colon = written.lastIndexOf(":");
  const path = (colon < 0 ? written : written.slice(0, colon)).trim();
  const exported = colon < 0 ? "default" : written.slice(colon + 1).trim();
  const unsafe = SCHEME.test(written) ? "the path must be relative to the package" : unsafePath(path);
  if (unsafe) return rejected(written, unsafe);
  if (!IDENTIFIER.test(exported)) {
    return {
      code: "toolset-entry-invalid",
      message: `"${exported}" in the toolset "${written}" is not a name that a module can export.`,
      fix: FORM,
    };
  }
  const mount = await realPathOrNothing(mountPath);
  for (const candidate of mount === undefined ? [] : candidates(path)) {
    const file = await realPathOrNothing(join(mount ?? "", candidate));
    if (file === undefined) continue;
    if (!isInside(mount ?? "", file)) return rejected(written, "it is a link that leaves the package");
    if ((await stat(file)).isFile() && MODULE.test(file)) return { written, path: candidate, file, exported };
  }
  return {
    code: "toolset-not-found",
    message: `The package has no module for the toolset "${written}".`,
    fix: `Add ${candidates(path).slice(0, 3).join(" or ")}, or correct the entry.`,
  };
}

function candidates(path: string): string[] {
  if (MODULE.test(path)) return [path];
  return [
    ...EXTENSIONS.map((ending) => path + ending),
    ...EXTENSIONS.map((ending) => `${path}/index${ending}`),
  ];
}

function rejected(written: string, why: string): EntryProblem {
  return {
    code: "toolset-path-refused",
    message: `The toolset "${written}" is rejected: ${why}.`,
    fix: FORM,
  };
}

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

interface CheckOptions extends Pick<SkillTool, "skill" | "mount" | "toolset"> {
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
