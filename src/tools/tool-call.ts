// Calls one tool: checks its arguments, limits its time, and normalizes its result.

import { messageOf } from "../model/errors.ts";
import type { ToolOutput } from "./define-tool.ts";
import { TOOL_LIMITS } from "./limits.ts";
import type { SkillTool } from "./skill-tool.ts";

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
export async function callTool(
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

export function toolError(code: ToolErrorCode, title: string, output: string): ToolCallResult {
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
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch (error) {
    if (error instanceof SyntaxError) return given;
    throw error;
  }
}

function normalised(name: string, returned: unknown): ToolCallResult {
  const parts =
    isRecord(returned) && ("output" in returned || "title" in returned) ? returned : { output: returned };
  const title = typeof parts.title === "string" && parts.title !== "" ? parts.title : name;
  return { ok: true, title, metadata: plainMetadata(parts.metadata), ...capped(asText(parts.output)) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
