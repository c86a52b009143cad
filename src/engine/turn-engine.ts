// Wires what a turn needs: configuration, sources, visibility, the library's snapshot, the index and the session store.
// It scans and parses nothing by itself, so that a host's hook loads no more than this.

import { join } from "node:path";
import type { ConsentGate } from "../activate/activate.ts";
import { type Config, loadConfig } from "../config/config.ts";
import type { BringTools, Prompt, PromptOptions, TurnPrompt } from "../disclose/disclose.ts";
import {
  hostSkills,
  misnamedSources,
  type ProjectStanding,
  projectStanding,
  resolveSources,
  type SharedSource,
  sharedSources,
} from "../discover/discover.ts";
import { closeFolder } from "../disk/disk.ts";
import type { TurnStore } from "../journal/journal.ts";
import { asRequest, type LibraryReader, LibraryView, StoredLibrary, Visibility } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import type { SkillName } from "../model/name.ts";
import type { Source, SourceScope } from "../model/source.ts";
import type { Turn } from "../model/turn.ts";
import type { Indexing, RecallAnswer, RecallRequest, SessionRecall } from "../recall/recall.ts";
import { redactedTurns, TurnFiles } from "../stores/stores.ts";
import { Tracing } from "../telemetry/telemetry.ts";
import { type Deferred, deferred } from "./deferred.ts";
import type { OpenOptions } from "./options.ts";
import { packageRoot } from "./package-root.ts";
import type { TurnParts } from "./turn-parts.ts";

/** What a turn engine works on. */
interface TurnSources {
  /** Opens the library. */
  readonly openReader: (
    sources: readonly Source[],
    options: ConstructorParameters<typeof StoredLibrary>[1] & Pick<OpenOptions, "onProgress">,
  ) => LibraryReader;
  /** The instructions that a person agreed to, for styles that show them. */
  readonly bodies: ConsentGate["bodies"];
  /** Activates skills that a person has agreed to in a task, and returns the tools that they brought. */
  readonly bringTools: BringTools;
}

/** Answers from the snapshot and the index on disk; fails with `index-stale` if only a scan or the store can answer. */
export function openTurnEngine(options: OpenOptions = {}): TurnEngine {
  let reader: StoredLibrary | undefined;
  return new TurnEngine(options, {
    openReader: (sources, reading) => {
      reader = new StoredLibrary(sources, reading);
      return reader;
    },
    bodies: async () => {
      throw reader!.stale();
    },
    bringTools: async () => {
      throw reader!.stale();
    },
  });
}

export class TurnEngine {
  /** Replaced, never changed, when a person switches a skill. */
  config: Config;
  readonly options: OpenOptions;
  readonly clock: Clock;
  /** Where everything that outlives a process is kept. */
  readonly dataDirectory: string;
  /** Lowest precedence first; without those of a project that is not to be shown. */
  readonly sources: readonly Source[];
  /** The mirrors of the library that is shared with other machines; none without a shared database. */
  readonly shared: readonly SharedSource[];
  /** Those of a project that is not to be shown. */
  readonly hiddenSources: readonly Source[];
  /** Whether the project's skills are shown, and why. */
  readonly project: ProjectStanding;
  /** Rules of the skills that agents have switched off in their own settings. */
  private readonly disabledByHost: readonly string[];
  readonly reader: LibraryReader;
  readonly bodies: ConsentGate["bodies"];
  readonly bringTools: BringTools;
  readonly tracing: Tracing;
  readonly store: TurnStore;
  /** Recall in a session. */
  readonly sessions: Deferred<SessionRecall>;
  private readonly prompts: Deferred<TurnPrompt>;
  private opened: Promise<TurnParts> | undefined;

