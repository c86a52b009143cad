// Takes keys, tokens and passwords out of what people and models said, before a store keeps it.

import type { NewEvent, SaidRecord, TurnStore } from "../journal/journal.ts";
import { redacted } from "../text/secrets.ts";
import { overridden } from "./observed.ts";
import type { Store } from "./store.ts";

/** The same store of turns; sessions, events and the conversation are kept without secrets. */
export function redactedTurns<T extends TurnStore>(store: T): T {
  const sessions = overridden(store.sessions, {
    // A host's key of a turn may contain the message.
    begin: (id, { key, message }) =>
      store.sessions.begin(id, { key: redacted(key), message: redacted(message) }),
  });
  const own: Partial<TurnStore> = {
    sessions,
    record: (events, said) => store.record(events.map(redactedEvent), said?.map(redactedLine)),
  };
  return overridden(store, own as Partial<T>);
}

/** The same store, where also what is kept outside turns has no secrets. */
export function redactedStore(store: Store): Store {
  const journal = overridden(store.journal, {
    append: (events) => store.journal.append(events.map(redactedEvent)),
  });
  const conversation = overridden(store.conversation, {
    append: (said) => store.conversation.append(redactedLine(said)),
  });
  const remembered = overridden(store.remembered, {
    add: (messages) =>
      store.remembered.add(messages.map((message) => ({ ...message, text: redacted(message.text) }))),
  });
  return overridden(redactedTurns(store), { journal, conversation, remembered });
}

function redactedLine(said: SaidRecord): SaidRecord {
  return { ...said, text: redacted(said.text) };
}

/** The details of an event that somebody wrote; the others are names, numbers and digests. */
const WRITTEN: ReadonlySet<string> = new Set(["note", "text", "reason"]);

function redactedEvent(event: NewEvent): NewEvent {
  const entries = Object.entries(event.details);
  if (!entries.some(([key]) => WRITTEN.has(key))) return event;
  const details = entries.map(([key, value]) => [
    key,
    WRITTEN.has(key) && typeof value === "string" ? redacted(value) : value,
  ]);
  return { ...event, details: Object.fromEntries(details) } as NewEvent;
}
