// Keeps remembered messages in memory.

import {
  packRemembered,
  REMEMBERED,
  RememberedBook,
  type RememberedMessage,
  type RememberedStore,
  strongest,
  withRemembered,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";

export class MemoryRemembered implements RememberedStore {
  private readonly currentName: (name: SkillName) => SkillName;
  private messages: readonly RememberedMessage[] = [];
  private packed: { readonly key: string; readonly book: RememberedBook } | undefined;

  constructor(currentName: (name: SkillName) => SkillName) {
    this.currentName = currentName;
  }

  add(added: readonly RememberedMessage[]): void {
    for (const message of added) {
      const own = this.messages.filter(({ skill }) => skill === message.skill);
      const kept = new Set(withRemembered(own, message));
      const others = this.messages.filter((one) => one.skill !== message.skill || kept.delete(one));
      this.messages = [...others, ...kept];
      if (this.messages.length > REMEMBERED.inAll) {
        const limit = REMEMBERED.inAll - REMEMBERED.dropped;
        this.messages = strongest(this.messages, { limit, now: message.at });
      }
    }
  }

  list(name?: SkillName): readonly RememberedMessage[] {
    return this.messages
      .map((message) => ({ ...message, skill: this.currentName(message.skill) }))
      .filter(({ skill }) => name === undefined || skill === name);
  }

  forget(name?: SkillName): number {
    const before = this.messages.length;
    this.messages =
      name === undefined ? [] : this.messages.filter(({ skill }) => this.currentName(skill) !== name);
    return before - this.messages.length;
  }

  /** Packed as on disk, so that both stores give the same answers. */
  book(): RememberedBook {
    const list = this.list();
    const key = list.map(({ skill, at, weight, text }) => `${skill}\n${at}\n${weight}\n${text}`).join("\n");
    if (this.packed?.key !== key) this.packed = { key, book: new RememberedBook(packRemembered(list)) };
    return this.packed.book;
  }
}
