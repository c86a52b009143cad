// Reads what a host sends to its hook on standard input.

import { RepertoireError } from "../../model/errors.ts";

export const HOOK_HOSTS = ["claude-code", "codex", "opencode", "pi"] as const;
export type HookHost = (typeof HOOK_HOSTS)[number];

interface EventBase {
  readonly session: string;
  /** The folder that the host works in. */
  readonly dir: string | undefined;
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
  | (EventBase & { readonly kind: "stop"; readonly answer: string | undefined })
  /** An event that the hook was registered for by mistake. */
  | (EventBase & { readonly kind: "other" });

/** All send the same snake_case object, our own plugins for opencode and pi too; some add `turn_id`. Fails with what is wrong with it. */
export function readEvent(input: string): HookEvent {
  const given = asObject(input);
  const text = (key: string) =>
    typeof given[key] === "string" && given[key] !== "" ? given[key] : undefined;
  const session = text("session_id");
  const name = text("hook_event_name");
  if (session === undefined || name === undefined) {
    throw unreadable("it has no session_id or no hook_event_name", Object.keys(given).join(", "));
  }
  const base = { session, dir: text("cwd") };
  if (name === "SessionStart") return { ...base, kind: "session", source: text("source") ?? "startup" };
  if (name === "Stop") return { ...base, kind: "stop", answer: text("last_assistant_message") };
  if (name !== "UserPromptSubmit") return { ...base, kind: "other" };
  return {
    ...base,
    kind: "message",
    text: text("prompt") ?? "",
    id: text("turn_id") ?? text("prompt_id"),
    transcript: text("transcript_path"),
  };
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
