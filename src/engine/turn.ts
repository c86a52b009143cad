// A turn as a host holds it: one recall, shared by its matches and its prompt.

import type { Prompt, PromptOptions } from "../disclose/disclose.ts";
import type { Journal, Outcome, OutcomeReport } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import type { Turn } from "../model/turn.ts";
import type { RecallAnswer, RecallRequest } from "../recall/recall.ts";
import type { Deferred } from "./deferred.ts";
import type { TurnEngine } from "./turn-engine.ts";

type JournalOfTurn = Pick<Deferred<Journal>, "reportOutcome" | "shouldHaveBeen">;

export class OpenTurn {
  readonly input: Turn;
  private readonly turns: TurnEngine;
  private readonly journal: JournalOfTurn;
  private recalled: Promise<RecallAnswer> | undefined;

  constructor(input: Turn, parts: { readonly turns: TurnEngine; readonly journal: JournalOfTurn }) {
    this.input = input;
    this.turns = parts.turns;
    this.journal = parts.journal;
  }

  /**
   * The skills that matter for this message, and why. The recall of a turn is made once, by the first call of `recall`
   * or `prompt`, with that call's options.
   *
   * @example
   * const { matches } = await skills.turn({ session: "s1", message: "extract the tables" }).recall({ limit: 3 });
   */
  recall(request: RecallRequest = {}): Promise<RecallAnswer> {
    this.recalled ??= this.turns.recall(this.input, request);
    return this.recalled;
  }

  /**
   * The text that the agent's prompt gets for this turn.
   *
   * @example
   * const { text } = await skills.turn({ session: "s1", message: "extract the tables" }).prompt();
   */
  prompt(options: PromptOptions = {}): Promise<Prompt> {
    return this.turns.prompt(this.input, options, (request) => this.recall(request));
  }

  /**
   * Records how this turn ended, also after later ones, and returns the skills it counts for: those activated in it.
   *
   * @example
   * await turn.outcome("success", { note: "all tables found" });
   */
  async outcome(outcome: Outcome, about: Omit<OutcomeReport, "outcome"> = {}): Promise<readonly SkillName[]> {
    const turn = (await this.recalled)?.turn;
    return this.journal.reportOutcome({ outcome, turn, ...about }, this.input);
  }

  /**
   * Records that this message should have led to another skill, and returns the skills that were taken for it. Recall
   * learns from it: the next message like this one finds that skill.
   *
   * @example
   * await turn.shouldHaveBeen("write-changelog");
   */
  async shouldHaveBeen(skill: string): Promise<readonly SkillName[]> {
    const { message } = this.input;
    return (await this.journal.shouldHaveBeen({ skill, message }, this.input)).insteadOf;
  }
}
