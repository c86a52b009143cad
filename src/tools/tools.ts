// The front door of tools: toolsets and scripts of activated skills.

export { ActivatedSkills, type ScriptCall } from "./activated-skills.ts";
export type { JsonSchema } from "./argument-schema.ts";
export { declaredFindings } from "./declared.ts";
export type { Isolation, ScriptPolicy } from "./isolation.ts";
export type { CallOptions, RegisteredTool, ToolCallResult, ToolErrorCode } from "./registry.ts";
export type { ScriptErrorCode, ScriptResult } from "./script-result.ts";
export { UNSANDBOXED_FLAG } from "./scripts.ts";
