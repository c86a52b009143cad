// The front door of tools: toolsets and scripts of activated skills.

export { ActivatedSkills, type ScriptCall } from "./activated-skills.ts";
export type { RegisteredTool } from "./registry.ts";
export type { Isolation, ScriptErrorCode, ScriptResult } from "./script-result.ts";
export { type ScriptPolicy, UNSANDBOXED_FLAG } from "./scripts.ts";
export type { JsonSchema } from "./skill-tool.ts";
export type { CallOptions, ToolCallResult, ToolErrorCode } from "./tool-call.ts";
