// The hosts that can be set up: where each keeps its settings, what we add to them, and how we know.

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Edit,
  HOOK_SECONDS,
  hookEntries,
  jsonListed,
  jsonServer,
  jsonSetting,
  OURS,
  ownFile,
  tomlServer,
  tomlSetting,
  yamlServer,
} from "./edits.ts";
import { opencodePlugin, piExtension } from "./plugins.ts";
import { shellLine } from "./program.ts";

export const SETUP_HOSTS = [
  "claude-code",
  "codex",
  "opencode",
  "pi",
  "gemini",
  "qwen",
  "copilot",
  "cline",
  "continue",
  "cursor",
  "vscode",
  "windsurf",
  "zed",
  "goose",
] as const;
export type SetupHost = (typeof SETUP_HOSTS)[number];

/**
 * What the host's prompt gets of us. `complement`: the skills that the host does not list itself, and those that fit each message.
 * `replace`: our ranked list instead of the host's own, which is switched off. `off`: nothing, the tools only.
 */
export const SETUP_MODES = ["complement", "replace", "off"] as const;
export type SetupMode = (typeof SETUP_MODES)[number];

export interface SetupPlaces {
  readonly home: string;
  readonly dir: string;
  /** The environment that moves a host's folder. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words that start our program. */
  readonly program: readonly string[];
}

/** What is written for a host; each part may be empty. */
interface HostEdits {
  readonly server: readonly Edit[];
  /** The hook of the given mode. */
  readonly hooks: readonly Edit[];
  /** Switches the host's own list of skills off. */
  readonly replacing: readonly Edit[];
}

interface HostRow {
  readonly title: string;
  /** The version that was run, or the documentation that the row was written from. */
  readonly known: { readonly run: string } | { readonly documentation: string };
  /** Its commands, by which an installed host is found; its settings folder is the other sign. */
  readonly programs: readonly string[];
  /** The variables that move its settings, the first one that is set wins. */
  readonly variables: readonly string[];
  readonly folder: (places: Pick<SetupPlaces, "home" | "dir" | "env">) => string;
  /** What its hook can do: add skills to each message, list them when a session begins, or nothing. */
  readonly hears: "messages" | "sessions" | "nothing";
  /** How its own list of skills is switched off; undefined if it cannot be. */
  readonly replaces?: string | undefined;
  readonly edits: (places: SetupPlaces, hook: HookCommand) => HostEdits;
  /** What the person still has to do. */
  readonly next: string;
}

interface HookCommand {
  readonly words: readonly string[];
  readonly line: string;
}

/** The words that start the hook of a host. The mode of every day is not written. */
function hookCommand(host: SetupHost, program: readonly string[], mode: SetupMode): HookCommand {
  const words = [...program, "hook", host, ...(mode === "replace" ? ["--mode", mode] : [])];
  return { words, line: shellLine(words) };
}

const NOTHING: HostEdits = { server: [], hooks: [], replacing: [] };
const SERVER_NAME = "repertoire";

function commandAndArgs([command, ...args]: readonly string[]): { command: string; args: string[] } {
  return { command: command!, args: [...args, "mcp"] };
}

/**
 * The tools that a host need not ask about: they read, or load a skill, for which we ask for consent ourselves. The host's own
 * question would be a second one.
 */
const UNASKED = ["recall_skills", "activate_skill", "read_skill_file", "list_skills", "report_outcome"];

/** The host does not ask a person, so its approval is not a consent: we always ask for it ourselves. */
function askingServer(program: readonly string[]): { command: string; args: string[] } {
  const { command, args } = commandAndArgs(program);
  return { command, args: [...args, "--consent", "ask"] };
}

function allowedTools(settings: string): Edit[] {
  return UNASKED.map((tool) =>
    jsonListed(settings, ["permissions", "allow"], `mcp__${SERVER_NAME}__${tool}`),
  );
}

function underHome(variable: string, ...folders: readonly string[]): HostRow["folder"] {
  return ({ home, env }) => env[variable] || join(home, ...folders);
}

const inConfigHome =
  (name: string): HostRow["folder"] =>
  ({ home, env }) =>
    join(env.XDG_CONFIG_HOME || join(home, ".config"), name);

