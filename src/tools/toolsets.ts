// Loads the toolsets of a mounted skill as tools. Call it only after consent.
//
// Loading imports the package's code into this process. It is not isolated, and a module that blocks the thread cannot
// be stopped. A module that throws, waits forever or exports something else becomes a diagnostic.

import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillManifest } from "../model/skill.ts";
import { TOOLSET_LIMITS } from "./limits.ts";
import { checkTool, type SkillTool, toolsIn } from "./skill-tool.ts";
import { type EntryProblem, resolveEntry, type ToolsetEntry } from "./toolset-entry.ts";

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
