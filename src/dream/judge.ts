// Owns the way of a change from thought to proposal: known already? guard, cap, gate, stage. Composes the dream stage
// with inspection, rehearsal and the store's proposals. Changes no skill.

import { inspectPackage } from "../inspect/inspect.ts";
import { checkConformance } from "../learn/learn.ts";
import type { Clock } from "../model/clock.ts";
import { isRepertoireError } from "../model/errors.ts";
import { readSkillText } from "../parse/parse.ts";
import type { Store } from "../stores/stores.ts";
import { type Change, type Pass, type ReadContent, type Refusal, refuse, splitPlan } from "./changes.ts";
import type { Evidence } from "./evidence.ts";
import { type GateResult, gate, messagesToTry } from "./gate.ts";
import type { Gathered } from "./gather.ts";
import { capOf, type GuardSettings, guard, underCap } from "./guard.ts";
import type { Plan } from "./plan.ts";
import { basisOf, changeHash, isStale, titleOf, toNewProposal } from "./proposal.ts";
import type { ProposalRecord } from "./proposal-store.ts";
import { reasonsFor } from "./reasons.ts";
import { diffOf, type Rehearsal, textAfter } from "./trial-library.ts";

export interface Thoughtful {
  readonly change: Change;
  /** Who thought of it: `rules`, a model's id, `handoff`. */
  readonly by: string;
  readonly cost?: number;
}

/** A change that was not proposed, with every reason. */
export interface Declined {
  readonly title: string;
  readonly pass: Pass;
  readonly refusals: readonly Refusal[];
}

export interface Verdict {
  readonly staged: readonly ProposalRecord[];
  readonly declined: readonly Declined[];
  /** Changes that were proposed before: still open, or decided. */
  readonly known: readonly ProposalRecord[];
}

export interface JudgeParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly rehearsal: Rehearsal;
  readonly limits: GuardSettings;
}

/** Reads a plan into changes; content that is no skill is refused by name. */
export function changesFrom(
  plan: Plan,
  pass: Pass,
  { byName }: Gathered,
): { changes: Change[]; refusals: Refusal[] } {
  return splitPlan(plan, { pass, skills: byName, read: readContent });
}

/** Everything that speaks against a change before any message is tried. */
export function objections(change: Change, material: Gathered): Refusal[] {
  const refusals = guard(change, { material, skills: material.byName, inspect: dangersIn });
  if (refusals.length > 0 || !change.save) return refusals;
  try {
    const { name } = change.save;
    checkConformance(textAfter(change.save, material.byName.get(name)), `${name}/SKILL.md`);
    return [];
  } catch (error) {
    if (!isRepertoireError(error)) throw error;
    return [refuse(error.code, error.message, [change.save.name])];
  }
}

export class Judge {
  private readonly parts: JudgeParts;

  constructor(parts: JudgeParts) {
    this.parts = parts;
  }

  async judge(thoughts: readonly Thoughtful[], material: Gathered, evidence: Evidence): Promise<Verdict> {
    await this.markStale(material);
    const declined: Declined[] = [];
    const decline = (change: Change, refusals: readonly Refusal[]) =>
      declined.push({ title: titleOf(change), pass: change.pass, refusals });
    const { fresh, known } = await this.unknown(thoughts);
    const sound = fresh.filter(({ change }) => {
      const refusals = objections(change, material);
      if (refusals.length > 0) decline(change, refusals);
      return refusals.length === 0;
    });
    const { kept, refused } = underCap(sound, capOf(material.skills.length, this.parts.limits));
    for (const { item, refusal } of refused) decline(item.change, [refusal]);
    const staged: ProposalRecord[] = [];
    for (const { thought, result } of await this.gated(kept, material, evidence)) {
      if (result.refusals.length > 0) decline(thought.change, result.refusals);
      else staged.push(await this.stage(thought, result, { material, evidence }));
    }
    return { staged, declined, known };
  }

  /** Open proposals whose skills have changed since are no longer offered. */
  async markStale({ byName }: Gathered): Promise<ProposalRecord[]> {
    const { proposals } = this.parts.store;
    const stale = (await proposals.list({ state: "open" })).filter((record) => isStale(record, byName));
    const at = this.parts.clock.now().getTime();
    for (const { number } of stale)
      await proposals.decide(number, { state: "stale", at, note: "what it would change has changed since" });
    return stale;
  }

  /** Each change is tried by itself against the library as it is. */
  async gated(
    thoughts: readonly Thoughtful[],
    material: Gathered,
    evidence: Evidence,
  ): Promise<{ thought: Thoughtful; result: GateResult }[]> {
    if (thoughts.length === 0) return [];
    const copy = await this.parts.rehearsal.copy(material);
    await copy.baseline(new Set(thoughts.flatMap(({ change }) => messagesToTry(change, material, evidence))));
    const results: { thought: Thoughtful; result: GateResult }[] = [];
    for (const thought of thoughts) {
      const { change } = thought;
      const takeBack = await copy.apply(change);
      const { before, after } = copy;
      results.push({ thought, result: await gate({ change, material, evidence, before, after }) });
      await takeBack();
    }
    return results;
  }

  private async unknown(thoughts: readonly Thoughtful[]) {
    const fresh: Thoughtful[] = [];
    const known: ProposalRecord[] = [];
    const seen = new Set<string>();
    for (const thought of thoughts) {
      const hash = changeHash(thought.change);
      const before = await this.parts.store.proposals.list({ changeHash: hash });
      const standing = before.find(({ state }) => state !== "stale");
      if (standing) known.push(standing);
      else if (!seen.has(hash)) fresh.push(thought);
      seen.add(hash);
    }
    return { fresh, known };
  }

  private async stage(
    { change, by, cost }: Thoughtful,
    { routes, tried }: GateResult,
    { material, evidence }: { material: Gathered; evidence: Evidence },
  ): Promise<ProposalRecord> {
    const reached = routes.map(({ message }) => message);
    const proposal = {
      change,
      evidence: reasonsFor(change, evidence, reached),
      diff: await diffOf(change, material),
      routes,
      tried,
      by,
      ...(cost !== undefined && { cost }),
      basis: basisOf(change, material.byName),
    };
    return this.parts.store.proposals.add(toNewProposal(proposal, this.parts.clock.now().getTime()));
  }
}

/** Front matter within front matter is a way to smuggle keys in. */
const LAYERS = 2;

function readContent(content: string): ReadContent | Refusal {
  try {
    let { front, body } = readSkillText(content, "SKILL.md");
    const { description } = front;
    for (let layer = 0; /^\s*---\s*\n/.test(body); layer++) {
      if (layer >= LAYERS)
        return refuse("front-matter-nested", "The content begins with front matter within front matter.", []);
      body = readSkillText(body, "SKILL.md").body;
    }
    return {
      body: body.trim(),
      ...(typeof description === "string" && description !== "" && { description }),
    };
  } catch (error) {
    if (!isRepertoireError(error)) throw error;
    return refuse(error.code, error.message, []);
  }
}

/** Nobody watches a dream write, so what a person may save with a warning is refused here, unless it was there before. */
function dangersIn(text: string, sources: readonly string[]): string[] {
  const findings = (content: string) =>
    inspectPackage([{ path: "SKILL.md", bytes: Buffer.from(content) }]).findings.filter(
      ({ severity }) => severity !== "low",
    );
  const before = new Set(sources.flatMap(findings).map(({ code }) => code));
  return findings(text)
    .filter(({ code, severity }) => severity === "high" || !before.has(code))
    .map(({ message }) => message);
}
