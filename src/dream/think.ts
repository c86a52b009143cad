// Owns asking a language model for a pass: one answer, one more with the complaint, then a named problem. The front door
// of the stage for whoever has a model. Does not own prompts, plans' judgement, or anything that is written.

import type { LanguageModel } from "../learn/learn.ts";
import { messageOf } from "../model/errors.ts";
import type { Pass } from "./changes.ts";
import { THINKING } from "./limits.ts";
import { type Plan, readPlan } from "./plan.ts";
import type { Prompt } from "./prompts.ts";

export interface PassReport {
  readonly pass: Pass;
  /** `planned`: there is a plan; `idle`: nothing to think about; `failed`: no usable answer. */
  readonly state: "planned" | "idle" | "failed";
  readonly note?: string;
  readonly code?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, where the price is known. */
  readonly cost?: number;
}

export interface Thought {
  readonly report: PassReport;
  readonly plan?: Plan;
}

/** Never throws for what a model does: a pass that fails is reported, and the next one still runs. */
export async function think(
  prompt: Prompt,
  model: LanguageModel,
  options: { readonly callMs?: number } = {},
): Promise<Thought> {
  const spent = { inputTokens: 0, outputTokens: 0, cost: undefined as number | undefined };
  if (prompt.idle !== undefined)
    return { report: { pass: prompt.pass, state: "idle", note: prompt.idle, ...used(spent) } };
  let problem = { code: "", message: "" };
  for (let attempt = 0; attempt < THINKING.tries; attempt++) {
    const complaint =
      problem.code === ""
        ? ""
        : `\n\nYour last answer could not be used: ${problem.message} Answer again, with the JSON object only.`;
    try {
      const answer = await within(options.callMs ?? THINKING.callMs, (signal) =>
        model.generate({
          purpose: `dream-${prompt.pass}`,
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
      if (result.ok)
        return { plan: result.plan, report: { pass: prompt.pass, state: "planned", ...used(spent) } };
      problem = result;
    } catch (error) {
      problem = { code: "model-failed", message: messageOf(error) };
      break;
    }
  }
  return {
    report: { pass: prompt.pass, state: "failed", code: problem.code, note: problem.message, ...used(spent) },
  };
}

function used({
  inputTokens,
  outputTokens,
  cost,
}: {
  inputTokens: number;
  outputTokens: number;
  cost: number | undefined;
}) {
  return { inputTokens, outputTokens, ...(cost !== undefined && { cost }) };
}

/** Ends the call at the limit even when the model does not listen to the signal. */
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
