// What a person or a program does with the library outside a turn: look, check, switch, refresh, watch.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { linkSkill, switchSkill } from "../config/config.ts";
import {
  DECIDING_HOSTS,
  type HostDecision,
  type ProjectStanding,
  trustedProjects,
  trustProject,
} from "../discover/discover.ts";
import { readKnownFindings } from "../inspect/inspect.ts";
import {
  type Audience,
  checkSkills,
  countStates,
  type InspectionPlace,
  type InspectionReport,
  type InspectionSummary,
  inspectPlaces,
  type Library,
  type LibraryChanges,
  type LibraryCost,
  type LibraryScanner,
  LibraryView,
  libraryCost,
  packageDigests,
  placesAt,
  placesInSources,
  reportSkill,
  reportSources,
  type SkillReport,
  type SourceReport,
  summariseInspection,
  Targets,
} from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { ListedSkill, Skill, SkillState } from "../model/skill.ts";
import type { StateCheckOptions, StateFinding } from "../model/state-finding.ts";
import type { Turn } from "../model/turn.ts";
import { isSkillFile } from "../package/package.ts";
import type { Profile } from "../parse/parse.ts";
import type { Explanation } from "../recall/recall.ts";
import type { Fleet } from "./fleet-part.ts";
import { openInspections } from "./inspections.ts";
import type { TurnEngine } from "./turn-engine.ts";

export interface LibraryDiagnosis {
  /** The configuration files that were read. */
  readonly config: readonly string[];
  readonly cache: string | null;
  /** Whether the project's skills are shown here, and what each host has decided about its folder. */
  readonly project: ProjectStanding & { readonly hosts: Readonly<Record<string, HostDecision>> };
  readonly sources: readonly SourceReport[];
  readonly counts: Readonly<Record<SkillState, number>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly inspection: InspectionSummary;
}

export interface CheckReport {
  readonly checked: number;
  readonly errors: number;
  readonly warnings: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly inspection: InspectionSummary;
}

export interface IndexingOptions {
  /** How many skills are encoded at most. */
  readonly encode?: number | undefined;
  /** Called while skills are encoded. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Stops encoding. */
  readonly signal?: AbortSignal | undefined;
}

export interface IndexReport {
  readonly skills: number;
  readonly changed: boolean;
  /** Skills that the encoder does not know yet; it is used when it knows nearly all. */
  readonly unencoded: number;
  readonly ms: number;
}

export interface InspectOptions {
  /** Skills' names or paths: of a package, of one file, or of a folder of packages. All skills unless given. */
  readonly target?: string | readonly string[] | undefined;
  /** A file of known findings instead of the person's own. */
  readonly known?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** After this many milliseconds only inspections of earlier runs are used; the others are counted as left. */
  readonly withinMs?: number | undefined;
}

/** Half a minute of encoding. A larger library is encoded on request. */
const ENCODED_AT_ONCE = 1000;

/** Milliseconds that inspection may take beside another answer; what is left is named. */
const INSPECTED_BESIDES = 2_000;
/** In the person's home alone: a project or a package must not silence findings about itself. */
const KNOWN_FINDINGS = "inspect.json";
/** Some ten seconds of inspection; the next run goes on. */
const INSPECTED_AT_ONCE = 1000;

export class LibraryPart {
  private readonly turns: TurnEngine;
  private readonly scanner: LibraryScanner;
  private readonly leadsTo: (name: string) => Promise<string>;
  private readonly fleet: () => Promise<Fleet | undefined>;
  private readonly targets: Targets;
  private readonly closers: (() => Promise<void>)[] = [];

  /** `leadsTo` says which name an old one leads to; itself if nowhere. */
  constructor(
    turns: TurnEngine,
    scanner: LibraryScanner,
    needs: {
      readonly leadsTo: (name: string) => Promise<string>;
      readonly fleet: () => Promise<Fleet | undefined>;
    },
  ) {
    this.turns = turns;
    this.scanner = scanner;
    this.leadsTo = needs.leadsTo;
    this.fleet = needs.fleet;
    this.targets = new Targets({
      dir: turns.config.dir,
      find: async (name) => {
        const { library, current } = await this.lookUp(name);
        return library.find(current);
      },
      offered: async () => (await this.view()).visible(),
    });
  }

  /**
   * Every skill with its state, and every finding about the files.
   *
   * @example
   * const { skills: found } = await skills.library.list();
   */
  async list(agent?: string): Promise<{ skills: ListedSkill[]; diagnostics: readonly Diagnostic[] }> {
    const view = await this.view(agent);
    return { skills: view.list(), diagnostics: view.library.diagnostics };
  }

  /**
   * Every skill with its state as it was last read: without a walk as long as no folder has changed, so nearly at once.
   *
   * @example
   * const known = await skills.library.glance();
   */
  async glance(): Promise<ListedSkill[]> {
    return (await this.turns.view()).list();
  }

