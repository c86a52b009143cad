// Owns the whole: opens the configuration and the sources, and hands each question to the part that answers it.
// No logic of its own. The order of the stages of a turn stands in `turns.ts`.

import { join } from "node:path";
import { type Config, type ConfigInput, loadConfig } from "./config/config.ts";
import { resolveSources } from "./discover/sources.ts";
import type { Indexing } from "./engine/indexing.ts";
import { Management } from "./engine/management.ts";
import { type Progress, Shelf } from "./engine/shelf.ts";
import type { Prompt, PromptOptions, RecallAnswer, RecallRequest, Turns } from "./engine/turns.ts";
import type { Workshop } from "./engine/workshop.ts";
import { readSkillFile } from "./library/catalog.ts";
import type { LibraryChanges } from "./library/diff.ts";
import type { Library } from "./library/library.ts";
import { type Audience, LibraryView } from "./library/view.ts";
import { Visibility } from "./library/visibility.ts";
import type { Diagnostic } from "./model/diagnostic.ts";
import type { SessionState } from "./model/session.ts";
import type { ListedSkill, Skill } from "./model/skill.ts";
import type { Source } from "./model/source.ts";
import type { Turn } from "./model/turn.ts";
import { packageRoot } from "./package-root.ts";
import { parseSkill } from "./parse/parse.ts";
import type { Clock } from "./ports.ts";
import type { Explanation } from "./recall/why.ts";

export interface OpenOptions extends ConfigInput {
  /** Called while files are read, for a progress display. */
  readonly onProgress?: Progress;
  readonly clock?: Clock;
  /** Who runs the engine, for the journal: cli, mcp, … */
  readonly host?: string;
}

/** Opens the skills of a project, its user and the package. */
export function openRepertoire(options: OpenOptions = {}): Repertoire {
  return new Repertoire(loadConfig(options), options);
}

export class Repertoire {
  readonly config: Config;
  readonly shelf: Shelf;
  /** What a person does with the library outside a turn. */
  readonly manage = new Management(this);
  readonly options: OpenOptions;
  readonly clock: Clock;
  private loaded: Promise<Turns> | undefined;
  private opened: Promise<Workshop> | undefined;
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(config: Config, options: OpenOptions) {
    this.config = config;
    this.options = options;
    this.clock = options.clock ?? { now: () => new Date() };
    const bundled = config.sources.bundled ? join(packageRoot(), "skills") : undefined;
    const sources = resolveSources({ home: config.home, project: config.dir, ...config.sources, bundled });
    this.shelf = new Shelf(sources, config, options.onProgress);
  }

  /** Where what outlives a process is kept. */
  get dataDirectory(): string {
    return join(this.config.home, ".repertoire");
  }

  get sources(): readonly Source[] {
    return this.shelf.sources;
  }

  get library(): Library {
    return this.shelf.library;
  }

  /** Scans again and says what changed. */
  refresh(): LibraryChanges {
    return this.shelf.refresh();
  }

  /** Calls back with the names after each change below the sources, until closed. */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void = () => {},
  ): Promise<void> {
    this.closers.push(await this.shelf.watch(onChanges, onError));
  }

  /** What the given agent (default: the configured one) may see. */
  view(agent?: string): LibraryView {
    return new LibraryView(this.library, this.visibility(agent));
  }

  /** Every skill with its state. */
  list(): { skills: ListedSkill[]; diagnostics: readonly Diagnostic[] } {
    return { skills: this.view().list(), diagnostics: this.library.diagnostics };
  }

  /** One skill, found by any of its names; fails with the names that are visible. */
  find(name: string, audience: Audience = "model"): Skill {
    return this.view().require(name, audience);
  }

  /** The Markdown below the front matter, read from disk now. */
  body(skill: Skill): string {
    return parseSkill(readSkillFile(skill.path), skill.path).skill?.body ?? "";
  }

  /** The skills that matter for this turn, and why. */
  async recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    return (await this.turns()).recall(turn, request);
  }

  /** Why a skill was or was not recalled for a message. */
  async why(name: string, turn: Turn): Promise<Explanation> {
    return (await this.turns()).why(name, turn);
  }

  /** What a session remembers between its turns, its working memory included. */
  async session(id: string): Promise<SessionState> {
    return (await this.turns()).session(id);
  }

  /** The text an agent's prompt gets for this turn. */
  async prompt(turn: Turn, options: PromptOptions = {}): Promise<Prompt> {
    return (await this.turns()).prompt(turn, options);
  }

  /** The recall index and its upkeep. */
  async indexing(): Promise<Indexing> {
    return (await this.turns()).indexing();
  }

  /** The rules of who may see what; needs no scan. */
  visibility(agent: string | undefined = this.config.agent): Visibility {
    const { enable, disable, agents } = this.config;
    const allowlist = agent === undefined ? undefined : agents[agent]?.skills;
    const env = this.options.env ?? process.env;
    return new Visibility({
      enable,
      disable,
      env,
      ...(agent !== undefined && { agent }),
      ...(allowlist && { allowlist }),
    });
  }

  /** Recall and disclosure; who only lists skills does not load them. */
  private turns(): Promise<Turns> {
    this.loaded ??= import("./engine/turns.ts").then(({ openTurns }) => openTurns(this));
    return this.loaded;
  }

  /** Tasks, learned skills and dreams, with the store behind them; opened now when they never were. */
  workshop(): Promise<Workshop> {
    this.opened ??= import("./engine/workshop.ts").then(async ({ openWorkshop }) => {
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
    await (await opened)?.close();
  }
}
