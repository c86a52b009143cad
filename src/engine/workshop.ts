// Owns what stands on the database: tasks, learned skills and dreams over one store, opened when first asked for.
// A recall needs none of it, so nothing here is loaded before somebody asks.

import type { SlashCommands } from "../activate/activate.ts";
import type { Dreams } from "../dream/dream.ts";
import { useRecorder } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import { Lessons } from "../learn/learn.ts";
import { countedModel, openModel } from "../models/models.ts";
import type { Store } from "../stores/stores.ts";
import { observedStore, type StoreNews, sqliteStore } from "../stores/stores.ts";
import { tracedModel, tracedStore } from "../telemetry/telemetry.ts";
import { openDreams } from "./dream-part.ts";
import type { Repertoire } from "./engine.ts";
import { openLearned } from "./learned-part.ts";
import { openTasks, type TaskPart } from "./task-part.ts";

export interface Workshop {
  readonly store: Store;
  readonly tasks: TaskPart;
  readonly commands: SlashCommands;
  readonly learned: LearnedSkills;
  readonly dreams: Dreams;
  /** Calls back with what the store takes from this process, until the result is called. */
  onNews(listener: (news: StoreNews) => void): () => void;
  /** Waits for what goes on in the background, then closes the store. */
  close(): Promise<void>;
}

export function openWorkshop(engine: Repertoire): Workshop {
  const { clock, config, options } = engine;
  const { host } = options;
  const listeners = new Set<(news: StoreNews) => void>();
  const kept =
    options.store ??
    sqliteStore({
      directory: engine.dataDirectory,
      clock,
      onRebuild: (rebuild) => process.emitWarning(JSON.stringify(rebuild), { code: "store-rebuilt" }),
    });
  const observed = observedStore(kept, (news) => {
    for (const listener of listeners) listener(news);
  });
  const store = tracedStore(observed, engine.tracing);
  const env = options.env ?? process.env;
  const model = async (): Promise<LanguageModel | undefined> => {
    const parts = { env, journal: store.journal, now: () => clock.now().getTime() };
    const opened = options.model
      ? countedModel(options.model, parts.journal, parts.now)
      : openModel(config.model, parts);
    return opened && tracedModel(opened, engine.tracing);
  };
  const thinking = options.model || config.model.kind !== "none" ? { model } : {};
  const { prefixes, gaps, ...limits } = config.dream;
  const learned = openLearned(engine, store, thinking);
  const record = useRecorder({ ...store, now: () => clock.now().getTime(), agent: config.agent, host });
  const { tasks, commands } = openTasks(engine, { store, learned, record });
  return {
    store,
    tasks,
    commands,
    learned,
    dreams: openDreams(engine, { store, learned, ...thinking }),
    onNews(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await learned.settled();
      await store.close();
    },
  };
}
