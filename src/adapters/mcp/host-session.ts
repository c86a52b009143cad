// Finds the session of the host that an MCP call belongs to, so that what a hook showed and what the model then did are one session:
// from what the host sends along, from the process that started both, or from the folder.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isRecord } from "../../text/json.ts";
import { HOOK_HOSTS } from "../hooks/event.ts";
import { ancestorsOf, heardSessions } from "../hooks/heard.ts";

/** Keys under which hosts send the id of their session along; Codex has it one level down. */
const SESSION_KEYS = [
  "session_id",
  "sessionId",
  "thread_id",
  "threadId",
  "conversation_id",
  "conversationId",
];

/** The session that a host names in a request's `_meta`. */
export function sessionInMeta(meta: unknown): string | undefined {
  if (!isRecord(meta)) return undefined;
  const levels = [meta, ...Object.values(meta).map(asRecord)];
  for (const level of levels) {
    const found = SESSION_KEYS.map((key) => level?.[key]).find((id) => typeof id === "string" && id !== "");
    if (found !== undefined) return found as string;
  }
  return undefined;
}

/** Some hosts write an object as a text. */
function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (isRecord(value)) return value;
  if (typeof value !== "string" || !value.startsWith("{")) return undefined;
  try {
    const read: unknown = JSON.parse(value);
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

interface Whereabouts {
  readonly home: string;
  readonly dir: string;
  /** The name of the client that calls. */
  readonly client: string;
  /** The process that started this server. */
  readonly parent: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A session that was silent for longer has nothing to do with a call of now. */
const LIVE_MS = 12 * 3_600_000;

/**
 * The session whose hook was started by the process that started this server; else the only one that the client's host has
 * in this folder. The last heard counts: a host may begin a new session in the same process.
 */
export function joinedSession({ home, dir, client, parent, now }: Whereabouts): string | undefined {
  const live = HOOK_HOSTS.flatMap((host) =>
    heardSessions(host, home)
      .filter(({ at }) => now - at < LIVE_MS)
      .map((heard) => ({ ...heard, host })),
  ).sort((a, b) => b.at - a.at);
  const host = hostProcess(parent);
  const related = live.find(({ ancestors }) => host !== undefined && ancestors.includes(host));
  if (related) return related.session;
  const nearby = live.filter(
    (heard) => isOf(client, heard.host) && heard.dir !== "" && resolve(heard.dir) === resolve(dir),
  );
  return nearby.length === 1 ? nearby[0]!.session : undefined;
}

/** `claude-code` is `claude-code`, Codex calls itself `codex-mcp-client`, Gemini CLI `gemini-cli-mcp-client`. */
function isOf(client: string, host: string): boolean {
  return client.toLowerCase().includes(host.replace(/-code$/, ""));
}

/** Programs that only start others. */
const WRAPPERS = new Set(["sh", "bash", "dash", "zsh", "fish", "npm", "npx", "env", "timeout"]);

/** The nearest process above this one that does not only start others. */
function hostProcess(parent: number): number | undefined {
  return ancestorsOf(parent).find((pid) => !WRAPPERS.has(programOf(pid)));
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim().split(" ", 1)[0]!;
  } catch {
    // Where the system does not say, the parent is taken for the host.
    return "";
  }
}
