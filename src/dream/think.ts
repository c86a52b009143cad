// Finds changes: asks a language model pass by pass, then adds what rules suggest.

import type { LanguageModel } from "../learn/learn.ts";
import { messageOf } from "../model/errors.ts";
import { collide, type DreamChange, type Pass, splitPlan } from "./changes.ts";
import type { Review } from "./gate.ts";
import { THINKING } from "./limits.ts";
import { type Plan, readPlan } from "./plan.ts";
import { type DreamPrompt, directiveFor, promptFor } from "./prompts.ts";
import type { Declined, ProposedChange } from "./staging.ts";
import { suggest } from "./suggest.ts";

export interface PassReport {
  readonly pass: Pass;
  /** `planned`: there is a plan; `idle`: nothing to think about; `failed`: no usable answer. */
  readonly state: "planned" | "idle" | "failed";
  readonly note?: string;
  readonly code?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, if the price is known. */
  readonly cost?: number;
}

interface ThinkOptions {
  readonly passes: readonly Pass[];
  /** Holds a person's own directives. */
  readonly folder: string;
  /** How long one answer of the model may take. */
  readonly callMs?: number | undefined;
  readonly onPass?: ((report: PassReport) => void) | undefined;
}

/** Asks the model in each pass, if there is one, and shows it what the passes before propose; then applies the rules. */
export async function think(
  { material, evidence }: Pick<Review, "material" | "evidence">,
  model: LanguageModel | undefined,
  { passes, folder, callMs, onPass }: ThinkOptions,
): Promise<{ proposed: ProposedChange[]; declined: Declined[]; passes: PassReport[] }> {
  const proposed: ProposedChange[] = [];
  const declined: Declined[] = [];
  const reports: PassReport[] = [];
  for (const pass of model ? passes : []) {
    const input = { material, evidence, proposed: proposed.flatMap(({ change }) => newSkill(change)) };
    const prompt = promptFor(pass, directiveFor(pass, folder), input);
    const { plan, report } = await askModel(prompt, model!, callMs);
    reports.push(report);
    onPass?.(report);
    if (!plan) continue;
    const { changes, refusals } = splitPlan(plan, pass, material);
    declined.push(...refusals.map((refusal) => declinedPart(pass, refusal)));
    proposed.push(...changes.map((change) => ({ change, by: model!.id, cost: report.cost })));
  }
  const simple = suggest(evidence, material.byName).filter(
    (change) => !proposed.some((each) => collide(each.change, change)),
  );
  proposed.push(...simple.map((change) => ({ change, by: "rules" })));
  return { proposed, declined, passes: reports };
}

/** A part of a plan that could not be turned into a change. */
export function declinedPart(pass: Pass, refusal: Declined["refusals"][number]): Declined {
  return { title: refusal.names.join(", "), pass, refusals: [refusal] };
}

function newSkill({ kind, save }: DreamChange): { name: string; description: string }[] {
  if (kind !== "create" || !save) return [];
  return [{ name: save.name, description: save.description ?? save.summary ?? "" }];
}

/** One answer, and one more with the complaint. Never throws for what a model does: a failed pass is reported. */
async function askModel(
  prompt: DreamPrompt,
  model: LanguageModel,
  callMs: number = THINKING.callMs,
): Promise<{ report: PassReport; plan?: Plan }> {
  const { pass } = prompt;
  const spent: { inputTokens: number; outputTokens: number; cost?: number } = {
    inputTokens: 0,
    outputTokens: 0,
  };
  if (prompt.idle !== undefined) return { report: { pass, state: "idle", note: prompt.idle, ...spent } };
  let problem = { code: "", message: "" };
  for (let attempt = 0; attempt < THINKING.tries; attempt++) {
    const complaint =
      problem.code === ""
        ? ""
        : `\n\nYour last answer could not be used: ${problem.message} Answer again, with the JSON object only.`;
    try {
      const answer = await within(callMs, (signal) =>
        model.generate({
          purpose: `dream-${pass}`,
          system: prompt.system,
          prompt: prompt.prompt + complaint,
          maxTokens: THINKING.outputTokens,
          signal,
        }),
      );
      spent.inputTokens += answer.usage.inputTokens;
      spent.outputTokens += answer.usage.outputTokens;
      if (answer.cost !== undefined) spent.cost = (spent.cost ?? 0) + answer.cost;
      const result = readPlan(answer.text);
      if (result.ok) return { plan: result.plan, report: { pass, state: "planned", ...spent } };
      problem = result;
    } catch (error) {
      problem = { code: "model-failed", message: messageOf(error) };
      break;
    }
  }
  return { report: { pass, state: "failed", code: problem.code, note: problem.message, ...spent } };
}

/** Ends the call at the limit even if the model ignores the signal. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the model gave no whole answer within ${Math.round(ms / 1000)} s`));
      abort.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(abort.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}
