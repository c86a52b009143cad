// The one door: opens the engine and hands out its parts.

import type { ConsentGate, Consents, SlashCommands } from "../activate/activate.ts";
import type { AgentTool, AgentToolsOptions, Toolbox, ToolChoice } from "../agent/agent.ts";
import { type Config, switchCatalog } from "../config/config.ts";
import type { MemoryItem } from "../disclose/disclose.ts";
import type { Dreams } from "../dream/dream.ts";
import { unlessAway } from "../fleet/fleet.ts";
import type { Journal } from "../journal/journal.ts";
import type { Enrichment, LearnedSkills } from "../learn/learn.ts";
import { LibraryScanner } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import type { StateCheckOptions, StateFinding } from "../model/state-finding.ts";
import type { Turn } from "../model/turn.ts";
import type { StreamingModel } from "../models/models.ts";
import type { EvalCase, EvalOptions, EvalReport, Indexing } from "../recall/recall.ts";
import type { Tidied, TidyOptions } from "../stores/stores.ts";
import type { Catalogs, Sharing, Supplies } from "../supply/supply.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { type EngineEvent, EventStream } from "./events.ts";
import type { Fleet, SharedExchange } from "./fleet-part.ts";
import { openInspections } from "./inspections.ts";
import { LibraryPart } from "./library-part.ts";
import type { OpenOptions } from "./options.ts";
import { ownVersion } from "./package-root.ts";
import type { SearchReport } from "./search-part.ts";
import { OpenTask, type TaskOptions } from "./task.ts";
import type { TaskPart } from "./task-part.ts";
import type { TokenPart } from "./token-part.ts";
import { OpenTurn } from "./turn.ts";
import { TurnEngine } from "./turn-engine.ts";
import type { Workshop } from "./workshop.ts";

/**
 * Opens the skills of a project, its user and the package.
 *
 * @example
 * const skills = openRepertoire({ dir: process.cwd() });
 * const { matches } = await skills.turn({ message: "extract the tables" }).recall();
 * await skills.close();
 */
export function openRepertoire(options: OpenOptions = {}): Repertoire {
  return new Repertoire(options);
}

export class Repertoire {
  /** @internal Recall and prompts, for adapters that answer a turn in a process of its own. */
  readonly turns: TurnEngine;
  /** The skills: list, find, check, switch, watch. */
  readonly library: LibraryPart;
  /** Skills that people and agents save: save, history, undo. */
  readonly learned: Deferred<LearnedSkills>;
  /** What the library should learn from what happened. */
  readonly dreams: Deferred<Dreams>;
  /** Messages that a model writes for skills, so that recall finds them. */
  readonly enrichment: Deferred<Enrichment>;
  /** Everything that can be done in a task; `task` is the shorter way. */
  readonly tasks: Deferred<TaskPart>;
  /** What a person agreed to for good. */
  readonly consents: Deferred<Consents>;
  /** Which instructions and files a person agreed to hand over. */
  readonly gate: Deferred<ConsentGate>;
  /** Slash commands. */
  readonly commands: Deferred<SlashCommands>;
  /** What happened: events, statistics, conversations, outcomes. */
  readonly journal: Deferred<Journal>;
  /** Who may use the shared database, and as what. */
  readonly tokens: Deferred<TokenPart>;
  /** Skills from elsewhere: open a source, take, install, verify, update, remove. */
  readonly supply: Deferred<Supplies>;
  /** Collections of skills that are not installed, to be searched. */
  readonly catalogs: Deferred<Catalogs>;
  /** Gives skills to other agents and other people. */
  readonly sharing: Deferred<Sharing>;
  /** Carries skills between folders and the library that is shared with other machines: push, pull, sync. */
  readonly exchange: Deferred<SharedExchange>;
  private readonly scanner: LibraryScanner;
  private readonly stream = new EventStream();
  private opened: Promise<Workshop> | undefined;
  private shared: Promise<Fleet> | undefined;
  private following: Promise<void> | undefined;
  private other: Repertoire | undefined;

