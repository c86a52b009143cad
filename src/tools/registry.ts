// Registers the tools of activated skills under names that model APIs accept, and calls them by these names:
// checks the arguments, limits the time and normalizes the result.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import { compareNames } from "../model/name.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import type { ToolOutput } from "./define-tool.ts";
import { TOOL_LIMITS } from "./limits.ts";
import type { JsonSchema, SkillTool } from "./toolsets.ts";

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
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const cut = new Promise<"timeout" | "aborted">((resolve) => {
    timer = setTimeout(() => resolve("timeout"), timeoutMs);
    onAbort = () => resolve("aborted");
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const ended = await Promise.race([execute(tool, given, own.signal), cut]);
    return typeof ended === "string" ? stopped(tool, ended, timeoutMs) : ended;
  } catch (error) {
    return toolError("tool-failed", tool.name, `The tool "${tool.name}" failed: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener("abort", onAbort);
    own.abort();
  }
}

function toolError(code: ToolErrorCode, title: string, output: string): ToolCallResult {
  return { ok: false, code, title, metadata: {}, ...capped(output) };
}

async function execute(tool: SkillTool, given: unknown, signal: AbortSignal): Promise<ToolCallResult> {
  const parsed = await tool.parameters.safeParseAsync(fromJson(given));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "arguments"}: ${message}`,
    );
    const listed = issues.slice(0, TOOL_LIMITS.listedIssues).join("\n");
    const schema = JSON.stringify(tool.inputSchema);
    return toolError(
      "invalid-arguments",
      tool.name,
      `The arguments of "${tool.name}" are not valid:\n${listed}\nExpected: ${schema}`,
    );
  }
  const { skill, mount } = tool;
  const returned = await tool.execute(parsed.data, { skill, mount, signal });
  return normalised(tool.name, returned);
}

/** Accepts arguments as JSON text, or absent, as some models send them. */
function fromJson(given: unknown): unknown {
  if (given === undefined || given === null || given === "") return {};
  const value = typeof given === "string" ? jsonIn(given) : given;
  return value === undefined ? given : value;
}

function normalised(name: string, returned: unknown): ToolCallResult {
  const parts =
    isRecord(returned) && ("output" in returned || "title" in returned) ? returned : { output: returned };
  const title = typeof parts.title === "string" && parts.title !== "" ? parts.title : name;
  return { ok: true, title, metadata: plainMetadata(parts.metadata), ...capped(asText(parts.output)) };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

/** The metadata as plain JSON, because it leaves the process; metadata that is too long is omitted. */
function plainMetadata(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  const text = JSON.stringify(value);
  if (text.length > TOOL_LIMITS.metadataChars) return { leftOut: `${text.length} characters of metadata` };
  return JSON.parse(text);
}

function capped(output: string): { output: string; truncated: boolean } {
  const max = TOOL_LIMITS.outputChars;
  if (output.length <= max) return { output, truncated: false };
  return {
    output: `${output.slice(0, max)}\n[cut: ${output.length - max} more characters]`,
    truncated: true,
  };
}

function stopped(tool: SkillTool, how: "timeout" | "aborted", ms: number): ToolCallResult {
  const why = how === "timeout" ? `did not answer within ${ms / 1000} s` : "was stopped by the caller";
  return toolError(how, tool.name, `The tool "${tool.name}" ${why}.`);
}