  /**
   * One skill, found by any of its names; fails with the names that are visible.
   *
   * @example
   * const skill = await skills.library.find("pdf-tables");
   */
  async find(name: string, audience: Audience = "model", agent?: string): Promise<Skill> {
    const { library, current } = await this.lookUp(name);
    return new LibraryView(library, this.turns.visibility(agent)).require(current, audience);
  }

  /**
   * One skill in any state, for a person who manages it; found by any of its names, an old one included.
   *
   * @example
   * const { source, path } = await skills.library.named("pdf-tables");
   */
  async named(name: string): Promise<Skill> {
    const { library, current } = await this.lookUp(name);
    return (
      library.find(current) ?? new LibraryView(library, this.turns.visibility()).require(current, "person")
    );
  }

  /** The library, and the name that an old one leads to. */
  private async lookUp(name: string): Promise<{ readonly library: Library; readonly current: string }> {
    const library = await this.scanner.currentFor(name);
    return { library, current: library.find(name) ? name : await this.leadsTo(name) };
  }

  /**
   * What an agent (the configured one unless given) may see now.
   *
   * @example
   * const names = (await skills.library.view("reviewer")).visible().map(({ name }) => name);
   */
  async view(agent?: string): Promise<LibraryView> {
    if (!this.scanner.scanned) await this.scanner.refresh();
    return this.turns.view(agent);
  }

  /**
   * Why a skill was or was not recalled for a message.
   *
   * @example
   * const { score, reasons } = await skills.library.why("pdf-tables", { message: "extract the tables" });
   */
  async why(name: string, turn: Turn): Promise<Explanation> {
    return this.turns.sessions.why(await this.find(name), turn);
  }

  /**
   * One skill for a person: its state, files, direct children, findings and example messages. Its instructions, too, for a
   * person who reads them to decide (`review`); otherwise the gate hands them out.
   *
   * @example
   * const { files } = await skills.library.show("pdf-tables");
   */
  async show(name: string, { review = false } = {}): Promise<SkillReport> {
    const readBody = review ? (skill: Skill) => this.scanner.body(skill) : undefined;
    const { current } = await this.lookUp(name);
    const report = reportSkill(await this.view(), current, readBody);
    const { ExampleMessages } = await import("../recall/recall.ts");
    const examples = new ExampleMessages(this.turns.exampleMessagesPath);
    examples.refresh();
    const messages = examples.of(report.skill);
    const { name: called, directory } = report.skill;
    const inspected = await this.inspectAll([{ name: called, path: directory, kind: "folder" }], {});
    return {
      ...report,
      inspection: inspected.packages[0],
      messages: messages.length > 0 ? messages : undefined,
    };
  }

  /**
   * The instructions of a skill as they are on disk now, for its person. Hand them to a model through the gate only.
   *
   * @example
   * const body = skills.library.bodyOf(await skills.library.named("pdf-tables"));
   */
  bodyOf(skill: Skill): string {
    return this.scanner.body(skill);
  }

  /**
   * The digest of each of these skills' packages, to which consent is bound; absent for a package that cannot be read.
   *
   * @example
   * const { skills: listed } = await skills.library.list();
   * const digests = await skills.library.digests(listed.map(({ skill }) => skill));
   */
  digests(skills: readonly Skill[]): Promise<ReadonlyMap<Skill, string>> {
    return packageDigests(skills);
  }

  /**
   * Findings about the skills at a path, or about all.
   *
   * @example
   * const { diagnostics } = await skills.library.check({ profile: "strict" });
   */
  async check(options: {
    readonly path?: string | undefined;
    readonly profile: Profile;
  }): Promise<CheckReport> {
    const { profile } = options;
    const { sources } = this.turns;
    const path = options.path === undefined ? undefined : await this.targets.path(options.path);
    const where = path === undefined ? { sources } : { path };
    const { onProgress } = this.turns.options;
    const also = async (skills: readonly Skill[]) => {
      const { declaredFindings } = await import("../tools/tools.ts");
      const triggers = await this.triggerFindings(skills, { known: path === undefined });
      return [...triggers, ...(await declaredFindings(skills))];
    };
    const checked = await checkSkills(where, { profile, also, onProgress });
    const withinMs = path === undefined ? INSPECTED_BESIDES : undefined;
    const folder = path !== undefined && isSkillFile(basename(path)) ? dirname(path) : path;
    const places = folder === undefined ? await this.allPlaces() : await placesAt(folder);
    const inspected = await this.inspectAll(places ?? [], { onProgress, withinMs });
    return { ...checked, inspection: summariseInspection(inspected) };
  }

