// Owns the answers about dreams, proposals and evaluations as programs get them, for the command line and the HTTP API
// alike. Does not own how a person reads them.

import type { Dreams, RunOptions } from "../../dream/dream.ts";
import { type EvalReport, regressions } from "../../recall/recall.ts";

/** One dream, and which earlier changes have done worse since. */
export async function dreamAnswer(dreams: Dreams, options: RunOptions) {
  const result = await dreams.run(options);
  const { regressions: worse } = await dreams.account();
  return { result, answer: { ...result, regressions: worse } };
}

export async function proposalsAnswer(dreams: Dreams, all: boolean) {
  const proposals = await dreams.proposals(all ? undefined : "open");
  return { proposals, account: await dreams.account() };
}

export function evalAnswer(report: EvalReport, baseline?: EvalReport) {
  return { ...report, regressions: baseline ? regressions(report, baseline) : [] };
}
