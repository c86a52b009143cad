// Other names for the tool `activate_skill`, as used by agents of other systems.

export const AGENT_TOOL_ALIASES = ["load_skill", "get_skill", "activateSkill"] as const;
export type AgentToolAlias = (typeof AGENT_TOOL_ALIASES)[number];

/** The tools that a text for a model names; one that is not served is absent, and the text does without it. */
export interface NamedTools {
  /** Loads a skill. */
  readonly activate?: string | undefined;
  /** Searches skills. */
  readonly recall?: string | undefined;
}

/** Those of the tools that a model gets; the default tools have both. */
export function namedTools(served?: readonly string[] | undefined): NamedTools {
  const has = (name: string) => served === undefined || served.includes(name);
  return {
    activate: ["activate_skill", ...AGENT_TOOL_ALIASES].find(has),
    recall: ["recall_skills"].find(has),
  };
}

/** The same for the setting `tools.serve`, of which an empty list means the default tools. */
export function configuredTools(serve: readonly string[]): NamedTools {
  return namedTools(serve.length > 0 ? serve : undefined);
}