  /**
   * The verdict on packages, with what was found in them: of one skill, of a path, or of the whole library.
   *
   * @example
   * const { verdict, packages } = await skills.library.inspect({ target: "pdf-tables" });
   */
  async inspect(options: InspectOptions = {}): Promise<InspectionReport> {
    const targets = typeof options.target === "string" ? [options.target] : (options.target ?? []);
    const places = await Promise.all(
      targets.length === 0 ? [this.allPlaces()] : targets.map((target) => this.targets.places(target)),
    );
    return this.inspectAll(places.flat(), options);
  }

  private async inspectAll(
    places: readonly InspectionPlace[],
    { known, onProgress, withinMs }: InspectOptions,
  ): Promise<InspectionReport> {
    const { config } = this.turns;
    const report = await inspectPlaces(places, {
      cache: openInspections(config),
      known: readKnownFindings(known ?? join(config.home, ".repertoire", KNOWN_FINDINGS)),
      onProgress,
      withinMs,
    });
    // So that the snapshot, which is all that a hook reads, knows it too.
    if (report.packages.some(({ verdict }) => verdict === "dangerous")) await this.scanner.refresh();
    return report;
  }

  /** The packages of all skills. */
  private async allPlaces(): Promise<InspectionPlace[]> {
    const names = new Map((await this.view()).list().map(({ skill }) => [skill.path, skill.name]));
    return placesInSources(this.turns.sources, (path) => names.get(path));
  }

  /**
   * Every finding about the library: broken files, shadowed names, and triggers that conflict or cannot work.
   *
   * @example
   * const errors = (await skills.library.findings()).filter(({ severity }) => severity === "error");
   */
  async findings(): Promise<Diagnostic[]> {
    const { library } = await this.view();
    const skills = [...library.skills.values()];
    const { declaredFindings } = await import("../tools/tools.ts");
    const triggers = await this.triggerFindings(skills, { known: true });
    return [...library.diagnostics, ...triggers, ...(await declaredFindings(skills))];
  }

  /** `known`: the skills are those of the library, so that recall can say which of two wins. */
  private async triggerFindings(
    skills: readonly Skill[],
    { known }: { readonly known: boolean },
  ): Promise<Diagnostic[]> {
    const { triggerFindings } = await import("../recall/recall.ts");
    const recallFor = async (message: string) => (await this.turns.recall({ message })).matches;
    return triggerFindings(skills, known ? recallFor : undefined);
  }

  /**
   * The library at a glance: configuration, sources that exist, how many skills are in which state, and every finding.
   *
   * @example
   * const { counts } = await skills.library.diagnosis();
   */
  async diagnosis(): Promise<LibraryDiagnosis> {
    const diagnostics = await this.findings();
    const sources = (await this.sources()).filter(({ exists }) => exists);
    const counts = countStates((await this.view()).list());
    const { files: config, cacheDir: cache = null } = this.turns.config;
    const hosts = DECIDING_HOSTS.map((host) => [host, this.turns.projectFor(host).host]);
    const project = { ...this.turns.project, hosts: Object.fromEntries(hosts) };
    const inspection = summariseInspection(await this.inspect({ withinMs: INSPECTED_BESIDES }));
    return { config, cache, project, sources, counts, diagnostics, inspection };
  }

  /**
   * Whether the project's skills are shown, and whether the person has to be asked first.
   *
   * @example
   * const { folder, shown, isOpen } = skills.library.project();
   */
  project(): ProjectStanding & {
    /** The folders with skills that are not shown. */
    readonly hidden: readonly string[];
  } {
    const { project, hiddenSources } = this.turns;
    return { ...project, hidden: hiddenSources.map(({ root }) => root).filter((root) => existsSync(root)) };
  }

  /**
   * Keeps or withdraws the person's trust in the project, and returns its folder. Holds for engines that are opened from now
   * on.
   *
   * @example
   * const { folder } = skills.library.trustProject(true);
   */
  trustProject(on: boolean): { readonly folder: string; readonly changed: boolean } {
    const { folder } = this.turns.project;
    return { folder, changed: trustProject(this.turns.config.home, folder, on) };
  }

  /**
   * The folders of the projects that the person trusts.
   *
   * @example
   * const folders = skills.library.trustedProjects();
   */
  trustedProjects(): readonly string[] {
    return trustedProjects(this.turns.config.home);
  }

  /**
   * Brings the recall index up to date, inspects packages that have changed, and encodes skills for the trained encoder if it is installed: `encode` says how
   * many at most (1,000 unless given; each takes about 30 ms). `unencoded` skills are left.
   *
   * @example
   * const { changed, unencoded } = await skills.library.index({ encode: 0 });
   */
  async index(options: IndexingOptions = {}): Promise<IndexReport> {
    const started = performance.now();
    const indexing = await this.turns.indexing();
    const { skills, changed } = await indexing.refresh({ isBehind: true });
    const cache = openInspections(this.turns.config);
    await this.scanner.inspect({ most: INSPECTED_AT_ONCE, cache, signal: options.signal });
    const { encode: most = ENCODED_AT_ONCE, ...rest } = options;
    const fleet = most > 0 ? await this.fleet() : undefined;
    if (fleet) await indexing.shareVectors(fleet.vectors);
    const unencoded = await indexing.encode({ most, ...rest });
    return { skills, changed, unencoded, ms: Math.round(performance.now() - started) };
  }

