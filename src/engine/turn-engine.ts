// Wires what a turn needs: configuration, sources, visibility, the library's snapshot, the index and the session store.
// It scans and parses nothing by itself, so that a host's hook loads no more than this.

import { join } from "node:path";
import { type Config, loadConfig } from "../config/config.ts";
import type { Prompt, PromptOptions, TurnPrompt } from "../disclose/disclose.ts";
import { misnamedSources, resolveSources } from "../discover/discover.ts";
import type { TurnStore } from "../journal/journal.ts";
import { type LibraryReader, LibraryView, StoredLibrary, Visibility } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import type { Source } from "../model/source.ts";
import type { Turn } from "../model/turn.ts";
import type { Indexing, RecallAnswer, RecallRequest, SessionRecall } from "../recall/recall.ts";
import { TurnFiles } from "../stores/stores.ts";
import { Tracing } from "../telemetry/telemetry.ts";
import { type Deferred, deferred } from "./deferred.ts";
import type { OpenOptions } from "./options.ts";
import { packageRoot } from "./package-root.ts";
import type { TurnParts } from "./turn-parts.ts";

/** Opens the library behind a turn engine. */
type OpenReader = (
  sources: readonly Source[],
  options: ConstructorParameters<typeof StoredLibrary>[1] & Pick<OpenOptions, "onProgress">,
) => LibraryReader;

/** Answers from the snapshot and the index on disk; fails with `index-stale` if only a scan can answer. */
export function openTurnEngine(options: OpenOptions = {}): TurnEngine {
  return new TurnEngine(options, (sources, reading) => new StoredLibrary(sources, reading));
}

export class TurnEngine {
  /** Replaced, never changed, when a person switches a skill. */
  config: Config;
  readonly options: OpenOptions;
  readonly clock: Clock;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  readonly reader: LibraryReader;
  readonly tracing: Tracing;
  readonly store: TurnStore;
  /** Recall in a session. */
  readonly sessions: Deferred<SessionRecall>;
  private readonly prompts: Deferred<TurnPrompt>;
  private opened: Promise<TurnParts> | undefined;

  constructor(options: OpenOptions, openReader: OpenReader) {
    const config = loadConfig(options);
    this.config = config;
    this.options = options;
    this.clock = options.clock ?? { now: () => new Date() };
    const { home, dir: project, cacheDir, files } = config;
    const bundled = config.sources.bundled ? join(packageRoot(), "skills") : undefined;
    const sourceOptions = { home, project, learned: config.learnedDir, ...config.sources, bundled };
    this.sources = resolveSources(sourceOptions);
    const findings = misnamedSources(sourceOptions, files.at(-1) ?? project);
    this.reader = openReader(this.sources, { cacheDir, findings, onProgress: options.onProgress });
    this.store = options.store ?? new TurnFiles({ directory: this.dataDirectory, clock: this.clock });
    this.tracing = new Tracing({
      telemetry: options.telemetry,
      content: config.telemetry.content,
      skill: (name) => {
        const skill = this.reader.stored()?.library().find(name);
        const scope = this.sources.find(({ id }) => id === skill?.source)?.scope;
        return skill && { ...skill, scope };
      },
    });
    this.sessions = deferred(async () => (await this.parts()).sessions);
    this.prompts = deferred(async () => (await this.parts()).prompts);
  }

  /** Where everything that outlives a process is kept. */
  get dataDirectory(): string {
    return join(this.config.home, ".repertoire");
  }

  /** The messages that a model wrote for skills. */
  get exampleMessagesPath(): string {
    return join(this.dataDirectory, "example-messages.jsonl");
  }

  /** The skills that matter for this turn, and why. */
  recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    return this.tracing.trace("recall", turn, () => this.sessions.recall(turn, request));
  }

  /** The text that an agent's prompt gets for this turn. */
  prompt(
    turn: Turn,
    options: PromptOptions = {},
    recall?: (request: RecallRequest) => Promise<RecallAnswer>,
  ): Promise<Prompt> {
    return this.tracing.trace("prompt", turn, () => this.prompts.prompt(turn, options, recall));
  }

  /** The cards of the skills that a session recalled lately, most relevant first. */
  workingMemory(session: string): ReturnType<TurnPrompt["workingMemory"]> {
    return this.prompts.workingMemory(session);
  }

  /** The recall index and its upkeep, opened by the first recall. */
  async indexing(): Promise<Indexing> {
    return (await this.parts()).indexing();
  }

  /** The rules of who may see what; needs no scan. */
  visibility(agent: string | undefined = this.config.agent): Visibility {
    const { enable, disable, agents } = this.config;
    const allowlist = agent === undefined ? undefined : agents[agent]?.skills;
    return new Visibility({ agent, allowlist, enable, disable, env: this.options.env ?? process.env });
  }

  /** What an agent may see of the library, without a scan as long as no folder above a skill has changed. */
  async view(agent?: string): Promise<LibraryView> {
    return new LibraryView(await this.reader.current(), this.visibility(agent));
  }

  private parts(): Promise<TurnParts> {
    this.opened ??= import("./turn-parts.ts").then(({ openTurnParts }) => openTurnParts(this));
    return this.opened;
  }
}
