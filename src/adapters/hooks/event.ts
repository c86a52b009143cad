// Reads what a host sends to its hook on standard input.

import { RepertoireError } from "../../model/errors.ts";

export const HOOK_HOSTS = [
  "claude-code",
  "codex",
  "opencode",
  "pi",
  "gemini",
  "qwen",
  "copilot",
  "continue",
  "cursor",
] as const;
export type HookHost = (typeof HOOK_HOSTS)[number];

interface EventBase {
  readonly session: string;
  /** The folder that the host works in. */
  readonly dir: string | undefined;
  /** The host's own name of the event, for its answer. */
  readonly name: string;
}

export type HookEvent =
  | (EventBase & { readonly kind: "session"; readonly source: string })
  | (EventBase & {
      readonly kind: "message";
      readonly text: string;
      /** The host's own id of the turn. */
      readonly id: string | undefined;
      readonly transcript: string | undefined;
    })
  | (EventBase & {
      readonly kind: "stop";
      readonly answer: string | undefined;
      /** Whether the host says that the turn was broken off or ended in an error. */
      readonly failed: boolean;
    })
  /** The host has loaded a skill by itself. */
  | (EventBase & { readonly kind: "loaded"; readonly skill: string })
  /** A tool of ours ended in an error. */
  | (EventBase & { readonly kind: "failed"; readonly tool: string; readonly skill: string | undefined })
  /** An event that the hook was registered for by mistake. */
  | (EventBase & { readonly kind: "other" });

/** The kinds of the names that hosts give their events. */
const KINDS: Readonly<Record<string, "session" | "message" | "stop" | "tool" | "toolFailure">> = {
  SessionStart: "session",
  sessionStart: "session",
  UserPromptSubmit: "message",
  BeforeAgent: "message",
  Stop: "stop",
  AfterAgent: "stop",
  stop: "stop",
  PostToolUse: "tool",
  AfterTool: "tool",
  PostToolUseFailure: "toolFailure",
};

/** Hosts' own tools that load a skill; ours are called through the MCP server, which records them itself. */
const NATIVE_TOOLS: ReadonlySet<string> = new Set(["Skill", "skill", "activate_skill"]);

/** The prefixes with which hosts name our MCP tools. */
const OUR_TOOL = /^(?:mcp__?|mcp-)?repertoire[_-]{1,2}(?<tool>\w+)$/;

/** All send a snake_case object, our own plugins for opencode and pi too; some add `turn_id`. Fails with what is wrong with it. */
export function readEvent(input: string): HookEvent {
  const given = asObject(input);
  const text = (key: string) => textIn(given, key);
  const session = text("session_id") ?? text("conversation_id");
  const name = text("hook_event_name");
  if (session === undefined || name === undefined) {
    throw unreadable("it has no session_id or no hook_event_name", Object.keys(given).join(", "));
  }
  const [root] = Array.isArray(given.workspace_roots) ? given.workspace_roots : [];
  const base = { session, name, dir: text("cwd") ?? (typeof root === "string" ? root : undefined) };
  switch (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) {
    case "session":
      return { ...base, kind: "session", source: text("source") ?? "startup" };
    case "stop": {
      const failed = ["error", "aborted"].includes(text("status") ?? "");
      return {
        ...base,
        kind: "stop",
        answer: text("last_assistant_message") ?? text("prompt_response"),
        failed,
      };
    }
    case "message":
      return {
        ...base,
        kind: "message",
        text: asTyped(text("submitted_prompt") ?? text("prompt") ?? ""),
        id: text("turn_id") ?? text("prompt_id"),
        transcript: text("transcript_path"),
      };
    case "tool":
    case "toolFailure":
      return toolEvent(base, given, KINDS[name] === "toolFailure");
    default:
      return { ...base, kind: "other" };
  }
}

function toolEvent(base: EventBase, given: Record<string, unknown>, failed: boolean): HookEvent {
  const tool = textIn(given, "tool_name") ?? "";
  const asked = (typeof given.tool_input === "object" ? given.tool_input : null) as Record<
    string,
    unknown
  > | null;
  const skill = textIn(asked ?? {}, "skill") ?? textIn(asked ?? {}, "name") ?? textIn(asked ?? {}, "command");
  const ours = OUR_TOOL.exec(tool)?.groups?.tool;
  if (failed && ours !== undefined) return { ...base, kind: "failed", tool: ours, skill };
  if (!failed && NATIVE_TOOLS.has(tool) && skill !== undefined) return { ...base, kind: "loaded", skill };
  return { ...base, kind: "other" };
}

/**
 * What the person has typed. Gemini CLI puts what hooks said when the session began before the first message. pi puts the
 * instructions of a skill in the place of its name. Qwen Code does, too, and sends what was typed besides.
 */
function asTyped(prompt: string): string {
  return prompt
    .replace(/^\s*<hook_context>[\s\S]*?<\/hook_context>\s*/, "")
    .replace(/^\s*<skill name="(?<name>[^"]*)" location="[^"]*">[\s\S]*?\n<\/skill>\s*/, "/$<name> ");
}

function textIn(given: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = given[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function asObject(input: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw unreadable("it is not JSON", input);
    throw thrown;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw unreadable("it is not an object", input);
}

/** Characters of a bad input that the log quotes: enough to recognise it, too few for a secret's context. */
const QUOTED = 80;

function unreadable(why: string, value: string): RepertoireError {
  const message = `The hook's input cannot be used: ${why}. Run \`repertoire setup\` for this host again.`;
  return new RepertoireError("hook-input", message, value.slice(0, QUOTED));
}
