// Connects the tools to the engine: everything that they need of it, and nothing else.

import type { TaskContext, Tasks } from "../activate/activate.ts";
import type { Dreams } from "../dream/dream.ts";
import type { Repertoire } from "../engine/engine.ts";
import type { Workshop } from "../engine/workshop.ts";
import type { Outcome } from "../journal/journal.ts";
import { eventOf, recordOutcome } from "../journal/journal.ts";
import type { LearnedSkills } from "../learn/learn.ts";
import type { LibraryView } from "../library/library.ts";
import type { AgentToolAlias } from "../model/agent-tool-alias.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { RecallAnswer } from "../recall/recall.ts";
import type { ActivatedSkills } from "../tools/tools.ts";

/** What the tools need of the engine. */
export interface AgentEngine {
  /** The configured other names of `activate_skill`. */
  readonly aliases: readonly AgentToolAlias[];
  readonly tasks: Pick<Tasks, "activate"> &
    Pick<ActivatedSkills, "tools" | "readFile" | "run" | "registry" | "call">;
  readonly learned: Pick<LearnedSkills, "save" | "delete" | "text">;
  readonly dreams: Pick<Dreams, "prompts" | "submit" | "proposals">;
  view(agent: string | undefined): LibraryView;
  recall(request: RecallByModel, context: TaskContext): Promise<RecallAnswer>;
  /** Records how a turn's work ended, for one skill or for all that were activated in the turn. */
  reportOutcome(report: OutcomeReport, context: TaskContext): Promise<readonly SkillName[]>;
}

export interface RecallByModel {
  readonly message: string;
  readonly limit?: number;
  readonly beginsTurn: boolean;
}

export interface OutcomeReport {
  readonly outcome: Outcome;
  readonly skill?: string;
  readonly note?: string;
}

export type EngineParts = Pick<Repertoire, "recall" | "view" | "clock" | "config">;
export type WorkshopParts = Pick<Workshop, "tasks" | "learned" | "dreams"> & {
  readonly store: Pick<Workshop["store"], "journal" | "sessions">;
};

export function connect(engine: EngineParts, { tasks, learned, dreams, store }: WorkshopParts): AgentEngine {
  const view = (agent: string | undefined) => engine.view(agent);
  return {
    aliases: engine.config.tools.aliases,
    tasks,
    learned,
    dreams,
    view,
    recall({ beginsTurn, message, ...limit }, { agent, session, host }) {
      return engine.recall(
        { message, ...(session !== undefined && { session }), ...(host !== undefined && { host }) },
        { asked: beginsTurn ? "as-turn" : "in-turn", ...limit, ...(agent !== undefined && { agent }) },
      );
    },
    async reportOutcome({ outcome, skill, ...note }, { agent, session, host }) {
      const turn = session === undefined ? undefined : (await store.sessions.read(session)).turn;
      const details = { result: outcome, ...note };
      const now = {
        at: engine.clock.now().getTime(),
        ...(session !== undefined && { session }),
        ...(turn !== undefined && { turn }),
        ...(agent !== undefined && { agent }),
        ...(host !== undefined && { host }),
      };
      if (skill !== undefined) {
        const { name, digest } = view(agent).require(skill, "model");
        await store.journal.append([eventOf(now, { kind: "outcome", skill: { name, digest }, details })]);
        return [name];
      }
      if (session === undefined || turn === undefined) throw noSession();
      return recordOutcome(store.journal, { ...now, session, turn }, details);
    },
  };
}

function noSession(): RepertoireError {
  return new RepertoireError(
    "no-session",
    "The host did not name the session, so the skills of this turn are unknown. Name the skill, or continue without reporting.",
  );
}
