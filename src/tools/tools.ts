// The front door of tools: toolsets and scripts of activated skills.

export { ActivatedSkills, type ScriptCall } from "./activated-skills.ts";
export type { RegisteredTool, ToolCallResult } from "./registry.ts";
export type { ScriptResult } from "./script-result.ts";
export { type ScriptPolicy, UNSANDBOXED_FLAG } from "./scripts.ts";
