// The two small files that opencode and pi load: each passes a message to `repertoire hook` and adds the answer.

import { OURS } from "./edits.ts";

/** Both run the hook without a shell, bounded in time, and go on without it when it fails. */
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

export const OPENCODE_PLUGIN = `// ${OURS}: names the skills that fit each message. \`repertoire setup opencode --undo\` removes it.
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

export const PI_EXTENSION = `// ${OURS}: names the skills that fit each message. \`repertoire setup pi --undo\` removes it.
${ASK}
export default function (pi) {
  pi.on("before_agent_start", async (event, ctx) => {
    const session_id = ctx.sessionManager?.getSessionId?.() ?? "pi-" + process.pid;
    const text = await ask("pi", { session_id, cwd: ctx.cwd, prompt: event.prompt });
    if (text !== "") return { message: { customType: "repertoire", content: text, display: false } };
  });
}
`;
