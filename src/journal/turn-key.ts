// Owns how one message of a session is named. Does not own how sessions are kept (`SessionStore`).

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
