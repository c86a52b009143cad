// Owns the order of the stages, and nothing else: sources -> discover -> parse -> library -> disclose.
// No logic of its own; each method reads as one sentence over the stages.

import { join } from "node:path";
import { type Config, type ConfigInput, loadConfig } from "./config.ts";
import { disclose } from "./disclose/disclose.ts";
import { asksForList } from "./disclose/question.ts";
import { discover, type Scan, sameFindings } from "./discover/discover.ts";
import { resolveSources } from "./discover/sources.ts";
import { watchSources } from "./discover/watch.ts";
import { loadRecords, saveRecords } from "./library/cache.ts";
import {
  buildCatalog,
  type Catalog,
  type FileRecord,
  isUnchanged,
  readSkillFile,
} from "./library/catalog.ts";
import { diffLibraries, type LibraryChanges, NO_CHANGES } from "./library/diff.ts";
import { Library } from "./library/library.ts";
import { rankForDisclosure } from "./library/rank.ts";
import { type Audience, LibraryView } from "./library/view.ts";
import { Management } from "./management.ts";
import type { Diagnostic } from "./model/diagnostic.ts";
import type { ListedSkill, Skill } from "./model/skill.ts";
import type { Source } from "./model/source.ts";
import type { Budget, Section, Style, Turn } from "./model/turn.ts";
import { packageRoot } from "./package-root.ts";
import { parseManifest, parseSkill } from "./parse/parse.ts";

export interface OpenOptions extends ConfigInput {
  /** Called while files are read, for a progress display. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PromptOptions {
  readonly style?: Style;
  readonly budget?: Budget;
}

/** Opens the skills of a project, its user and the package. */
export function openRepertoire(options: OpenOptions = {}): Repertoire {
  return new Repertoire(loadConfig(options), options);
}

export class Repertoire {
  readonly config: Config;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** What a person does with the library outside a turn. */
  readonly manage = new Management(this);
  private readonly options: OpenOptions;
  private scan: Scan | undefined;
  private catalog: Catalog | undefined;
  private current: Library | undefined;
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(config: Config, options: OpenOptions) {
    this.config = config;
    this.options = options;
    this.sources = resolveSources({
      home: config.home,
      project: config.dir,
      ...config.sources,
      bundled: config.sources.bundled ? join(packageRoot(), "skills") : undefined,
    });
  }

  /** The library as last scanned; scanned now when it never was. */
  get library(): Library {
    if (!this.current) this.refresh();
    return this.current!;
  }

  /** Scans again and says what changed. */
  refresh(): LibraryChanges {
    const before = this.current ?? new Library([], []);
    const scan = discover(this.sources);
    if (this.catalog && isUnchanged(scan.candidates, this.catalog) && sameFindings(scan, this.scan))
      return NO_CHANGES;
    this.scan = scan;
    const records = this.catalog?.records ?? this.cachedRecords();
    this.catalog = buildCatalog(scan.candidates, { records, parse: parseManifest, ...this.progress });
    if (this.catalog.read > 0 || records.size !== this.catalog.records.size) this.keepRecords(scan);
    this.current = new Library(this.catalog.skills, [...scan.diagnostics, ...this.catalog.diagnostics]);
    return diffLibraries(before, this.current);
  }

  /** Calls back with the names after each change below the sources, until closed. */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void = () => {},
  ): Promise<void> {
    this.refresh();
    const onChange = () => {
      const changes = this.refresh();
      if (changes.added.length + changes.changed.length + changes.removed.length > 0) onChanges(changes);
    };
    this.closers.push(await watchSources({ sources: this.sources, onChange, onError }));
  }

  /** What the given agent (default: the configured one) may see. */
  view(agent: string | undefined = this.config.agent): LibraryView {
    const { enable, disable, agents } = this.config;
    const allowlist = agent === undefined ? undefined : agents[agent]?.skills;
    return new LibraryView(this.library, {
      enable,
      disable,
      env: this.options.env ?? process.env,
      ...(agent !== undefined && { agent }),
      ...(allowlist && { allowlist }),
    });
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

  /** The text an agent's prompt gets for this turn. */
  prompt(turn: Turn, options: PromptOptions = {}): Section {
    const skills = rankForDisclosure(this.view().visible(), this.sources);
    return disclose({
      style: options.style ?? this.config.style,
      budget: options.budget ?? this.config.budget,
      skills,
      matches: [],
      readBody: (skill) => this.body(skill),
      asksForList: asksForList(turn.message),
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
  }

  /** For stages that report how far they are. */
  get progress() {
    return this.options.onProgress ? { onProgress: this.options.onProgress } : {};
  }

  private cachedRecords(): Map<string, FileRecord> {
    return this.config.cacheDir === undefined ? new Map() : loadRecords(this.config.cacheDir, this.sources);
  }

  private keepRecords(scan: Scan): void {
    if (this.config.cacheDir === undefined) return;
    const bySource = new Map<Source, FileRecord[]>();
    for (const { source, path } of scan.candidates) {
      const record = this.catalog?.records.get(path);
      if (!bySource.has(source)) bySource.set(source, []);
      if (record) bySource.get(source)!.push(record);
    }
    saveRecords(this.config.cacheDir, bySource);
  }
}