  constructor(options: OpenOptions) {
    let scanner: LibraryScanner | undefined;
    this.turns = new TurnEngine(options, {
      openReader: (sources, reading) => {
        const isShared = sources.some(({ id }) => id === "postgres");
        scanner = new LibraryScanner(sources, {
          ...reading,
          inspections: openInspections(reading),
          prepare: isShared ? () => this.follow() : undefined,
        });
        return scanner;
      },
      bodies: (names, reading) => this.gate.bodies(names, reading),
      bringTools: (names, context) => this.tasks.bringTools(names, context),
    });
    this.scanner = scanner!;
    this.library = new LibraryPart(this.turns, this.scanner, {
      leadsTo: (name) => this.currentName(name),
      fleet: () => this.fleet(),
    });
    this.learned = deferred(async () => (await this.workshop()).learned);
    this.dreams = deferred(async () => (await this.workshop()).dreams);
    this.enrichment = deferred(async () => (await this.workshop()).enrichment);
    this.tasks = deferred(async () => (await this.workshop()).tasks);
    this.consents = deferred(async () => (await this.workshop()).consents);
    this.gate = deferred(async () => (await this.workshop()).gate);
    this.commands = deferred(async () => (await this.workshop()).commands);
    this.journal = deferred(async () => (await this.workshop()).journal);
    this.tokens = deferred(async () => (await import("./token-part.ts")).openTokens(this.turns));
    this.supply = deferred(async () => (await this.workshop()).supply);
    this.exchange = deferred(async () => (await this.requireFleet()).exchange(this.learned));
    this.catalogs = deferred(async () => (await import("./supply-part.ts")).openCatalogs(this.turns));
    this.sharing = deferred(async () =>
      (await import("./supply-part.ts")).openSharing(this.turns, this.library),
    );
  }

  get config(): Config {
    return this.turns.config;
  }

  get clock(): Clock {
    return this.turns.clock;
  }

  /**
   * The engine for a client of this name: without the project's skills if its host does not trust the folder. Closed with
   * this one.
   *
   * @example
   * const { library } = skills.forHost("claude-code");
   */
  forHost(host: string): Repertoire {
    const { project, options } = this.turns;
    if (project.shown === this.turns.projectFor(host).shown) return this;
    this.other ??= new Repertoire({ ...options, host });
    return this.other;
  }

  /**
   * One user message: what it recalls, what the prompt gets, and how it ended.
   *
   * @example
   * const turn = skills.turn({ session: "s1", message: "extract the tables from this report" });
   * const { text } = await turn.prompt();
   */
  turn(input: Turn): OpenTurn {
    return new OpenTurn(input, this);
  }

  /**
   * A piece of work with its own consents and private copies.
   *
   * @example
   * const task = skills.task("t1", { askConsent: () => true });
   * const { text } = await task.activate("pdf-tables");
   */
  task(id: string, options: TaskOptions = {}): OpenTask {
    return new OpenTask(id, options, this.tasks);
  }

  /**
   * The tools that a model gets in a task, those of activated skills included.
   *
   * @example
   * for (const tool of await skills.tools({ task: "t1", session: "s1" })) console.log(tool.name);
   */
  async tools(
    options: AgentToolsOptions & { readonly choice?: ToolChoice | undefined },
  ): Promise<AgentTool[]> {
    const { choice, ...context } = options;
    const toolbox = await this.toolbox(choice);
    return [...toolbox.served(context), ...toolbox.brought(context)];
  }

  /**
   * The chosen tools of one host, for any of its tasks.
   *
   * @example
   * const toolbox = await skills.toolbox("all");
   */
  async toolbox(choice?: ToolChoice): Promise<Toolbox> {
    const [{ Toolbox }, workshop] = await Promise.all([import("../agent/agent.ts"), this.workshop()]);
    return Toolbox.open(workshop.agent, choice);
  }

  /**
   * Changes of the library, journal events and proposals, from now on.
   *
   * @example
   * const first = skills.events().next();
   * await turn.outcome("success");
   * const { value: event } = await first;
   */
  async *events(): AsyncGenerator<EngineEvent, void> {
    const stream = this.stream.read();
    const first = stream.next();
    await this.workshop();
    await this.library.watch((changes) => this.stream.publish({ about: "library", changes }));
    const { value, done } = await first;
    if (done) return;
    yield value;
    yield* stream;
  }

