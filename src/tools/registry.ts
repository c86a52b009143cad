// Registers the tools of activated skills under names that model APIs accept, and calls them by these names: checks the
// arguments, and turns every end of a call into a result.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { compareNames } from "../model/name.ts";
import { jsonIn } from "../text/json.ts";
import type { JsonSchema } from "./argument-schema.ts";
import type { ToolOutput } from "./define-tool.ts";
import { TOOL_LIMITS } from "./limits.ts";
import type { ToolAnswer } from "./toolset-worker.ts";
import type { SkillTool } from "./toolsets.ts";

/** A tool as a host offers it to a model. */
export interface RegisteredTool {
  /** `skill__tool`, at most 64 characters that model APIs accept. */
  readonly name: string;
  readonly skill: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface ToolRegistry {
  /** Adds tools and returns diagnostics for those that could not be added. */
  add(tools: readonly SkillTool[]): Diagnostic[];
  removeSkill(skill: string): void;
  list(): RegisteredTool[];
  has(name: string): boolean;
  /** Never throws: an error of the model or the tool is a result that says what to do. */
  call(name: string, args: unknown, options?: CallOptions): Promise<ToolCallResult>;
}

export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, SkillTool>();
  return {
    add(added) {
      const diagnostics: Diagnostic[] = [];
      for (const tool of added) {
        const name = qualifiedName(tool.skill, tool.name);
        const holder = tools.get(name);
        if (holder) diagnostics.push(collision(name, holder, tool));
        else tools.set(name, tool);
      }
      return diagnostics;
    },
    removeSkill(skill) {
      for (const [name, tool] of tools) if (tool.skill === skill) tools.delete(name);
    },
    list() {
      return [...tools]
        .map(([name, { skill, description, inputSchema }]) => ({ name, skill, description, inputSchema }))
        .sort((a, b) => compareNames(a.name, b.name));
    },
    has: (name) => tools.has(name),
    async call(name, args, options = {}) {
      const tool = tools.get(name);
      if (tool) return callTool(tool, args, options);
      const names = [...tools.keys()].sort(compareNames).join(", ") || "none; activate a skill first";
      return toolError("unknown-tool", name, `There is no tool "${name}". Tools: ${names}.`);
    },
  };
}

/** The name of a tool for hosts: `mcp/email` and `send` become `mcp_email__send`; a long name is cut and gets a hash. */
export function qualifiedName(skill: string, tool: string): string {
  const whole = `${skill.replace(/\//g, "_").replace(/[^a-zA-Z0-9_-]/g, "-")}__${tool}`;
  if (whole.length <= TOOL_LIMITS.nameChars) return whole;
  const hash = createHash("sha256").update(`${skill}\0${tool}`).digest("hex").slice(0, 8);
  return `${whole.slice(0, TOOL_LIMITS.nameChars - hash.length - 1)}_${hash}`;
}

function collision(name: string, holder: SkillTool, late: SkillTool): Diagnostic {
  return {
    code: "tool-name-collision",
    severity: "warning",
    path: join(late.mount, "SKILL.md"),
    message: `The tool "${late.name}" of "${late.skill}" (${late.toolset}) is left out: ${name} is already the tool "${holder.name}" of "${holder.skill}" (${holder.toolset}).`,
    fix: "Rename one of the two tools.",
  };
}

export type ToolErrorCode = "unknown-tool" | "invalid-arguments" | "timeout" | "aborted" | "tool-failed";

export interface ToolCallResult extends ToolOutput {
  readonly ok: boolean;
  readonly code?: ToolErrorCode;
  readonly truncated: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Calls a tool; an error is a result. */
async function callTool(
  tool: SkillTool,
  given: unknown,
  { signal, timeoutMs = TOOL_LIMITS.timeoutMs }: CallOptions,
): Promise<ToolCallResult> {
  if (signal?.aborted) return stopped(tool, "aborted", timeoutMs);
  const args = fromJson(given);
  const issues = tool.check(args);
  const answer: ToolAnswer =
    issues.length > 0 ? { how: "invalid", issues } : await tool.execute(args, { signal, timeoutMs });
  switch (answer.how) {
    case "result": {
      const { title, metadata, output, cut } = answer;
      const more = cut > 0 ? `\n[cut: ${cut} more characters]` : "";
      return { ok: true, title, metadata, output: output + more, truncated: cut > 0 };
    }
    case "invalid":
      return toolError("invalid-arguments", tool.name, invalidArguments(tool, answer.issues));
    case "failed":
      return toolError("tool-failed", tool.name, `The tool "${tool.name}" failed: ${answer.why}`);
    default:
      return stopped(tool, answer.how, timeoutMs);
  }
}

/** Accepts arguments as JSON text, or absent, as some models send them. */
function fromJson(given: unknown): unknown {
  if (given === undefined || given === null || given === "") return {};
  const value = typeof given === "string" ? jsonIn(given) : given;
  return value === undefined ? given : value;
}

function invalidArguments({ name, inputSchema }: SkillTool, issues: readonly string[]): string {
  return `The arguments of "${name}" are not valid:\n${issues.join("\n")}\nExpected: ${JSON.stringify(inputSchema)}`;
}

function toolError(code: ToolErrorCode, title: string, output: string): ToolCallResult {
  const truncated = output.length > TOOL_LIMITS.outputChars;
  return {
    ok: false,
    code,
    title,
    metadata: {},
    output: output.slice(0, TOOL_LIMITS.outputChars),
    truncated,
  };
}

function stopped({ name }: SkillTool, how: "timeout" | "aborted", ms: number): ToolCallResult {
  const why = how === "timeout" ? `did not answer within ${ms / 1000} s` : "was stopped by the caller";
  return toolError(how, name, `The tool "${name}" ${why}.`);
}
