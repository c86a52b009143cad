// What the tools of a model need of the engine, and nothing else.

import type { TaskContext, Tasks } from "../activate/activate.ts";
import type { Dreams } from "../dream/dream.ts";
import type { Actor, OutcomeReport } from "../journal/journal.ts";
import type { LearnedSkills } from "../learn/learn.ts";
import type { LibraryView } from "../library/library.ts";
import type { AgentToolAlias } from "../model/agent-tool-alias.ts";
import type { SkillName } from "../model/name.ts";
import type { RecallAnswer } from "../recall/recall.ts";
import type { ActivatedSkills, RegisteredTool } from "../tools/tools.ts";

export interface AgentEngine {
  /** The configured other names of `activate_skill`. */
  readonly aliases: readonly AgentToolAlias[];
  readonly tasks: Pick<Tasks, "activate"> &
    Pick<ActivatedSkills, "tools" | "readFile" | "run" | "call"> & {
      /** The tools that are loaded in a task so far. */
      registry(task: string): { list(): RegisteredTool[] };
    };
  readonly learned: Pick<LearnedSkills, "save" | "delete" | "currentName" | "text">;
  readonly dreams: Pick<Dreams, "prompts" | "submit" | "proposals">;
  view(agent: string | undefined): Promise<LibraryView>;
  recall(request: RecallByModel, context: TaskContext): Promise<RecallAnswer>;
  /** Records how a turn ended, for one skill or for all that were activated in the turn. */
  reportOutcome(report: OutcomeReport, actor: Actor): Promise<readonly SkillName[]>;
}

interface RecallByModel {
  readonly message: string;
  readonly limit?: number | undefined;
  readonly beginsTurn: boolean;
}
