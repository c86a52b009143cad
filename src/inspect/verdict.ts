// The verdict on a package: one word for all its findings.

import type { FindingSeverity, UnscannedFile, Verdict } from "./types.ts";

/** From best to worst. */
export const VERDICTS: readonly Verdict[] = ["clean", "notice", "unscanned", "suspicious", "dangerous"];

const OF_SEVERITY: Readonly<Record<FindingSeverity, Verdict>> = {
  low: "notice",
  medium: "suspicious",
  high: "dangerous",
};

/**
 * The verdict on findings and files that were not read.
 *
 * @example
 * verdictOf({ findings: [{ severity: "medium" }] }); // "suspicious"
 */
export function verdictOf(inspected: {
  readonly findings: readonly { readonly severity: FindingSeverity }[];
  readonly unscanned?: readonly UnscannedFile[] | undefined;
}): Verdict {
  let verdict: Verdict = (inspected.unscanned ?? []).length > 0 ? "unscanned" : "clean";
  for (const { severity } of inspected.findings) verdict = worseVerdict(verdict, OF_SEVERITY[severity]);
  return verdict;
}

export function worseVerdict(a: Verdict, b: Verdict): Verdict {
  return VERDICTS.indexOf(b) > VERDICTS.indexOf(a) ? b : a;
}
