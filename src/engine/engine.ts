// Owns the whole: what a recall needs and the library behind it, and hands each question to the part that answers it.
// No logic of its own. The order of the stages of a turn stands in `recalls.ts` and `turns.ts`.

import { type Config, loadConfig } from "../config/config.ts";
import type { MemoryItem, Prompt, PromptOptions, Turns } from "../disclose/disclose.ts";
import { misnamedSources } from "../discover/discover.ts";
import type { Library, LibraryChanges } from "../library/library.ts";
import { type Audience, LibraryScanner, LibraryView } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { ListedSkill, Skill } from "../model/skill.ts";
import type { Turn } from "../model/turn.ts";
import type { Explanation } from "../recall/recall.ts";
import { Management } from "./management.ts";
import { type OpenOptions, Recaller } from "./recaller.ts";
import type { Workshop } from "./workshop.ts";

export type { OpenOptions } from "./recaller.ts";

/** Opens the skills of a project, its user and the package. */
export function openRepertoire(options: OpenOptions = {}): Repertoire {
  return new Repertoire(loadConfig(options), options);
}

export class Repertoire extends Recaller {
  declare readonly reader: LibraryScanner;
  /** What a person does with the library outside a turn. */
  readonly manage = new Management(this);
  private opened: Promise<Workshop> | undefined;
  private readonly closers: (() => Promise<void>)[] = [];

  /** The library as it was last read. */
  get library(): Library {
    return this.reader.known;
  }

  /** Scans again and says what changed. */
  refresh(): Promise<LibraryChanges> {
    return this.reader.refresh();
  }

  /** Calls back with the names after each change below the sources, until closed. */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void = () => {},
  ): Promise<void> {
    this.closers.push(await this.reader.watch(onChanges, onError));
  }

  /** What the given agent (default: the configured one) may see of the library as it was last read. */
  view(agent?: string): LibraryView {
    return new LibraryView(this.library, this.visibility(agent));
  }

  /** What the given agent may see now, edits inside known files included. */
  async look(agent?: string): Promise<LibraryView> {
    if (!this.reader.scanned) await this.reader.refresh();
    return this.catalog(agent);
  }

  /** Every skill with its state. */
  async list(): Promise<{ skills: ListedSkill[]; diagnostics: readonly Diagnostic[] }> {
    const view = await this.look();
    return { skills: view.list(), diagnostics: view.library.diagnostics };
  }

  /** One skill, found by any of its names; fails with the names that are visible. */
  async find(name: string, audience: Audience = "model", agent?: string): Promise<Skill> {
    return new LibraryView(await this.reader.currentFor(name), this.visibility(agent)).require(
      name,
      audience,
    );
  }

  /** The Markdown below the front matter, read from disk now. */
  body(skill: Skill): string {
    return this.reader.body(skill);
  }

  /** Why a skill was or was not recalled for a message. */
  async why(name: string, turn: Turn): Promise<Explanation> {
    return (await this.turns()).why(name, turn);
  }

  /** The text an agent's prompt gets for this turn. */
  async prompt(turn: Turn, options: PromptOptions = {}): Promise<Prompt> {
    return (await this.turns()).prompt(turn, options);
  }

  /** The cards of the skills that a session recalled lately, most relevant first. */
  async workingMemory(session: string): Promise<readonly MemoryItem[]> {
    return (await this.turns()).workingMemory(session);
  }

  /** Recall and disclosure; who only lists skills does not load them. */
  private turns(): Promise<Turns> {
    this.turnsOpened ??= import("../disclose/turn-prompt.ts").then(
      async ({ Turns }) => new Turns(this, await this.recalls()),
    );
    return this.turnsOpened;
  }

  /** Tasks, learned skills and dreams, with the store behind them; opened now when they never were. */
  workshop(): Promise<Workshop> {
    this.opened ??= import("./workshop.ts").then(async ({ openWorkshop }) => {
      await this.reader.current();
      const workshop = openWorkshop(this);
      // A dream that a crash cut short is settled before anything else happens.
      await workshop.dreams.recover();
      return workshop;
    });
    return this.opened;
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
    const opened = this.opened;
    this.opened = undefined;
    if (opened) await (await opened).close();
    else await this.options.store?.close();
  }
}
export type { SkillReport } from "../library/library.ts";
export { type Meaning, openMeaning } from "./meaning.ts";
export { openRecaller, Recaller, recallQuickly } from "./recaller.ts";
export type { TaskPart } from "./task-part.ts";
export type { Workshop } from "./workshop.ts";