  constructor(options: OpenOptions, { openReader, bodies, bringTools }: TurnSources) {
    const config = loadConfig(options);
    this.config = config;
    this.options = options;
    this.clock = options.clock ?? { now: () => new Date() };
    const { home, dir: project, cacheDir } = config;
    this.dataDirectory = join(home, ".repertoire");
    const bundled = config.sources.bundled ? join(packageRoot(), "skills") : undefined;
    const hosts = hostSkills({ home, project, env: options.env ?? process.env });
    this.disabledByHost = hosts.disabled;
    const installed = hosts.folders;
    const { url, scope } = config.database;
    this.shared = url === undefined || options.store ? [] : sharedSources(this.dataDirectory, { url, scope });
    const sourceOptions = {
      home,
      shared: this.shared,
      project,
      learned: config.learnedDir,
      installed,
      ...config.sources,
      bundled,
    };
    const sources = resolveSources(sourceOptions);
    const isProject = ({ scope }: Source) => scope === "project";
    this.project = this.projectFor(options.host);
    this.hiddenSources = this.project.shown ? [] : sources.filter(isProject);
    this.sources = sources.filter((source) => !this.hiddenSources.includes(source));
    const findings = misnamedSources(sourceOptions, config.files.at(-1) ?? project);
    this.bodies = bodies;
    this.bringTools = bringTools;
    this.reader = openReader(this.sources, { cacheDir, findings, onProgress: options.onProgress });
    // Once others cannot enter, a file that an older version left open to them is out of reach.
    if (options.store === undefined) closeFolder(this.dataDirectory);
    const files = () => new TurnFiles({ directory: this.dataDirectory, clock: this.clock });
    this.store = redactedTurns(options.store ?? files());
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

  /** Where learned skills are kept if they are shared with other machines. */
  get mirror(): string | undefined {
    return this.shared.find(({ isOwn }) => isOwn)?.root;
  }

  /** The messages that a model wrote for skills. */
  get exampleMessagesPath(): string {
    return join(this.dataDirectory, "example-messages.jsonl");
  }

  /** The skills that matter for this turn, and why. */
  recall(turn: Turn, request: RecallRequest = {}): Promise<RecallAnswer> {
    return asRequest(() => this.tracing.trace("recall", turn, () => this.sessions.recall(turn, request)));
  }

  /** The text that an agent's prompt gets for this turn. */
  prompt(
    turn: Turn,
    options: PromptOptions = {},
    recall?: (request: RecallRequest) => Promise<RecallAnswer>,
  ): Promise<Prompt> {
    return asRequest(() =>
      this.tracing.trace("prompt", turn, () => this.prompts.prompt(turn, options, recall)),
    );
  }

  /** The cards of the skills that a session recalled lately: of the last turn, then the others, each most relevant first. */
  workingMemory(session: string): ReturnType<TurnPrompt["workingMemory"]> {
    return this.prompts.workingMemory(session);
  }

  /** The recall index and its upkeep, opened by the first recall. */
  async indexing(): Promise<Indexing> {
    return (await this.parts()).indexing();
  }

  /** Whether the project's skills are shown to this host, and why. */
  projectFor(host: string | undefined): ProjectStanding {
    const { dir: project, home, trust } = this.config;
    const env = this.options.env ?? process.env;
    return projectStanding({ mode: trust.projects, host, project, home, env });
  }

  /** The scope of a source, by its id. */
  scopeOf(source: string): SourceScope {
    return this.sources.find(({ id }) => id === source)?.scope ?? "custom";
  }

  /** The rules of who may see what; needs no scan. */
  visibility(agent: string | undefined = this.config.agent): Visibility {
    const { enable, disable, agents } = this.config;
    const allowlist = agent === undefined ? undefined : agents[agent]?.skills;
    const scopeOf = (source: string) => this.scopeOf(source);
    const env = this.options.env ?? process.env;
    const { disabledByHost } = this;
    return new Visibility({ agent, allowlist, enable, disable, disabledByHost, scopeOf, env });
  }

  /** Whether an agent (the configured one unless named) may save, change or delete a skill of this name. */
  mayWrite(agent: string | undefined, name: SkillName): boolean {
    const writer = agent ?? this.config.agent;
    const given = writer === undefined ? undefined : this.config.agents[writer]?.write;
    return this.visibility(writer).mayWrite(name, given);
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
