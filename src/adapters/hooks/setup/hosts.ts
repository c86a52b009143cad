// The hosts that can be set up: which files each has, and what we add to them.

import { join } from "node:path";
import { type Edit, hookEntries, jsonServer, OURS, ownFile, tomlBlock } from "./edits.ts";

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

/** Passes a message to the hook: part of the two small files that opencode and pi load. Both run the hook without a shell, bounded in time, and go on without it when it fails. */
const ASK = `import { spawn } from "node:child_process";

function ask(host, event) {
  return new Promise((resolve) => {
    const child = spawn("repertoire", ["hook", host], { stdio: ["pipe", "pipe", "ignore"], timeout: 10000 });
    let out = "";
    child.stdout.on("data", (part) => (out += part));
    child.stdin.on("error", () => resolve(""));
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).hookSpecificOutput.additionalContext);
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ hook_event_name: "UserPromptSubmit", ...event }));
  });
}
`;

const OPENCODE_PLUGIN = `// ${OURS}: names the skills that fit each message. \`repertoire setup opencode --undo\` removes it.
${ASK}\nexport const Repertoire = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
    const prompt = texts.map((part) => part.text).join("\\n");
    if (prompt === "") return;
    const event = { session_id: input.sessionID, cwd: directory, prompt, turn_id: output.message.id };
    const text = await ask("opencode", event);
    if (text === "") return;
    const { id, sessionID, messageID } = texts[0];
    output.parts.push({ id: id + "-repertoire", sessionID, messageID, type: "text", text, synthetic: true });
  },
});
`;

const PI_EXTENSION = `// ${OURS}: names the skills that fit each message. \`repertoire setup pi --undo\` removes it.
${ASK}
export default function (pi) {
  pi.on("before_agent_start", async (event, ctx) => {
    const session_id = ctx.sessionManager?.getSessionId?.() ?? "pi-" + process.pid;
    const text = await ask("pi", { session_id, cwd: ctx.cwd, prompt: event.prompt });
    if (text !== "") return { message: { customType: "repertoire", content: text, display: false } };
  });
}
`;
