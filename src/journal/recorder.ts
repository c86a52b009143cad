// Writes into the journal what was done with a skill, in the current turn of its session.

import type { Awaitable } from "../model/awaitable.ts";
import type { EventDetails, EventKind } from "./events.ts";
import { eventOf, type SkillVersion } from "./events.ts";
import type { JournalStore, SessionStore } from "./journal-store.ts";

/** Who acts, for the journal. */
export interface Actor {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

export type RecordUse = <K extends EventKind>(
  actor: Actor,
  skill: SkillVersion,
  happened: { readonly kind: K; readonly details: EventDetails[K] },
) => Promise<void>;

interface RecorderNeeds {
  readonly sessions: Pick<SessionStore, "read" | "add">;
  readonly journal: { append(...input: Parameters<JournalStore["append"]>): Awaitable<unknown> };
  readonly now: () => number;
  /** Used where an actor names no agent or host. */
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
}

export function useRecorder(needs: RecorderNeeds): RecordUse {
  return async ({ session, agent = needs.agent, host = needs.host }, { name, digest }, happened) => {
    const turn = session === undefined ? undefined : (await needs.sessions.read(session)).turn;
    const context = {
      at: needs.now(),
      ...(session !== undefined && { session }),
      ...(turn !== undefined && { turn }),
      ...(agent !== undefined && { agent }),
      ...(host !== undefined && { host }),
    };
    await needs.journal.append([eventOf(context, { ...happened, skill: { name, digest } })]);
    if (session !== undefined && happened.kind === "activated")
      await needs.sessions.add(session, { step: "activated", names: [name] });
  };
}
