// What another text of one skill would change: recalls stored messages on a copy of the library, before and after. Writes nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import { OWN_CASES, readCases } from "../recall/recall.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { WHAT_IF } from "./limits.ts";
import { gatherMaterial, type Material, type MaterialNeeds } from "./material.ts";
import { HISTORY_KINDS } from "./sessions.ts";
import { TrialLibrary, type TrialNeeds } from "./trial-library.ts";

/** The changed parts of a skill; what is left out stays as it is. */
export interface OtherText {
  readonly description?: string | undefined;
  /** A whole SKILL.md, or the procedure alone. */
  readonly content?: string | undefined;
}

/** A message that would lead elsewhere: the skills it recalls, best first, at most three. */
export interface MovedMessage {
  readonly message: string;
  readonly before: readonly SkillName[];
  readonly after: readonly SkillName[];
}

export interface WhatIfReport {
  readonly tried: number;
  /** Those that find or lose the skill first. */
  readonly moved: readonly MovedMessage[];
}

interface WhatIfNeeds extends MaterialNeeds, TrialNeeds {
  readonly refresh: () => Promise<unknown>;
  /** The person's data folder, with the messages that they corrected. */
  readonly folder: string;
}

/** What is kept between two questions: while somebody types, only one skill of the copy changes. */
interface Prepared {
  readonly library: unknown;
  readonly lastEvent: number;
  readonly material: Material;
  readonly trial: TrialLibrary;
  readonly messages: readonly string[];
}

export class WhatIf {
  private readonly needs: WhatIfNeeds;
  private prepared: Prepared | undefined;
  /** One question at a time: the copy holds one change. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(needs: WhatIfNeeds) {
    this.needs = needs;
  }

  ask(name: string, text: OtherText): Promise<WhatIfReport> {
    const asked = this.last.then(() => this.answer(lookupKey(name), text));
    this.last = asked.catch(() => undefined);
    return asked;
  }

  private async answer(name: SkillName, { description, content }: OtherText): Promise<WhatIfReport> {
    const { material, trial, messages } = await this.current();
    const existing = material.byName.get(name);
    if (!existing) {
      const near = didYouMean(nearTo(name, material.byName.keys()));
      throw new RepertoireError(
        "skill-not-found",
        `No skill that is switched on is called "${name}".${near}`,
        name,
      );
    }
    await trial.baseline(messages);
    const save = { name, body: content ?? existing.body, description };
    const after = await trial.with([{ kind: "improve", pass: "optimize", save, archives: [] }]);
    const moved: MovedMessage[] = [];
    for (const message of messages) {
      const [had, has] = [await trial.before(message), await after(message)];
      if (had.join("\n") !== has.join("\n")) moved.push({ message, before: had, after: has });
    }
    const isOwn = (each: MovedMessage) => each.before.includes(name) !== each.after.includes(name);
    return {
      tried: messages.length,
      moved: [...moved.filter(isOwn), ...moved.filter((each) => !isOwn(each))],
    };
  }

  private async current(): Promise<Prepared> {
    const { needs } = this;
    await needs.refresh();
    const library = await needs.library();
    const [last] = await needs.store.journal.query({ kinds: HISTORY_KINDS, newestFirst: true, limit: 1 });
    const lastEvent = last?.seq ?? 0;
    if (this.prepared?.library === library && this.prepared.lastEvent === lastEvent) return this.prepared;
    const material = await gatherMaterial(needs);
    const messages = storedMessages(material, join(needs.folder, OWN_CASES));
    this.prepared = { library, lastEvent, material, trial: new TrialLibrary(material, needs), messages };
    return this.prepared;
  }
}

/** Corrected messages, those that skills bring along, and what was asked lately, the newest first. */
function storedMessages({ skills, sessions }: Material, ownCases: string): string[] {
  const corrected = existsSync(ownCases) ? readCases(ownCases).map(({ query }) => query) : [];
  const brought = skills.flatMap(({ queries }) => queries);
  const asked = sessions.flatMap(({ turns }) => turns.map(({ message }) => message));
  return [...new Set([...corrected.reverse(), ...asked.reverse(), ...brought])].slice(0, WHAT_IF.messages);
}