  /**
   * Calls back with each journal event and proposal, until the result is called. `events` is the same as a stream.
   *
   * @example
   * const stop = skills.subscribe(({ about }) => console.log(about));
   * stop();
   */
  subscribe(listener: (event: EngineEvent) => void): () => void {
    return this.stream.subscribe(listener);
  }

  /**
   * Skills for some words: those that are installed, and those of catalogs, best first and with reasons.
   *
   * @example
   * const { installed, catalogs } = await skills.search("tables in a PDF");
   */
  async search(
    words: string,
    { limit = 10 }: { readonly limit?: number | undefined } = {},
  ): Promise<SearchReport> {
    const [{ catalogOptions, searchIn }, { catalogFolder }, catalogs] = await Promise.all([
      import("./search-part.ts"),
      import("./supply-part.ts"),
      this.catalogs.list(),
    ]);
    const installed = (await searchIn(this, words, limit)).map(({ from: _, ...found }) => found);
    const missing = catalogs.filter(({ skills }) => skills === undefined).map(({ source }) => source);
    const { fetched, ...options } = catalogOptions(catalogs, catalogFolder(this.turns));
    if (fetched.length === 0) return { installed, catalogs: [], missing };
    const other = new Repertoire({ ...this.turns.options, ...options });
    try {
      const found = await searchIn(other, words, limit);
      const sourceOf = (folder: string) => fetched.find((catalog) => catalog.folder === folder)!.source;
      return {
        installed,
        catalogs: found.map(({ from, ...rest }) => ({ ...rest, source: sourceOf(from) })),
        missing,
      };
    } finally {
      await other.close();
    }
  }

  /**
   * Adds a catalog to the person's configuration, or removes it, and at once in this engine.
   *
   * @example
   * const { file } = await skills.setCatalog("anthropics/skills", true);
   */
  async setCatalog(source: string, on: boolean): Promise<{ readonly file: string }> {
    const { config } = this.turns;
    const file = await switchCatalog(config.home, source, on);
    const others = config.catalogs.filter((each) => each !== source);
    this.turns.config = { ...config, catalogs: on ? [...others, source] : others };
    return { file };
  }

  /**
   * Measures recall on messages whose right answers are known.
   *
   * @example
   * const { macro } = await skills.evaluate([
   *   { query: "extract the tables", gold: ["pdf-tables"], not: [], source: "mine", length: "short" },
   * ]);
   */
  async evaluate(cases: readonly EvalCase[], options: EvalOptions = {}): Promise<EvalReport> {
    const { evaluate } = await import("../recall/recall.ts");
    const library = await this.library.current();
    const isKnown = (name: string) => library.find(name) !== undefined;
    return evaluate((turn, request) => this.turns.recall(turn, request), cases, { isKnown, ...options });
  }

  /**
   * The cards of the skills that a session recalled lately: of the last turn, then the others, each most relevant first.
   *
   * @example
   * const cards = await skills.workingMemory("s1");
   */
  workingMemory(session: string): Promise<readonly MemoryItem[]> {
    return this.turns.workingMemory(session);
  }

  /**
   * The configured language model for answers that are shown while they come, or another one of the same server.
   *
   * @example
   * const model = await skills.streamingModel();
   */
  async streamingModel(name?: string): Promise<StreamingModel | undefined> {
    return (await this.workshop()).streamingModel(name);
  }

  /**
   * Imports what hooks left, and removes what is older than the settings `retention` keep it: events, what was said, quiet
   * sessions, bytes of failed changes, files of killed processes, damaged files and old caches. Runs by itself once a day.
   *
   * @example
   * const wouldGo = await skills.tidy({ dryRun: true });
   */
  async tidy(options?: TidyOptions): Promise<readonly Tidied[]> {
    return (await this.workshop()).tidy(options);
  }

  /**
   * Looks at everything that is kept: the database page by page and row by row, versions and their bytes, the version log,
   * locks, permissions, the recall index. With `fix` repairs what can be repaired without loss; a damaged file is kept.
   *
   * @example
   * const broken = (await skills.checkState()).filter(({ severity }) => severity === "error");
   */
  async checkState(options: StateCheckOptions = {}): Promise<readonly StateFinding[]> {
    const { checkStore } = await import("./state-part.ts");
    const kept = await checkStore(this.turns, {
      ...options,
      lostBytes: (version, { path }) => this.learned.fileNow(version, path),
    });
    return [...kept, ...(await this.library.checkCaches(options))];
  }

