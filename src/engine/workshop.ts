// Wires what needs the store: tasks, learned skills, dreams, the journal, and the tools of a model.

import type { ConsentGate, Consents, SlashCommands } from "../activate/activate.ts";
import type { AgentEngine } from "../agent/agent.ts";
import { DISK, makePrivate, sweepAbandoned, sweepFolder } from "../disk/disk.ts";
import type { Dreams } from "../dream/dream.ts";
import { unlessAway } from "../fleet/fleet.ts";
import { Journal, useRecorder, withUsageFiles } from "../journal/journal.ts";
import { Enrichment, type LanguageModel, type LearnedSkills } from "../learn/learn.ts";
import { quiet } from "../library/library.ts";
import { codeOf, isRepertoireError } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import { countedModel, openModel, openStreamingModel, type StreamingModel } from "../models/models.ts";
import { ExampleMessages, RecallLearning } from "../recall/recall.ts";
import {
  observedStore,
  redactedStore,
  type StoreNews,
  sqliteStore,
  type Tidied,
  type TidyOptions,
} from "../stores/stores.ts";
import type { Supplies } from "../supply/supply.ts";
import { tracedModel, tracedStore } from "../telemetry/telemetry.ts";
import { openDreams } from "./dream-part.ts";
import type { Fleet } from "./fleet-part.ts";
import { openLearned } from "./learned-part.ts";
import type { LibraryPart } from "./library-part.ts";
import { openSupply } from "./supply-part.ts";
import { openTasks, type TaskPart } from "./task-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