/** Gemini CLI gets `activate_skill` under another name, because it has a tool of that name. */
const GEMINI_POLICY = `# ${OURS}: lets these tools of its MCP server run without a question of Gemini CLI. \`repertoire setup gemini --undo\` removes it.
[[rule]]
mcpName = "${SERVER_NAME}"
toolName = ${JSON.stringify(UNASKED.map((tool) => (tool === "activate_skill" ? "load_skill" : tool)))}
decision = "allow"
priority = 100
`;

export const HOST_TABLE: Readonly<Record<SetupHost, HostRow>> = {
  "claude-code": {
    title: "Claude Code",
    known: { run: "2.1.327" },
    programs: ["claude"],
    variables: ["CLAUDE_CONFIG_DIR"],
    folder: underHome("CLAUDE_CONFIG_DIR", ".claude"),
    hears: "messages",
    replaces: "permissions.deny has Skill",
    edits: (places, { line }) => {
      const folder = HOST_TABLE["claude-code"].folder(places);
      const settings = join(folder, "settings.json");
      const state = places.env.CLAUDE_CONFIG_DIR
        ? join(folder, ".claude.json")
        : join(places.home, ".claude.json");
      const server = { type: "stdio", ...askingServer(places.program) };
      return {
        server: [jsonServer(state, ["mcpServers", SERVER_NAME], server), ...allowedTools(settings)],
        hooks: [
          hookEntries(settings, {
            host: "claude-code",
            command: line,
            events: {
              SessionStart: "",
              UserPromptSubmit: "",
              Stop: "",
              PostToolUse: "Skill",
              PostToolUseFailure: "mcp__repertoire__.*",
            },
          }),
        ],
        replacing: [jsonListed(settings, ["permissions", "deny"], "Skill")],
      };
    },
    next: "Restart Claude Code; /hooks and /mcp show the entries.",
  },
  codex: {
    title: "Codex",
    known: { run: "0.169.0" },
    programs: ["codex"],
    variables: ["CODEX_HOME"],
    folder: underHome("CODEX_HOME", ".codex"),
    hears: "messages",
    replaces: "skills.include_instructions = false",
    edits: (places, { line }) => {
      const folder = HOST_TABLE.codex.folder(places);
      const settings = join(folder, "config.toml");
      const { command, args } = commandAndArgs(places.program);
      const lines = [
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args).replaceAll('","', '", "')}`,
      ];
      const events = { SessionStart: "", UserPromptSubmit: "", Stop: "" };
      return {
        server: [tomlServer(settings, ["mcp_servers", SERVER_NAME], lines)],
        hooks: [hookEntries(join(folder, "hooks.json"), { host: "codex", command: line, events })],
        replacing: [tomlSetting(settings, [["skills"], "include_instructions"], "false")],
      };
    },
    next: "Restart Codex; it asks you to review and trust the hooks before it runs them.",
  },
  opencode: {
    title: "opencode",
    known: { run: "1.18.33" },
    programs: ["opencode"],
    variables: ["OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME"],
    folder: (places) => places.env.OPENCODE_CONFIG_DIR || inConfigHome("opencode")(places),
    hears: "messages",
    replaces: "permission.skill is deny",
    edits: (places, { words }) => {
      const folder = HOST_TABLE.opencode.folder(places);
      const commented = join(folder, "opencode.jsonc");
      const settings = existsSync(commented) ? commented : join(folder, "opencode.json");
      const server = { type: "local", command: [...places.program, "mcp"], enabled: true };
      return {
        server: [jsonServer(settings, ["mcp", SERVER_NAME], server)],
        hooks: [ownFile(join(folder, "plugins", "repertoire.js"), opencodePlugin(words))],
        replacing: [jsonSetting(settings, ["permission", "skill"], "deny")],
      };
    },
    next: "Restart opencode.",
  },
  pi: {
    title: "pi",
    known: { run: "0.87.1" },
    programs: ["pi"],
    variables: ["PI_CODING_AGENT_DIR"],
    folder: underHome("PI_CODING_AGENT_DIR", ".pi", "agent"),
    hears: "messages",
    edits: (places, { words }) => ({
      ...NOTHING,
      hooks: [ownFile(join(HOST_TABLE.pi.folder(places), "extensions", "repertoire.js"), piExtension(words))],
    }),
    next: "Restart pi.",
  },
  gemini: {
    title: "Gemini CLI",
    known: { run: "0.61.0" },
    programs: ["gemini"],
    variables: ["GEMINI_CLI_HOME"],
    folder: ({ home, env }) => join(env.GEMINI_CLI_HOME || home, ".gemini"),
    hears: "messages",
    replaces: "skills.enabled is false",
    edits: (places, { line }) => {
      const folder = HOST_TABLE.gemini.folder(places);
      const settings = join(folder, "settings.json");
      const events = { SessionStart: "", BeforeAgent: "", AfterAgent: "", AfterTool: "activate_skill" };
      // In milliseconds, unlike the others.
      const entry = (command: string) => ({
        name: SERVER_NAME,
        type: "command",
        command,
        timeout: HOOK_SECONDS * 1_000,
      });
      return {
        server: [
          jsonServer(settings, ["mcpServers", SERVER_NAME], askingServer(places.program)),
          ownFile(join(folder, "policies", "repertoire.toml"), GEMINI_POLICY),
        ],
        hooks: [hookEntries(settings, { host: "gemini", command: line, events, entry })],
        replacing: [jsonSetting(settings, ["skills", "enabled"], false)],
      };
    },
    next: "Restart Gemini CLI; /hooks and /mcp show the entries.",
  },
  qwen: {
    title: "Qwen Code",
    known: { run: "0.24.4" },
    programs: ["qwen"],
    variables: ["QWEN_HOME"],
    folder: underHome("QWEN_HOME", ".qwen"),
    hears: "messages",
    replaces: "skills.disabledLevels has every level",
    edits: (places, { line }) => {
      const settings = join(HOST_TABLE.qwen.folder(places), "settings.json");
      const events = {
        SessionStart: "",
        UserPromptSubmit: "",
        Stop: "",
        PostToolUse: "skill",
        PostToolUseFailure: "mcp__repertoire__.*",
      };
      const levels = ["project", "user", "extension", "bundled"];
      return {
        server: [
          jsonServer(settings, ["mcpServers", SERVER_NAME], askingServer(places.program)),
          ...allowedTools(settings),
        ],
        hooks: [hookEntries(settings, { host: "qwen", command: line, events })],
        replacing: [jsonSetting(settings, ["skills", "disabledLevels"], levels)],
      };
    },
    next: "Restart Qwen Code; /hooks and /mcp show the entries.",
  },
  copilot: {
    title: "Copilot CLI",
    known: { run: "1.0.102" },
    programs: ["copilot"],
    variables: ["COPILOT_HOME"],
    folder: underHome("COPILOT_HOME", ".copilot"),
    hears: "messages",
    edits: (places, { line }) => {
      const folder = HOST_TABLE.copilot.folder(places);
      const hooks = join(folder, "hooks", "repertoire.json");
      const events = { SessionStart: "", UserPromptSubmit: "", Stop: "", PostToolUse: "skill" };
      const entry = (command: string) => ({
        type: "command",
        bash: command,
        powershell: command,
        timeoutSec: HOOK_SECONDS,
      });
      const server = { type: "local", ...commandAndArgs(places.program), tools: ["*"] };
      return {
        server: [jsonServer(join(folder, "mcp-config.json"), ["mcpServers", SERVER_NAME], server)],
        hooks: [
          jsonSetting(hooks, ["version"], 1),
          hookEntries(hooks, { host: "copilot", command: line, events, entry, flat: true }),
        ],
        replacing: [],
      };
    },
    next: "Restart Copilot CLI; /mcp shows the server.",
  },
  cline: {
    title: "Cline",
    known: { run: "3.0.65" },
    programs: ["cline"],
    variables: ["CLINE_DATA_DIR", "CLINE_DIR"],
    folder: underHome("CLINE_DIR", ".cline"),
    hears: "nothing",
    edits: (places) => {
      const data = places.env.CLINE_DATA_DIR || join(HOST_TABLE.cline.folder(places), "data");
      const settings = join(data, "settings", "cline_mcp_settings.json");
      return {
        ...NOTHING,
        server: [jsonServer(settings, ["mcpServers", SERVER_NAME], commandAndArgs(places.program))],
      };
    },
    next: "Restart Cline.",
  },
  continue: {
    title: "Continue CLI",
    known: { run: "1.5.47" },
    programs: ["cn"],
    variables: ["CONTINUE_GLOBAL_DIR"],
    folder: underHome("CONTINUE_GLOBAL_DIR", ".continue"),
    hears: "messages",
    edits: (places, { line }) => {
      const folder = HOST_TABLE.continue.folder(places);
      const place = { holder: "mcpServers", name: SERVER_NAME, list: true };
      const events = { SessionStart: "", UserPromptSubmit: "", Stop: "" };
      const server = commandAndArgs(places.program);
      return {
        ...NOTHING,
        // Without a file Continue takes its models from elsewhere; one of ours would hide them.
        server: [yamlServer(join(folder, "config.yaml"), place, { server, begins: false })],
        hooks: [hookEntries(join(folder, "settings.json"), { host: "continue", command: line, events })],
      };
    },
    next: "Restart Continue. The MCP server is added only if config.yaml exists: run setup again once it does.",
  },
  cursor: {
    title: "Cursor",
    known: { documentation: "https://cursor.com/docs/hooks" },
    programs: ["cursor", "cursor-agent"],
    variables: [],
    folder: ({ home }) => join(home, ".cursor"),
    hears: "sessions",
    edits: (places, { line }) => {
      const folder = HOST_TABLE.cursor.folder(places);
      const hooks = join(folder, "hooks.json");
      const events = { sessionStart: "", stop: "" };
      const entry = (command: string) => ({ command });
      return {
        ...NOTHING,
        server: [
          jsonServer(join(folder, "mcp.json"), ["mcpServers", SERVER_NAME], commandAndArgs(places.program)),
        ],
        hooks: [
          jsonSetting(hooks, ["version"], 1),
          hookEntries(hooks, { host: "cursor", command: line, events, entry, flat: true }),
        ],
      };
    },
    next: "Restart Cursor and switch the server on in its MCP settings.",
  },
  vscode: {
    title: "VS Code",
    known: { documentation: "https://code.visualstudio.com/docs/agents/reference/mcp-configuration" },
    programs: ["code"],
    variables: [],
    folder: ({ dir }) => join(dir, ".vscode"),
    hears: "nothing",
    edits: (places) => {
      const server = { type: "stdio", ...commandAndArgs(places.program) };
      return {
        ...NOTHING,
        server: [
          jsonServer(join(HOST_TABLE.vscode.folder(places), "mcp.json"), ["servers", SERVER_NAME], server),
        ],
      };
    },
    next: "VS Code asks whether you trust the server when it first starts it.",
  },
  windsurf: {
    title: "Windsurf",
    known: { documentation: "https://docs.devin.ai/desktop/cascade/mcp" },
    programs: ["windsurf"],
    variables: [],
    folder: ({ home }) => join(home, ".codeium", "windsurf"),
    hears: "nothing",
    edits: (places) => {
      const settings = join(HOST_TABLE.windsurf.folder(places), "mcp_config.json");
      return {
        ...NOTHING,
        server: [jsonServer(settings, ["mcpServers", SERVER_NAME], commandAndArgs(places.program))],
      };
    },
    next: "Refresh the MCP servers in the Cascade settings of Windsurf, which is now called Devin Desktop.",
  },
  zed: {
    title: "Zed",
    known: { documentation: "https://zed.dev/docs/ai/mcp" },
    programs: ["zed"],
    variables: ["XDG_CONFIG_HOME"],
    folder: inConfigHome("zed"),
    hears: "nothing",
    edits: (places) => {
      const settings = join(HOST_TABLE.zed.folder(places), "settings.json");
      const server = { ...commandAndArgs(places.program), env: {} };
      return { ...NOTHING, server: [jsonServer(settings, ["context_servers", SERVER_NAME], server)] };
    },
    next: "Zed starts the server at once; the agent panel's settings show it.",
  },
  goose: {
    title: "goose",
    known: { documentation: "https://block.github.io/goose/docs/guides/config-files" },
    programs: ["goose"],
    variables: ["XDG_CONFIG_HOME"],
    folder: inConfigHome("goose"),
    hears: "nothing",
    edits: (places) => {
      const { command, args } = commandAndArgs(places.program);
      const place = { holder: "extensions", name: SERVER_NAME };
      const server = {
        name: SERVER_NAME,
        description: "Skills for this machine's agents",
        type: "stdio",
        cmd: command,
        args,
        enabled: true,
        timeout: 300,
        envs: {},
      };
      return {
        ...NOTHING,
        server: [
          yamlServer(join(HOST_TABLE.goose.folder(places), "config.yaml"), place, { server, begins: true }),
        ],
      };
    },
    next: "Start a new goose session.",
  },
};

/** What a host gets in a mode. */
export function hostEdits(host: SetupHost, places: SetupPlaces, mode: SetupMode): HostEdits {
  return HOST_TABLE[host].edits(places, hookCommand(host, places.program, mode));
}
