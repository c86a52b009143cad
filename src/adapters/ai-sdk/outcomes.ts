// Records what a run shows by itself: the tokens of each step, and a failure if a skill's own tool ended in an error or the
// run was aborted. Only the host or the model reports success, and what they reported is not overruled.

import type { Outcome } from "../../engine/engine.ts";
import { messageOf, RepertoireError } from "../../model/errors.ts";
import type { SkillName } from "../../model/name.ts";
import type { RunWatcher } from "./middleware.ts";
import type { FinishedStep } from "./shapes.ts";
import type { SessionParts } from "./skill-tools.ts";

export interface ReportOptions {
  /** Only this skill; without it, every skill activated in the turn. */
  readonly skill?: string;
  readonly note?: string;
}

interface ToolPart {
  readonly type: string;
  readonly toolName: string;
  readonly input?: unknown;
}

export class Outcomes implements RunWatcher {
  private readonly parts: SessionParts;
  /** Skills whose last tool call of this run ended in an error, and which tool it was. */
  private readonly broken = new Map<SkillName, string>();
  private signal: AbortSignal | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.parts = parts;
  }

  /** Says how the turn ended, and names the skills that it counts for. The latest word holds. */
  async report(outcome: Outcome, options: ReportOptions = {}): Promise<readonly SkillName[]> {
    const tool = this.parts.offered.find(({ name }) => name === "report_outcome")!;
    const { text, data, isError } = await tool.run({ outcome, ...options });
    if (isError) throw new RepertoireError("outcome-not-reported", text, outcome);
    return (data as { readonly skills: readonly SkillName[] }).skills;
  }

  calling(signal: AbortSignal | undefined): void {
    this.signal = signal;
  }

  async stepFinished({ model, usage, content }: FinishedStep): Promise<void> {
    for (const part of content) await this.note(part as ToolPart);
    const { engine, session } = this.parts;
    const call = {
      model: `${model.provider}/${model.modelId}`,
      purpose: "agent",
      inputTokens: usage.inputTokens ?? 0,
      outputTokens: usage.outputTokens ?? 0,
    };
    await this.quietly(() => engine.journal.recordModelCall(call, { session }));
    // Aborted while a tool ran: there is no next call that would show it.
    if (this.signal?.aborted) await this.aborted();
  }

  async finished(): Promise<void> {
    const broken = [...this.broken];
    this.broken.clear();
    for (const [skill, tool] of broken)
      await this.unlessTold(
        () => this.report("failure", { skill, note: `${tool} ended in an error` }),
        skill,
      );
  }

  async aborted(): Promise<void> {
    this.broken.clear();
    await this.unlessTold(() => this.report("failure", { note: "the run was called off" }));
  }

  /** A later call that works makes up for an error. */
  private async note({ type, toolName, input }: ToolPart): Promise<void> {
    if (type !== "tool-error" && type !== "tool-result") return;
    const skill = await this.skillBehind(toolName, input);
    if (skill === undefined) return;
    if (type === "tool-error") this.broken.set(skill, toolName);
    else this.broken.delete(skill);
  }

  /** The skill whose own script or tool failed; a wrong argument or a declined consent counts against no skill. */
  private async skillBehind(toolName: string, input: unknown): Promise<SkillName | undefined> {
    const { engine, task } = this.parts;
    if (toolName === "run_skill_script") {
      const { name } = (input ?? {}) as { readonly name?: unknown };
      return typeof name === "string" ? (await engine.library.current()).find(name)?.name : undefined;
    }
    const tools = (await engine.tasks.registry(task)).list();
    return tools.find(({ name }) => name === toolName)?.skill as SkillName | undefined;
  }

  private async unlessTold(report: () => Promise<unknown>, skill?: SkillName): Promise<void> {
    this.last = this.last.then(() =>
      this.quietly(async () => {
        const { journal } = this.parts.engine;
        const { session } = this.parts;
        const { turn } = await journal.session(session);
        const told = { session, turn, skill, kinds: ["outcome"] as const, limit: 1 };
        if ((await journal.query(told)).length === 0) await report();
      }),
    );
    await this.last;
  }

  /** The journal must not fail a run that has done its work. */
  private async quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      process.emitWarning(`The run was not recorded: ${messageOf(error)}`, { code: "run-not-recorded" });
    }
  }
}
