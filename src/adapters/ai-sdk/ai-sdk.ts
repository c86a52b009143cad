// `repertoire/ai-sdk`: the engine for hosts that use the AI SDK, versions 6 and 7.

import type { Outcome, PromptOptions, Repertoire } from "../../engine/engine.ts";
import type { SkillName } from "../../model/name.ts";
import { middlewareFor, PromptSections, withSections } from "./middleware.ts";
import { Outcomes, type ReportOptions } from "./outcomes.ts";
import type { AiToolSet, FinishedStep, SectionMiddleware } from "./shapes.ts";
import { openSession, type SessionOptions } from "./skill-tools.ts";

export { type MiddlewareOptions, repertoireMiddleware } from "./middleware.ts";
export type { ReportOptions } from "./outcomes.ts";
export type { AiTool, AiToolSet, FinishedStep, SectionMiddleware } from "./shapes.ts";
export { repertoireTools, type SessionOptions, toAiTools } from "./skill-tools.ts";

export interface RepertoireOptions<HOST extends object = object> extends SessionOptions<HOST> {
  /** Style, budget and limits of the section; the configuration's unless given. */
  readonly prompt?: PromptOptions;
}

/** One session's part in the SDK's calls. The functions need no `this`. */
export interface RepertoireSession<HOST extends object = object> {
  readonly tools: AiToolSet & HOST;
  /** Adds the turn's section to the step's system prompt, and the tools of skills activated in the step before. */
  readonly prepareStep: <MODEL>(step: { readonly model: MODEL }) => { model: MODEL };
  /** Counts the step's tokens in the journal. */
  readonly onStepFinish: (step: FinishedStep) => Promise<void>;
  /** Reports a failure of the skills whose own tool or script ended in an error, and nothing else. */
  readonly onFinish: () => Promise<void>;
  /** For `streamText`: reports that the run was called off. */
  readonly onAbort: () => Promise<void>;
  /** The section for hosts without `prepareStep`; with both, it is still added once. */
  readonly middleware: SectionMiddleware;
  /** How the turn ended, for the skills activated in it; overrules what was reported before. */
  readonly report: (outcome: Outcome, options?: ReportOptions) => Promise<readonly SkillName[]>;
  /** Ends the task: its consents and private copies go. */
  readonly end: () => Promise<void>;
}

/**
 * Everything that a run of `generateText`, `streamText` or an agent needs: `{ tools, prepareStep, … }`.
 *
 * @example
 * import { withRepertoire } from "repertoire/ai-sdk";
 * const { tools, prepareStep, onFinish } = await withRepertoire(skills, { session: "s1" });
 */
export async function withRepertoire<HOST extends object = Record<never, never>>(
  engine: Repertoire,
  options: RepertoireOptions<HOST>,
): Promise<RepertoireSession<HOST>> {
  const parts = await openSession(engine, options);
  const sections = new PromptSections(engine, parts.session, options.prompt);
  const outcomes = new Outcomes(parts);
  return {
    tools: parts.tools as AiToolSet & HOST,
    prepareStep: ({ model }) => {
      parts.update();
      return { model: withSections(model, sections, outcomes) };
    },
    onStepFinish: (step) => outcomes.stepFinished(step),
    onFinish: () => outcomes.finished(),
    onAbort: () => outcomes.aborted(),
    middleware: middlewareFor(sections),
    report: (outcome, more) => outcomes.report(outcome, more),
    async end() {
      await engine.tasks.end(parts.task);
      parts.update();
    },
  };
}
