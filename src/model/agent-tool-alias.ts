// Other names for the tool `activate_skill`, as used by agents of other systems.

export const AGENT_TOOL_ALIASES = ["load_skill", "get_skill", "activateSkill"] as const;
export type AgentToolAlias = (typeof AGENT_TOOL_ALIASES)[number];
