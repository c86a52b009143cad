// Owns what a recall needs of the engine: the configuration, the sources, who may see what, and the index. Scans nothing
// and parses nothing by itself, so that a host's hook loads no more than this; `engine.ts` adds the library.

import { join } from "node:path";
import { type Config, type ConfigInput, loadConfig } from "../config/config.ts";
import { resolveSources, type SourceOptions } from "../discover/discover.ts";
import type { SessionState, TurnStore } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import type { Progress, Shelf } from "../library/library.ts";
import { Visibility } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import { codeOf } from "../model/errors.ts";
import type { Source } from "../model/source.ts";
import type { Turn } from "../model/turn.ts";
import { packageRoot } from "../package-root.ts";
import type { Embedder, Indexing, RecallAnswer, RecallRequest, Recalls } from "../recall/recall.ts";
import { type Store, TurnFiles } from "../stores/stores.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { Tracing } from "../telemetry/telemetry.ts";

export interface OpenOptions extends ConfigInput {
  /** Called while files are read, for a progress display. */
  readonly onProgress?: Progress | undefined;
  readonly clock?: Clock;
  /** Who runs the engine, for the journal: cli, mcp, … */
  readonly host?: string;
  /** Told what happens, instead of the OpenTelemetry provider that is registered, if one is; false = nobody. */
  readonly telemetry?: Telemetry | false;
  /** Keeps everything that outlives a turn; files in `~/.repertoire` unless given. Closed with the engine. */
  readonly store?: Store | undefined;
  /** Used instead of the configured embedder. */
  readonly embedder?: Embedder | undefined;
  /** Used instead of the configured language model. */
  readonly model?: LanguageModel | undefined;
}

/** Recalls from the index as it lies on disk; fails with `index-stale` where only a scan could answer. */
export function openRecaller(options: OpenOptions = {}): Recaller {
  return new Recaller(loadConfig(options), options);
}

/** Asks the index on disk, and the whole engine where only a scan can answer. */
export async function recallQuickly<T>(
  options: OpenOptions,
  ask: (engine: Recaller) => Promise<T>,
): Promise<{ readonly answer: T; readonly engine: Recaller }> {
  const quick = openRecaller(options);
  try {
    return { answer: await ask(quick), engine: quick };
  } catch (thrown) {
    if (codeOf(thrown) !== "index-stale") throw thrown;
  }
  const { openRepertoire } = await import("./engine.ts");
  const engine = openRepertoire(options);
  return { answer: await ask(engine), engine };
}

export class Recaller {
  /** Replaced, never changed, when a person switches a skill. */
  config: Config;
  readonly options: OpenOptions;
  readonly clock: Clock;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** The library behind the index; a bare recaller reads it from its snapshot alone. */
  readonly reader: LibraryReader;
  /** Tells a tracing system what happens. */
  readonly tracing: Tracing;
  /** What a turn reads and writes. */
  readonly turnStore: TurnStore;
  private loaded: Promise<Recalls> | undefined;
  private turnsOpened: Promise<Turns> | undefined;

  constructor(config: Config, options: OpenOptions) {
    this.config = config;
    this.options = options;
    this.clock = options.clock ?? { now: () => new Date() };
    this.sources = resolveSources(this.sourceOptions());
    this.reader = this.openReader();
    this.tracing = new Tracing({
      telemetry: options.telemetry,
      content: config.telemetry.content,
      skill: (name) => {
        const skill = this.reader.stored()?.library().find(name);
        const scope = this.sources.find(({ id }) => id === skill?.source)?.scope;
        return skill && { ...skill, scope };
      },
    });
    this.turnStore = options.store ?? new TurnFiles({ directory: this.dataDirectory, clock: this.clock });
  }

  /** Where what outlives a process is kept. */
  get dataDirectory(): string {
    return join(this.config.home, ".repertoire");
  }

  /** The skills that matter for this turn, and why. */
  async recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    return (await this.recalls()).recall(turn, request);
  }

  /** What a session remembers between its turns. */
  async session(id: string): Promise<SessionState> {
    return (await this.recalls()).session(id);
  }

  /** After the agent's context was cut: what the session was shown may be shown again. */
  async forgetShown(session: string): Promise<void> {
    await (await this.recalls()).forgetShown(session);
  }

  /** The recall index and its upkeep. */
  async indexing(): Promise<Indexing> {
    return (await this.recalls()).indexing();
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

  /** The text an agent's prompt gets for this turn. */
  async prompt(turn: Turn, options: PromptOptions = {}): Promise<Prompt> {
    return (await this.turns()).prompt(turn, options);
  }

  /** What an agent may see of the library, without a scan as long as no folder above a skill has changed. */
  async catalog(agent?: string): Promise<LibraryView> {
    return new LibraryView(await this.reader.current(), this.visibility(agent));
  }

  protected openReader(): LibraryReader {
    return new StoredLibrary(this.sources, this.readerOptions());
  }

  protected readerOptions() {
    const { cacheDir, files, dir } = this.config;
    const findings = misnamedSources(this.sourceOptions(), files.at(-1) ?? dir);
    return { cacheDir, findings, onProgress: this.options.onProgress };
  }

  /** Recall and disclosure; who only lists skills does not load them. */
  protected turns(): Promise<Turns> {
    this.turnsOpened ??= import("../disclose/turn-prompt.ts").then(
      async ({ Turns }) => new Turns(this, await this.recalls()),
    );
    return this.turnsOpened;
  }

  protected sourceOptions(): SourceOptions {
    const { home, dir: project, sources } = this.config;
    const bundled = sources.bundled ? join(packageRoot(), "skills") : undefined;
    return { home, project, ...sources, bundled };
  }

  /** Loaded when first asked for: who only lists skills needs no recall. */
  protected recalls(): Promise<Recalls> {
    this.loaded ??= import("../recall/session-recall.ts").then(
      ({ Recalls }) => new Recalls(this, this.turnStore),
    );
    return this.loaded;
  }
}
