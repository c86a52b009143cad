// Owns a session's way through one turn: started once, recalled, shown once, remembered. Does not own recall or how
// sessions are kept (`SessionStore`).

import type { Frame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";
import type { MemoryItem, SessionState } from "../model/session.ts";
import type { SessionStore } from "../ports.ts";
import { remember } from "./working-memory.ts";

/** Without a frame the turn counts as work to be done, the commonest. */
const USUAL_FRAME: Frame = "task";

/** What a turn brought. */
export interface TurnResult {
  readonly frame?: Frame | undefined;
  readonly recalled: readonly SkillName[];
  /** Cards for working memory. */
  readonly cards?: readonly MemoryItem[];
}

/** Writes down what a turn brought, and returns the working memory after it. */
export async function settleTurn(
  sessions: SessionStore,
  state: SessionState,
  result: TurnResult,
): Promise<readonly MemoryItem[]> {
  const { frame, recalled, cards = [] } = result;
  const { items } = remember(state.memory, cards, frame ?? USUAL_FRAME);
  await sessions.add(state.id, { step: "recalled", names: recalled, ...(frame && { frame }) });
  if (items.length > 0 || state.memory.length > 0) await sessions.add(state.id, { step: "memory", items });
  return items;
}

/**
 * Names one message of a session, so that a host's repeated event is recognised. The host's own id is best; else the
 * place in the conversation tells two equal messages apart.
 */
export function turnKey(message: {
  readonly id?: string | undefined;
  readonly position?: number | undefined;
  readonly text: string;
}): string {
  if (message.id !== undefined && message.id !== "") return `id:${message.id}`;
  return `${message.position ?? ""}:${message.text.length}:${hash(message.text)}`;
}

/** FNV-1a, 32 bits: tells the messages of one session apart, nothing more. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(36);
}