  /**
   * After the agent's context was cut: what the session was shown may be shown again.
   *
   * @example
   * await skills.forgetShown("s1");
   */
  forgetShown(session: string): Promise<void> {
    return this.turns.sessions.forgetShown(session);
  }

  /**
   * Waits for work in the background, stops watching and closes the store.
   *
   * @example
   * await skills.close();
   */
  async close(): Promise<void> {
    await this.other?.close();
    this.stream.close();
    await this.library.close();
    const fleet = await this.shared;
    await fleet?.close();
    const opened = this.opened;
    this.opened = undefined;
    // Whoever used a workshop that could not be opened was told why; nothing of it needs closing.
    if (opened) await (await opened.catch(() => undefined))?.close();
    else await (this.turns.options.store ?? fleet?.store)?.close();
  }

  /** @internal The library that is shared with other machines; undefined without a shared database. */
  async fleet(): Promise<Fleet | undefined> {
    if (this.turns.shared.length === 0) return undefined;
    this.shared ??= import("./fleet-part.ts").then(({ openFleet }) => openFleet(this.turns));
    return this.shared;
  }

  /** An engine with a shared library follows it from the first use on. */
  private follow(): Promise<void> {
    this.following ??= this.fleet().then(async (fleet) => {
      // Whoever begins is answered with what came before it.
      let hasBegun = false;
      fleet?.listen({
        onWriting: () => {
          if (hasBegun) this.scanner.expectChanges();
        },
        // Nobody waits for this scan, and whoever saved waits for it to be seen.
        onChanges: (changed) => this.scanner.rescan({ changed }),
      });
      await fleet?.follow();
      if (fleet === undefined) return;
      // Before the library is first read.
      if (fleet.isNew) await this.adoptIndex(fleet);
      hasBegun = true;
    });
    return this.following;
  }

  /** A new node takes over what another one has read and indexed. Whatever is wrong with that, it reads the skills itself. */
  private async adoptIndex(fleet: Fleet): Promise<void> {
    const indexing = await this.turns.indexing();
    const kept = await unlessAway(() => fleet.keptIndex(indexFormat(indexing)));
    if (kept === undefined) return;
    this.scanner.takeOver(kept.library);
    indexing.adopt(kept.index);
  }

  /** @internal Keeps for new nodes what this one has read and indexed, from now on. Nothing without a shared library. */
  async shareIndex(): Promise<void> {
    const fleet = await this.fleet();
    const indexing = await this.turns.indexing();
    if (fleet === undefined) return;
    await indexing.shareVectors(fleet.vectors);
    await fleet.keepIndex(indexFormat(indexing), async () => {
      await indexing.current();
      const [library, index] = [this.scanner.carried(), indexing.carried()];
      return library && index && { library, index };
    });
  }

  private async requireFleet(): Promise<Fleet> {
    const fleet = await this.fleet();
    if (fleet) return fleet;
    throw new RepertoireError(
      "database-missing",
      "No shared database is configured. Set REPERTOIRE_DATABASE_URL to postgres://user:password@host:5432/database.",
    );
  }

  /** Where a name leads that the library does not have. Without a store that can be read there are no old names. */
  private async currentName(name: string): Promise<string> {
    try {
      return await this.learned.currentName(name);
    } catch (thrown) {
      if (codeOf(thrown) === "") throw thrown;
      return name;
    }
  }

  /** Tasks, learned skills and dreams, with the store behind them; opened by the first call. */
  private workshop(): Promise<Workshop> {
    this.opened ??= Promise.all([import("./workshop.ts"), this.fleet()]).then(([{ openWorkshop }, fleet]) =>
      openWorkshop(this.turns, this.library, (event) => this.stream.publish(event), fleet),
    );
    return this.opened;
  }
}

/** Nodes of another version or another embedder have another index. */
function indexFormat({ settings: { embedder } }: Indexing): string {
  return `index ${ownVersion()} ${embedder.id} ${embedder.dimensions}`;
}
