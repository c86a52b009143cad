// The hosts that can be set up: which files each has, and what we add to them.

import { join } from "node:path";
import { type Edit, hookEntries, jsonServer, ownFile, tomlBlock } from "./edits.ts";
import { OPENCODE_PLUGIN, PI_EXTENSION } from "./plugins.ts";

export const SETUP_HOSTS = ["claude-code", "codex", "cursor", "opencode", "pi", "vscode"] as const;
export type SetupHost = (typeof SETUP_HOSTS)[number];

export interface SetupPlaces {
  readonly home: string;
  readonly dir: string;
}

interface HostRow {
  readonly edits: (places: SetupPlaces) => readonly Edit[];
  /** What the person still has to do. */
  readonly next: string;
}

const EVENTS = ["SessionStart", "UserPromptSubmit", "Stop"];
const SERVER = { command: "repertoire", args: ["mcp"] };
const STDIO_SERVER = { type: "stdio", ...SERVER };

export const HOST_TABLE: Readonly<Record<SetupHost, HostRow>> = {
  "claude-code": {
    edits: ({ home }) => [
      hookEntries(join(home, ".claude", "settings.json"), EVENTS, "repertoire hook claude-code"),
      jsonServer(join(home, ".claude.json"), ["mcpServers", "repertoire"], STDIO_SERVER),
    ],
    next: "Restart Claude Code; /hooks and /mcp show the entries.",
  },
  codex: {
    edits: ({ home }) => [
      hookEntries(join(home, ".codex", "hooks.json"), EVENTS, "repertoire hook codex"),
      tomlBlock(join(home, ".codex", "config.toml"), "mcp_servers.repertoire", [
        'command = "repertoire"',
        'args = ["mcp"]',
      ]),
    ],
    next: "Restart Codex; it asks you to review and trust the hooks before it runs them.",
  },
  cursor: {
    edits: ({ home }) => [
      jsonServer(join(home, ".cursor", "mcp.json"), ["mcpServers", "repertoire"], SERVER),
    ],
    next: "Restart Cursor and switch the server on in its MCP settings.",
  },
  opencode: {
    edits: ({ home }) => {
      const folder = join(home, ".config", "opencode");
      const server = { type: "local", command: ["repertoire", "mcp"], enabled: true };
      return [
        ownFile(join(folder, "plugins", "repertoire.js"), OPENCODE_PLUGIN),
        jsonServer(join(folder, "opencode.json"), ["mcp", "repertoire"], server),
      ];
    },
    next: "Restart opencode.",
  },
  pi: {
    edits: ({ home }) => [ownFile(join(home, ".pi", "agent", "extensions", "repertoire.js"), PI_EXTENSION)],
    next: "Restart pi.",
  },
  vscode: {
    edits: ({ dir }) => [
      jsonServer(join(dir, ".vscode", "mcp.json"), ["servers", "repertoire"], STDIO_SERVER),
    ],
    next: "VS Code asks whether you trust the server when it first starts it.",
  },
};