export interface Workshop {
  readonly tasks: TaskPart;
  readonly consents: Consents;
  readonly gate: ConsentGate;
  readonly commands: SlashCommands;
  readonly learned: LearnedSkills;
  readonly dreams: Dreams;
  readonly enrichment: Enrichment;
  readonly journal: Journal;
  readonly supply: Supplies;
  /** What the tools of a model need. */
  readonly agent: AgentEngine;
  /** The configured language model for answers that are shown while they come, or another one of the same server. */
  streamingModel(name?: string): StreamingModel | undefined;
  /** Imports what hooks left, and removes what is older than it is kept. */
  tidy(options?: TidyOptions): Promise<readonly Tidied[]>;
  /** Waits for work in the background, then closes the store. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** When the store was last tidied. */
const TIDIED = "tidied";
/** How often a process that lives on looks whether a day is over. */
const LOOK_MS = 60 * 60 * 1000;

/** In the folder of the state, but not state: skills, which may be linked from elsewhere, and the copies that tasks work with. */
const NOT_STATE: readonly string[] = ["skills", "private"];

export async function openWorkshop(
  turns: TurnEngine,
  library: LibraryPart,
  onNews: (news: StoreNews) => void,
  fleet?: Fleet | undefined,
): Promise<Workshop> {
  const { clock, config, options, tracing } = turns;
  const { host } = options;
  const { agent } = config;
  const now = () => clock.now().getTime();
  const kept =
    options.store ??
    fleet?.store ??
    sqliteStore({
      directory: turns.dataDirectory,
      clock,
      keep: config.retention,
      onRebuild: (rebuild) => process.emitWarning(JSON.stringify(rebuild), { code: "store-rebuilt" }),
    });
  if (options.store === undefined) makePrivate(turns.dataDirectory, NOT_STATE);
  const store = tracedStore(observedStore(redactedStore(kept), onNews), tracing);
  const parts = { env: options.env ?? process.env, journal: store.journal, now };
  const model = async (): Promise<LanguageModel | undefined> => {
    const opened = options.model
      ? countedModel(options.model, parts.journal, parts.now)
      : openModel(config.model, parts);
    return opened && tracedModel(opened, tracing);
  };
  const thinking = options.model || config.model.kind !== "none" ? { model } : {};
  const engine = { turns, library };
  const learned = openLearned(engine, store, thinking);
  const recordUse = useRecorder({ sessions: store.sessions, journal: store.journal, now, agent, host });
  const record = config.usageDir === undefined ? recordUse : withUsageFiles(config.usageDir, recordUse, now);
  const { tasks, commands, close: closeTasks } = openTasks({ ...engine, store, learned, record });
  const isAllowed = (skill: Skill) => !skill.withheld && tasks.gate.allows(tasks.consents.subject(skill));
  const dreams = openDreams(engine, { store, learned, isAllowed, dreaming: store.dreaming, ...thinking });
  const enrichment = new Enrichment({
    skills: async (who) => (await library.view(who)).visible(),
    body: (skill) => turns.reader.body(skill),
    agreed: (names) => tasks.gate.bodies(names),
    examples: new ExampleMessages(turns.exampleMessagesPath),
    prices: { in: config.model.priceIn, out: config.model.priceOut },
    index: () => library.index({ encode: 0 }),
    ...thinking,
  });
  const journal = new Journal({
    journal: store.journal,
    conversation: store.conversation,
    sessions: store.sessions,
    find: (name, who) => library.find(name, "model", who),
    currentName: (name) => learned.currentName(name),
    requireSkill: (name) => library.named(name),
    learning: new RecallLearning({
      remembered: store.remembered,
      journal: store.journal,
      conversation: store.conversation,
      sessions: store.sessions,
      reading: async () => (await turns.indexing()).settings,
      isOn: () => turns.config.recall.learn,
    }),
    now,
    agent,
    host,
  });
  const sweepCaches = (options: TidyOptions = {}): Tidied => ({
    rule: "caches",
    ...sweepFolder(config.cacheDir, { ...options, before: now() - config.retention.caches * DAY_MS }),
  });
  /** Nobody has to think of it: whoever is the first of a day tidies when it has done its work, and a server in between. */
  const tidyOnceADay = async () => {
    try {
      const last = Number((await store.meta.get(TIDIED)) ?? 0);
      if (Math.abs(now() - last) < DAY_MS) return;
      await store.meta.set(TIDIED, String(now()));
      await Promise.resolve(store.tidy()).catch(async (thrown: unknown) => {
        await store.meta.set(TIDIED, String(last));
        throw thrown;
      });
      sweepCaches();
    } catch (thrown) {
      // What was asked for is done and kept. The next process tidies, or meets the same problem and tells it.
      if (!isRepertoireError(thrown) && codeOf(thrown) === "") throw thrown;
    }
  };
  const settle = async () => {
    if (config.cacheDir !== undefined) sweepAbandoned(DISK, config.cacheDir);
    // Hooks may have left much since the last process: nobody waits for it in one piece.
    await store.catchUp(() => quiet());
    // A dream that a crash cut short is settled before anything else happens.
    await dreams.recover();
  };
  await (fleet ? fleet.whenConnected(settle) : settle());
  let tidying: Promise<unknown> = Promise.resolve();
  const looking = setInterval(() => {
    tidying = unlessAway(tidyOnceADay);
  }, LOOK_MS).unref();
  return {
    tasks,
    consents: tasks.consents,
    gate: tasks.gate,
    commands,
    learned,
    dreams,
    enrichment,
    journal,
    supply: openSupply(engine, learned),
    agent: {
      aliases: config.tools.aliases,
      serve: config.tools.serve,
      tasks,
      learned,
      dreams,
      enrichment,
      view: (who) => turns.view(who),
      recall: ({ beginsTurn, message, limit }, context) =>
        turns.recall(
          { ...context, message },
          { byModel: beginsTurn ? "as-turn" : "in-turn", limit, agent: context.agent },
        ),
      reportOutcome: (report, actor) => journal.reportOutcome(report, actor),
      shouldHaveBeen: (correction, actor) => journal.shouldHaveBeen(correction, actor),
    },
    streamingModel: (name) =>
      openStreamingModel({ ...config.model, ...(name !== undefined && { name }) }, parts),
    tidy: async (options) => [...(await store.tidy(options)), sweepCaches(options)],
    async close() {
      clearInterval(looking);
      await tidying;
      await unlessAway(tidyOnceADay);
      await closeTasks();
      await learned.settled();
      await store.close();
    },
  };
}
