// How hosts name the tools of our MCP server to their model. Read at every hook: plain data only.

import type { AgentToolAlias, NamedTools } from "../model/agent-tool-alias.ts";

/**
 * What the hosts put before a tool's name, as seen when they were run; a host that is not here puts nothing. Codex has our tools
 * in a namespace, and its tool search finds them by their names without it only.
 */
const PREFIXES: Readonly<Record<string, string>> = {
  "claude-code": "mcp__repertoire__",
  cline: "repertoire__",
  copilot: "repertoire-",
  gemini: "mcp_repertoire_",
  opencode: "repertoire_",
  qwen: "mcp__repertoire__",
};

/** pi has no MCP. Its model has a shell, in which nobody can be asked: it gets what a person has agreed to before. */
const IN_SHELL: NamedTools = {
  activate: "`repertoire activate` in the shell",
  recall: "`repertoire recall` in the shell",
};

/** The tools by the names that the host's model has to use. */
export function toolNamesIn(host: string, { activate, recall }: NamedTools): NamedTools {
  if (host === "pi") return IN_SHELL;
  const prefixed = (name: string | undefined) => name && (PREFIXES[host] ?? "") + name;
  const own = activate === "activate_skill" ? (activateNameFor(host) ?? activate) : activate;
  return { activate: prefixed(own), recall: prefixed(recall) };
}

/** Gemini CLI has a tool `activate_skill` of its own, and without a person leaves out every tool of that name. */
export function activateNameFor(client: string): AgentToolAlias | undefined {
  return client.startsWith("gemini") ? "load_skill" : undefined;
}
