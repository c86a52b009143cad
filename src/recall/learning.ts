// Learns from use: remembers the message of a turn for the skills that went well or badly in it, and for the skill that it
// should have been.

import type {
  Actor,
  ConversationStore,
  Correction,
  JournalEvent,
  JournalStore,
  LearnedFromUse,
  RememberedMessage,
  RememberedStore,
  SessionStore,
} from "../journal/journal.ts";
import { REMEMBERED, USE_WEIGHT } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import { oneLine } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";
import { redacted } from "../text/secrets.ts";
import { isContinuation } from "./continuation.ts";
import type { IndexSettings } from "./recall-index.ts";
import { rememberedTerms } from "./signals/use.ts";

interface LearningNeeds {
  readonly remembered: RememberedStore;
  readonly journal: Pick<JournalStore, "query">;
  readonly conversation: Pick<ConversationStore, "query">;
  readonly sessions: Pick<SessionStore, "read">;
  /** How recall reads a message. */
  readonly reading: () => Promise<Pick<IndexSettings, "background" | "glossary">>;
  /** False if the person switched learning off: nothing more is remembered. */
  readonly isOn: () => boolean;
}

interface TurnOfSession {
  readonly session: string;
  readonly turn: number;
}

/** A skill with its content, and what the message weighs for it. */
interface Weighed {
  readonly skill: SkillName;
  readonly digest?: string | undefined;
  readonly weight: number;
}

export class RecallLearning implements LearnedFromUse {
  private readonly needs: LearningNeeds;

  constructor(needs: LearningNeeds) {
    this.needs = needs;
  }

  async outcome(events: readonly JournalEvent[]): Promise<void> {
    for (const event of events) {
      const { kind, skill, session, turn, at, digest } = event;
      if (!this.needs.isOn() || kind !== "outcome") continue;
      if (skill === undefined || session === undefined || turn === undefined) continue;
      const used = await this.turnOfUse(skill, { session, turn });
      const message = await this.messageOf(used);
      if (message === undefined) continue;
      const weight = USE_WEIGHT[event.details.result];
      await this.remember(message, { ...used, at }, [{ skill, digest, weight }]);
    }
  }

  async correction({ message: said, skill, at }: Correction, actor: Actor): Promise<readonly SkillName[]> {
    if (!this.needs.isOn()) return [];
    const current = await this.currentTurn(actor.session);
    const isCurrent = current !== undefined && (said === undefined || isSame(said, current.message));
    const message = isCurrent ? current.message : said;
    if (message === undefined) return [];
    const wrong = isCurrent ? await this.inFrontOf(skill.name, current) : [];
    const meant = { skill: skill.name, digest: skill.digest, weight: USE_WEIGHT.meant };
    const { session, turn } = isCurrent ? current : {};
    await this.remember(message, { session, turn, at }, [meant, ...wrong]);
    return wrong.map((one) => one.skill);
  }

  async forget(skill?: SkillName): Promise<number> {
    return this.needs.remembered.forget(skill);
  }

  async messages(skill: SkillName): Promise<readonly RememberedMessage[]> {
    return this.needs.remembered.list(skill);
  }

  private async remember(
    message: string,
    when: { readonly session?: string | undefined; readonly turn?: number | undefined; readonly at: number },
    skills: readonly Weighed[],
  ): Promise<void> {
    const { background, glossary } = await this.needs.reading();
    // The words of a secret lead to nothing, and the store must not keep them.
    const words = redacted(message, "");
    const terms = rememberedTerms(glossary?.toEnglish(words) ?? { text: words }, background);
    if (terms.length === 0) return;
    const text = clip(oneLine(redacted(message)), REMEMBERED.chars);
    await this.needs.remembered.add(
      skills.map(({ digest = "", ...weighed }) => ({ ...weighed, digest, ...when, text, terms })),
    );
  }

  /** The turn in which a skill was activated last: its outcome may be told some messages later. */
  private async turnOfUse(skill: SkillName, { session, turn }: TurnOfSession): Promise<TurnOfSession> {
    const query = { session, skill, kinds: ["activated"], newestFirst: true, limit: 1 } as const;
    const [activated] = await this.needs.journal.query(query);
    return { session, turn: activated?.turn ?? turn };
  }

  private async currentTurn(
    session: string | undefined,
  ): Promise<(TurnOfSession & { readonly message: string }) | undefined> {
    if (session === undefined) return undefined;
    const { turn, lastMessage: message } = await this.needs.sessions.read(session);
    return message === undefined ? undefined : { session, turn, message };
  }

  /** The message of a turn; if it only said to go on, the one before it. */
  private async messageOf({ session, turn }: TurnOfSession): Promise<string | undefined> {
    const current = await this.currentTurn(session);
    if (current?.turn === turn) return current.message;
    const said = await this.needs.conversation.query({ session, role: "user" });
    return said.findLast((line) => line.turn <= turn && !isContinuation(line.text))?.text;
  }

  /** The skills that were taken for the right one: activated in the turn, or recalled before it. */
  private async inFrontOf(name: SkillName, { session, turn }: TurnOfSession): Promise<readonly Weighed[]> {
    const events = await this.needs.journal.query({ session, turn, kinds: ["recalled", "activated"] });
    const placeOf = (event: JournalEvent) =>
      event.kind === "recalled" && event.details.via === undefined ? event.details.rank : undefined;
    const meantAt = Math.min(
      ...events
        .filter(({ skill }) => skill === name)
        .map((event) => placeOf(event) ?? Number.POSITIVE_INFINITY),
    );
    const wrong = new Map<SkillName, Weighed>();
    for (const event of events) {
      const { skill, digest, kind } = event;
      if (skill === undefined || skill === name) continue;
      if (kind === "activated") wrong.set(skill, { skill, digest, weight: USE_WEIGHT.mistaken });
      else if ((placeOf(event) ?? Number.POSITIVE_INFINITY) < meantAt && !wrong.has(skill))
        wrong.set(skill, { skill, digest, weight: USE_WEIGHT.inFront });
    }
    return [...wrong.values()];
  }
}

/** Whether a message is the one that the session has: sessions cut long ones, and replace one that only says to go on. */
function isSame(said: string, current: string): boolean {
  return said.startsWith(current) || isContinuation(said);
}
