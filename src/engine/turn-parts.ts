// Recall and prompts of the turn engine, in a file of their own because most verbs of the command line need neither.

import type { ConsentGate } from "../activate/activate.ts";
import type { Config } from "../config/config.ts";
import { type BringTools, TurnPrompt } from "../disclose/disclose.ts";
import type { TurnStore } from "../journal/journal.ts";
import type { LibraryReader, LibraryView, Visibility } from "../library/library.ts";
import { configuredTools } from "../model/agent-tool-alias.ts";
import type { Clock } from "../model/clock.ts";
import type { Source } from "../model/source.ts";
import type { Turn } from "../model/turn.ts";
import {
  ExampleMessages,
  Indexing,
  type RecallAnswer,
  type RecallRequest,
  SessionRecall,
} from "../recall/recall.ts";
import { openMeaning } from "./meaning.ts";
import type { OpenOptions } from "./options.ts";

interface TurnPartsNeeds {
  readonly config: Config;
  readonly options: OpenOptions;
  readonly clock: Clock;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  readonly reader: LibraryReader;
  readonly store: TurnStore;
  readonly exampleMessagesPath: string;
  readonly bodies: ConsentGate["bodies"];
  readonly bringTools: BringTools;
  visibility(agent: string | undefined): Visibility;
  view(agent: string | undefined): Promise<LibraryView>;
  recall(turn: Turn, request: RecallRequest): Promise<RecallAnswer>;
}

export interface TurnParts {
  readonly sessions: SessionRecall;
  readonly prompts: TurnPrompt;
  /** The recall index and its upkeep, opened by the first call. */
  readonly indexing: () => Promise<Indexing>;
}

export function openTurnParts(needs: TurnPartsNeeds): TurnParts {
  const { config, options, sources, store, reader } = needs;
  const now = () => needs.clock.now().getTime();
  let opened: Promise<Indexing> | undefined;
  const indexing = () => {
    const { cacheDir } = config;
    const { onProgress, bodiesUpTo } = options;
    const examples = new ExampleMessages(needs.exampleMessagesPath);
    opened ??= openMeaning(config, options).then(
      (meaning) => new Indexing({ ...meaning, examples, library: reader, cacheDir, onProgress, bodiesUpTo }),
    );
    return opened;
  };
  const sessions = new SessionRecall({
    store,
    indexing,
    visibility: (agent) => needs.visibility(agent),
    sources,
    settings: config.recall,
    now,
    agent: config.agent,
    host: options.host,
  });
  const prompts = new TurnPrompt({
    recall: (turn, request) => needs.recall(turn, request ?? {}),
    sessions,
    store,
    withSkills: (agent, make) => reader.read((snapshot) => make(snapshot.visible(needs.visibility(agent)))),
    view: (agent) => needs.view(agent),
    bodies: (names, reading) => needs.bodies(names, reading),
    bringTools: (names, context) => needs.bringTools(names, context),
    settings: {
      style: config.style,
      context: config.context,
      order: config.recall.order,
      budget: config.budget,
      limit: config.recall.limit,
      tools: configuredTools(config.tools.serve),
    },
    now,
  });
  return { sessions, prompts, indexing };
}
