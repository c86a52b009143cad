// The front door of tools: toolsets and scripts of activated skills.

export { ActivatedSkills, type ScriptCall } from "./activated-skills.ts";
export type { CallOptions, RegisteredTool, ToolCallResult, ToolErrorCode } from "./registry.ts";
export type { Isolation, ScriptErrorCode, ScriptResult } from "./script-result.ts";
export { type ScriptPolicy, UNSANDBOXED_FLAG } from "./scripts.ts";
export type { JsonSchema } from "./toolsets.ts";
