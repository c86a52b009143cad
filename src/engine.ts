// Owns the order of the stages for a turn, and nothing else: sources -> library -> recall -> disclose.
// No logic of its own; each method reads as one sentence over the stages.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Config, type ConfigInput, loadConfig } from "./config.ts";
import { disclose } from "./disclose/disclose.ts";
import { asksForList } from "./disclose/question.ts";
import { resolveSources } from "./discover/sources.ts";
import { Indexing } from "./indexing.ts";
import { readSkillFile } from "./library/catalog.ts";
import type { LibraryChanges } from "./library/diff.ts";
import type { Library } from "./library/library.ts";
import { rankForDisclosure } from "./library/rank.ts";
import { type Audience, LibraryView } from "./library/view.ts";
import { Visibility } from "./library/visibility.ts";
import { Management } from "./management.ts";
import { type Meaning, openMeaning } from "./meaning.ts";
import type { Diagnostic } from "./model/diagnostic.ts";
import type { SkillName } from "./model/name.ts";
import type { ListedSkill, Skill } from "./model/skill.ts";
import type { Source } from "./model/source.ts";
import type { Budget, Match, Section, Style, Turn } from "./model/turn.ts";
import { packageRoot } from "./package-root.ts";
import { parseSkill } from "./parse/parse.ts";
import type { Clock } from "./ports.ts";
import { effectiveMessage } from "./recall/continuation.ts";
import { type Recalled, type RecallOptions, recall } from "./recall/recall.ts";
import { NOTHING_KNOWN } from "./recall/signals/effectiveness.ts";
import { type Explanation, explain } from "./recall/why.ts";
import { type Progress, Shelf } from "./shelf.ts";
import { type LightStore, openLightStore } from "./stores/light.ts";

export interface OpenOptions extends ConfigInput {
  /** Called while files are read, for a progress display. */
  readonly onProgress?: Progress;
  readonly clock?: Clock;
}

export interface RecallRequest {
  /** How many matches at most. */
  readonly limit?: number;
  /** Matches below this score are not shown. */
  readonly threshold?: number;
  /** Recall among these skills only. */
  readonly allows?: (name: SkillName) => boolean;
}

export interface RecallAnswer extends Recalled {
  readonly message: string;
  readonly ms: number;
}

export interface PromptOptions extends RecallRequest {
  readonly style?: Style;
  readonly budget?: Budget;
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
  private readonly memory: LightStore;
  private meaning: Promise<Meaning> | undefined;
  private upkeep: Indexing | undefined;
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(config: Config, options: OpenOptions) {
    this.config = config;
    this.options = options;
    const clock = options.clock ?? { now: () => new Date() };
    this.memory = openLightStore({ directory: join(config.home, ".repertoire"), clock });
    const bundled = config.sources.bundled ? join(packageRoot(), "skills") : undefined;
    const sources = resolveSources({ home: config.home, project: config.dir, ...config.sources, bundled });
    this.shelf = new Shelf(sources, config, options.onProgress);
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

  /** The skills that matter for this turn, and why. Within a session nothing is recalled twice unless it is named. */
  async recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    const started = performance.now();
    const { session } = turn;
    const before = session === undefined ? undefined : this.memory.sessions.read(session);
    const message = effectiveMessage(turn.message, before?.lastMessage);
    const recalled = await this.recallNow({ ...turn, message }, request, new Set(before?.shown));
    if (session !== undefined) {
      this.memory.sessions.begin(session, { key: turn.id ?? randomUUID(), message });
      const names = recalled.matches.map(({ name }) => name);
      this.memory.sessions.add(session, { step: "recalled", names, frame: recalled.frame.name });
    }
    return { message: turn.message, ...recalled, ms: Math.round((performance.now() - started) * 100) / 100 };
  }

  /** Why a skill was or was not recalled for a message. */
  async why(name: string, turn: Turn): Promise<Explanation> {
    return explain(this.find(name), turn, await this.recallOptions());
  }

  /** The text an agent's prompt gets for this turn. */
  async prompt(
    turn: Turn,
    options: PromptOptions = {},
  ): Promise<Section & { readonly matches: readonly Match[] }> {
    const before = turn.session === undefined ? undefined : this.memory.sessions.read(turn.session);
    const { matches } = turn.message.trim() === "" ? { matches: [] } : await this.recall(turn, options);
    const section = disclose({
      style: options.style ?? this.config.style,
      budget: options.budget ?? this.config.budget,
      skills: rankForDisclosure(this.view().visible(), this.sources),
      matches,
      readBody: (skill) => this.body(skill),
      seen: new Set(before?.shown),
      firstTurn: (before?.turn ?? 0) === 0,
      asksForList: asksForList(turn.message),
    });
    const shown = matches
      .map(({ name }) => name)
      .filter((name) => section.shown.some((one) => one.name === name));
    if (turn.session !== undefined) this.memory.sessions.claim(turn.session, shown);
    return { ...section, matches };
  }

  /** The recall index and its upkeep, made when first asked for. */
  async indexing(): Promise<Indexing> {
    this.meaning ??= openMeaning(this.config);
    const meaning = await this.meaning;
    this.upkeep ??= new Indexing(this, meaning);
    return this.upkeep;
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
  }

  private visibility(agent: string | undefined = this.config.agent): Visibility {
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

  /** Answers from the index as it is, and once more from a fresh one when a match turns out to have changed. */
  private async recallNow(
    turn: Turn,
    request: RecallRequest,
    seen: ReadonlySet<SkillName>,
  ): Promise<Recalled> {
    const options = { ...this.config.recall, ...(await this.recallOptions()), ...request, seen };
    const recalled = await recall(turn, options);
    const indexing = await this.indexing();
    if (indexing.stillTrue(recalled.matches.map(({ name }) => name))) return recalled;
    await indexing.refresh();
    return recall(turn, { ...options, index: await indexing.current() });
  }

  private async recallOptions(): Promise<RecallOptions> {
    const index = await (await this.indexing()).current();
    const visibility = this.visibility();
    const stateOf = visibility.judge();
    const places = new Map(this.sources.map(({ id }, place) => [id, place]));
    return {
      index,
      ...(await this.meaning!),
      effectiveness: NOTHING_KNOWN,
      isVisible: (skill) => stateOf(skill).state === "active",
      precedence: (skill) => places.get(skill.source) ?? 0,
      ...(visibility.options.allowlist && { allows: (name: SkillName) => visibility.allows(name) }),
    };
  }
}
