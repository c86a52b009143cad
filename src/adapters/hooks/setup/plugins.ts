// The small files that opencode and pi load: they pass a message to the hook and add its answer.

import { HOOK_SECONDS, OURS } from "./edits.ts";

/** Runs the hook without a shell, bounded in time, and goes on without it when it fails. */
function ask(words: readonly string[]): string {
  const [program, ...args] = words;
  return `import { spawn } from "node:child_process";

function ask(event) {
  return new Promise((resolve) => {
    const child = spawn(${JSON.stringify(program)}, ${JSON.stringify(args)}, { stdio: ["pipe", "pipe", "ignore"], timeout: ${HOOK_SECONDS * 1_000} });
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
}

function head(host: string): string {
  return `// ${OURS}: names the skills that fit each message. \`repertoire setup ${host} --undo\` removes it.`;
}

/** `words` start the hook. */
export function opencodePlugin(words: readonly string[]): string {
  return `${head("opencode")}
${ask(words)}\nexport const Repertoire = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
    const prompt = texts.map((part) => part.text).join("\\n");
    if (prompt === "") return;
    const text = await ask({ session_id: input.sessionID, cwd: directory, prompt, turn_id: output.message.id });
    if (text === "") return;
    const { id, sessionID, messageID } = texts[0];
    output.parts.push({ id: id + "-repertoire", sessionID, messageID, type: "text", text, synthetic: true });
  },
  "tool.execute.after": async (input) => {
    if (input.tool !== "skill") return;
    const tool_input = { skill: input.args?.name };
    await ask({ hook_event_name: "PostToolUse", session_id: input.sessionID, cwd: directory, tool_name: "skill", tool_input });
  },
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    await ask({ hook_event_name: "Stop", session_id: event.properties.sessionID, cwd: directory });
  },
});
`;
}

export function piExtension(words: readonly string[]): string {
  return `${head("pi")}
${ask(words)}
export default function (pi) {
  const about = (ctx) => ({ session_id: ctx.sessionManager?.getSessionId?.() ?? "pi-" + process.pid, cwd: ctx.cwd });
  pi.on("before_agent_start", async (event, ctx) => {
    const text = await ask({ ...about(ctx), prompt: event.prompt });
    if (text !== "") return { message: { customType: "repertoire", content: text, display: false } };
  });
  pi.on("agent_end", async (_event, ctx) => {
    await ask({ hook_event_name: "Stop", ...about(ctx) });
  });
}
`;
}
