// The other names of the tool `activate_skill`, under which agents of other systems know it.

export const AGENT_TOOL_ALIASES = ["load_skill", "get_skill", "activateSkill"] as const;
export type AgentToolAlias = (typeof AGENT_TOOL_ALIASES)[number];
