// What is wrong with the triggers of a library: patterns that can never match, and phrases that several skills declare, with
// the one that wins and why.

import { inSlices } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match } from "../model/turn.ts";
import { patternFindings, readyPatterns, sharedPhrases } from "./signals/triggers.ts";

const NUMBERS = {
  /** Skills that a finding names beside the first. */
  named: 5,
  /** Phrases whose winner is looked up; a library with more conflicts has a problem of another kind. */
  decided: 50,
} as const;

/** What a message recalls, best first. */
type RecallFor = (message: string) => Promise<readonly Pick<Match, "name" | "score">[]>;

/** Without `recallFor`, as for files that are in no library, a conflict names no winner. */
export async function triggerFindings(
  skills: readonly Skill[],
  recallFor?: RecallFor | undefined,
): Promise<Diagnostic[]> {
  await readyPatterns();
  const findings = await inSlices(patternFindings(skills));
  for (const [index, [phrase, claimants]] of [...sharedPhrases(skills)].entries()) {
    const matches = index < NUMBERS.decided ? await recallFor?.(phrase) : undefined;
    findings.push(conflict(phrase, claimants, matches && decision(claimants, matches)));
  }
  return findings;
}

/** Which of the skills a message that is nothing but the phrase recalls first, and why. */
function decision(claimants: readonly Skill[], matches: readonly Pick<Match, "name" | "score">[]): string {
  const names = new Set<SkillName>(claimants.map(({ name }) => name));
  const [first, second] = matches.filter(({ name }) => names.has(name));
  if (first === undefined) return "Alone it recalls none of them.";
  if (second === undefined) return `${first.name} wins: the others do not fit well enough.`;
  return first.score > second.score
    ? `${first.name} wins: its score is ${first.score.toFixed(3)}, that of ${second.name} ${second.score.toFixed(3)}.`
    : `${first.name} wins: the scores are equal, and then the later source, the more recent use, the name decide.`;
}

function conflict(phrase: string, claimants: readonly Skill[], decided: string | undefined): Diagnostic {
  const [first, ...others] = claimants;
  const names = others.slice(0, NUMBERS.named).map(({ name }) => name);
  const all = `${names.join(", ")}${others.length > NUMBERS.named ? " and more" : ""}`;
  const shared = `"${phrase}" is a trigger of ${first!.name} and of ${all}.`;
  return {
    code: "trigger-conflict",
    severity: "info",
    path: first!.path,
    message: decided === undefined ? shared : `${shared} ${decided}`,
    fix: "If the texts of the skills do not distinguish them, make one trigger more specific.",
  };
}
