// Checks proposed changes with guard, cap and gate, and stages those that pass as proposals. Changes no skill.

import type { VersionRecord, VersionStore } from "../learn/learn.ts";
import { type DreamChange, type Pass, type Refusal, refuse } from "./changes.ts";
import { type GateResult, gate, prepareGate, type Review } from "./gate.ts";
import { capOf, type GuardSettings, guard, lossesOf, underCap } from "./guard.ts";
import type { CurrentSkills, MetaStore, ProposalRecord, ProposalStore } from "./proposal.ts";
import {
  basisOf,
  changeHash,
  isStale,
  reasonsFor,
  titleOf,
  toNewProposal,
  undoneSettings,
} from "./proposal.ts";

/** A change with its origin, before guard and gate have judged it. */
export interface ProposedChange {
  readonly change: DreamChange;
  /** Who thought of it: `rules`, a model's id, `handoff`. */
  readonly by: string;
  readonly cost?: number | undefined;
}

/** A change that was not proposed, with every reason. */
export interface Declined {
  readonly title: string;
  readonly pass: Pass;
  readonly refusals: readonly Refusal[];
}

export interface Staged {
  /** New proposals. */
  readonly proposals: readonly ProposalRecord[];
  readonly declined: readonly Declined[];
  /** Changes that were proposed before: still open, or decided. */
  readonly known: readonly ProposalRecord[];
}

export interface StagingNeeds {
  readonly store: {
    readonly proposals: ProposalStore;
    readonly versions: Pick<VersionStore, "list">;
    readonly meta: Pick<MetaStore, "get">;
  };
  readonly now: () => number;
  readonly limits?: GuardSettings | undefined;
}

/** Each change is tried by itself against the library as it is. */
export async function stage(
  proposed: readonly ProposedChange[],
  review: Review,
  needs: StagingNeeds,
): Promise<Staged> {
  const { material } = review;
  await markStale(material, needs);
  const declined: Declined[] = [];
  const decline = ({ change }: ProposedChange, refusals: readonly Refusal[]) =>
    declined.push({ title: titleOf(change), pass: change.pass, refusals });
  const { fresh, known } = await unknown(proposed, needs);
  const sound = fresh.filter((each) => {
    const refusals = guard(each.change, review);
    if (refusals.length > 0) decline(each, refusals);
    return refusals.length === 0;
  });
  const { kept, refused } = underCap(sound, capOf(material.skills.length, needs.limits));
  for (const { item, refusal } of refused) decline(item, [refusal]);
  await prepareGate(
    kept.map(({ change }) => change),
    review,
  );
  const proposals: ProposalRecord[] = [];
  for (const each of kept) {
    const result = await gate(each.change, review);
    if (result.refusals.length > 0) decline(each, result.refusals);
    else proposals.push(await add(each, result, { review, needs }));
  }
  return { proposals, declined, known };
}

/** Closes open proposals whose skills have changed since. */
export async function markStale(current: CurrentSkills, needs: StagingNeeds): Promise<void> {
  for (const record of await needs.store.proposals.list({ state: "open" }))
    if (await isStale(record, current)) await closeStale(record, needs);
}

/** Marks a proposal as stale and says so. */
export async function closeStale(
  { number }: ProposalRecord,
  { store, now }: { readonly store: Pick<StagingNeeds["store"], "proposals">; readonly now: () => number },
): Promise<Refusal> {
  const note = "what it would change has changed since";
  await store.proposals.decide(number, { state: "stale", at: now(), note });
  return refuse("stale", `Proposal ${number} is stale: ${note}. Run repertoire dream again.`, []);
}

/** Leaves out what was proposed before, unless that has become stale or was undone. */
async function unknown(proposed: readonly ProposedChange[], { store }: StagingNeeds) {
  const fresh: ProposedChange[] = [];
  const known: ProposalRecord[] = [];
  const seen = new Set<string>();
  for (const each of proposed) {
    const hash = changeHash(each.change);
    const before = await store.proposals.list({ changeHash: hash });
    let same: ProposalRecord | undefined;
    for (const record of before)
      if (record.state !== "stale" && !(await wasUndone(record, store))) same ??= record;
    if (same) known.push(same);
    else if (!seen.has(hash)) fresh.push(each);
    seen.add(hash);
  }
  return { fresh, known };
}

/** Whether somebody has undone what an accepted proposal changed, and has not made it again. */
export async function wasUndone(
  { number, state, batch }: ProposalRecord,
  { versions, meta }: Pick<StagingNeeds["store"], "versions" | "meta">,
): Promise<boolean> {
  if (state !== "accepted" || batch === undefined) return false;
  if ((await undoneSettings(meta)).includes(number)) return true;
  const made = await versions.list({ batch });
  const ids = new Set(made.map(({ id }) => id));
  for (const name of new Set(made.map((version) => version.name))) {
    const isOf = (data: VersionRecord["data"]) => ids.has(String(data?.undoes ?? data?.redoes));
    const newest = (await versions.list({ name })).find(({ data }) => isOf(data));
    if (newest?.data?.undoes !== undefined) return true;
  }
  return false;
}

async function add(
  { change, by, cost }: ProposedChange,
  { routes, tried }: GateResult,
  { review, needs }: { review: Review; needs: StagingNeeds },
): Promise<ProposalRecord> {
  const { material, evidence } = review;
  const reached = routes.map(({ message }) => message);
  const proposal = {
    change,
    evidence: reasonsFor(change, evidence, reached),
    diff: await review.trial.diff(change),
    lost: lossesOf(change, material),
    routes,
    tried,
    by,
    cost,
    basis: basisOf(change, material.byName),
  };
  return needs.store.proposals.add(await toNewProposal(proposal, { at: needs.now(), current: material }));
}
