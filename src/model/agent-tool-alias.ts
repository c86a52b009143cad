// Owns the other names of `activate_skill`, under which agents of other systems know it. Does not own the tools.

export const AGENT_TOOL_ALIASES = ["load_skill", "get_skill", "activateSkill"] as const;
export type AgentToolAlias = (typeof AGENT_TOOL_ALIASES)[number];
