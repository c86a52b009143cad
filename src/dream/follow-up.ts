// Compares the outcomes of skills before and after accepted proposals, and finds those that became clearly worse. Pure.

import type { Tally } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import { FOLLOW_UP } from "./limits.ts";
import type { ProposalRecord } from "./proposal.ts";
import { fromRecord } from "./proposal.ts";

export interface OutcomeRate {
  readonly successes: number;
  readonly failures: number;
  /** Smoothed share of successes, between 0 and 1; 0.5 if nothing is known. */
  readonly rate: number;
}

export interface FollowUp {
  readonly number: number;
  readonly title: string;
  readonly batch?: string | undefined;
  readonly before: OutcomeRate;
  readonly after: OutcomeRate;
  readonly worse: boolean;
}

export interface DreamAccount {
  readonly open: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly stale: number;
  /** Accepted, and then taken back. */
  readonly undone: number;
  /** Of the decided ones; undefined while none is. */
  readonly acceptanceRate?: number;
  readonly regressions: readonly FollowUp[];
}

/** `live` are the skills of the library now with their digests: an undone change is not followed. */
export function followUp(
  accepted: readonly ProposalRecord[],
  tallies: readonly Tally[],
  live: ReadonlyMap<SkillName, string>,
): FollowUp[] {
  return accepted.flatMap((record): FollowUp[] => {
    const { change, basis } = fromRecord(record);
    const into = change.save?.name ?? change.archives[0]?.into;
    if (into === undefined || !live.has(into) || change.archives.some(({ name }) => live.has(name)))
      return [];
    const old = Object.entries(basis).filter(([, digest]) => digest !== "");
    if (old.some(([name, digest]) => change.save?.name === name && live.get(name) === digest)) return [];
    const before = outcomesOf(
      tallies.filter(({ name, digest }) => old.some(([n, d]) => n === name && d === digest)),
    );
    const later = laterThan(basis[into], into, tallies);
    const after = outcomesOf(later);
    const enough = after.successes + after.failures >= FOLLOW_UP.outcomes;
    const { number, title, batch } = record;
    const worse = enough && after.rate < before.rate - FOLLOW_UP.drop;
    return [{ number, title, batch, before, after, worse }];
  });
}

/** The tallies of contents that came after the given one: not it, and not one of its ancestors. */
function laterThan(digest: string | undefined, name: SkillName, tallies: readonly Tally[]): Tally[] {
  const own = tallies.filter((tally) => tally.name === name);
  const parents = new Map(own.map((tally) => [tally.digest, tally.parent]));
  const earlier = new Set([""]);
  for (let at = digest; at && !earlier.has(at); at = parents.get(at)) earlier.add(at);
  return own.filter((tally) => !earlier.has(tally.digest));
}

function outcomesOf(tallies: readonly Tally[]): OutcomeRate {
  const successes = tallies.reduce((sum, tally) => sum + tally.successes, 0);
  const failures = tallies.reduce((sum, tally) => sum + tally.failures, 0);
  return { successes, failures, rate: (successes + 1) / (successes + failures + 2) };
}

export function dreamAccount(
  proposals: readonly ProposalRecord[],
  followed: readonly FollowUp[],
): DreamAccount {
  const count = (state: ProposalRecord["state"]) => proposals.filter((each) => each.state === state).length;
  const [accepted, undone, rejected] = [count("accepted"), count("undone"), count("rejected")];
  const decided = accepted + undone + rejected;
  return {
    open: count("open"),
    accepted,
    rejected,
    stale: count("stale"),
    undone,
    ...(decided > 0 && { acceptanceRate: accepted / decided }),
    regressions: followed.filter(({ worse }) => worse),
  };
}