  /**
   * What the visible skills cost in tokens, and how many of them a host's own list has room for.
   *
   * @example
   * const { always, hosts } = await skills.library.cost();
   */
  async cost(): Promise<LibraryCost> {
    return libraryCost((await this.view()).visible(), (skill) => this.scanner.body(skill));
  }

  /**
   * Every source with the number of its skills.
   *
   * @example
   * for (const { root, skills: count } of await skills.library.sources()) console.log(root, count);
   */
  async sources(): Promise<SourceReport[]> {
    return reportSources((await this.view()).library, this.turns.sources);
  }

  /**
   * Switches a skill on or off in the person's configuration, or in the project's for a skill of the project, and at once in
   * this engine. `undefined` takes back what was switched, so that the skill is as it is by default.
   *
   * @example
   * await skills.library.setEnabled("pdf-tables", false);
   */
  async setEnabled(
    name: string,
    on: boolean | undefined,
    { inProject = false }: { readonly inProject?: boolean | undefined } = {},
  ): Promise<{ name: SkillName; file: string }> {
    const skill = await this.named(name);
    const { config } = this.turns;
    if (inProject && this.turns.scopeOf(skill.source) !== "project")
      throw new RepertoireError(
        "usage",
        `"${skill.name}" comes from ${skill.source}, and a project switches its own skills only. Leave --project out.`,
        name,
      );
    const { home } = config;
    const file = await switchSkill({ home, project: inProject ? config.dir : undefined }, skill.name, on);
    const without = (names: readonly string[]) => names.filter((each) => each !== skill.name);
    const [enable, disable] = [without(config.enable), without(config.disable)];
    if (on !== undefined) (on ? enable : disable).push(skill.name);
    this.turns.config = { ...config, enable, disable };
    return { name: skill.name, file };
  }

  /**
   * Whether the person's configuration switches a skill on or off by its name; undefined if it does neither.
   *
   * @example
   * skills.library.switchOf("pdf-tables");
   */
  switchOf(name: SkillName): boolean | undefined {
    const { enable, disable } = this.turns.config;
    if (disable.includes(name)) return false;
    return enable.includes(name) ? true : undefined;
  }

  /**
   * Shows a skill together with another one, or no longer, by the person's configuration.
   *
   * @example
   * await skills.library.setLink("pdf-tables", "spreadsheets", true);
   */
  async setLink(from: SkillName, to: SkillName, on: boolean): Promise<{ file: string }> {
    const { config } = this.turns;
    const file = await linkSkill(config.home, { from, to, on });
    const others = (config.recall.links[from] ?? []).filter((each) => each !== to);
    const links = { ...config.recall.links, [from]: on ? [...others, to] : others };
    this.turns.config = { ...config, recall: { ...config.recall, links } };
    return { file };
  }

  /**
   * Walks all sources again and returns what changed. Given the folders of skills that were changed, known skills elsewhere are
   * not looked at.
   *
   * @example
   * const { added } = await skills.library.refresh();
   */
  refresh(changed?: readonly string[]): Promise<LibraryChanges> {
    return this.scanner.refresh({ changed });
  }

  /**
   * Reads the snapshot and the recall index on disk whole, and makes them again if they are damaged and `fix` asks for it.
   *
   * @example
   * const damaged = await skills.library.checkCaches();
   */
  async checkCaches(options: StateCheckOptions = {}): Promise<StateFinding[]> {
    const found = await this.scanner.check(options);
    return [...found, ...(await (await this.turns.indexing()).check(options))];
  }

  /**
   * Calls back after each change below the sources, until the engine is closed.
   *
   * @example
   * await skills.library.watch(({ changed }) => console.log(changed));
   */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void = () => {},
  ): Promise<void> {
    this.closers.push(await this.scanner.watch(onChanges, onError));
    (await this.fleet())?.listen({ onProblem: (problem) => onError(new Error(problem)) });
  }

  /**
   * The library after precedence, without a walk as long as no folder has changed.
   *
   * @example
   * const { shadowed } = await skills.library.current();
   */
  current(): Promise<Library> {
    return this.scanner.current();
  }

  /**
   * Stops watching and looking for edits.
   *
   * @example
   * await skills.library.watch(({ added }) => console.log(added));
   * await skills.library.close();
   */
  async close(): Promise<void> {
    this.scanner.close();
    await Promise.all(this.closers.splice(0).map((close) => close()));
  }
}
