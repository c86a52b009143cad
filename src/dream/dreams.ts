// Dreams: reports what the library lacks, proposes changes, applies accepted ones, and follows what became of them.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { writeFileAtomically } from "../disk/disk.ts";
import type { Attribution, LanguageModel } from "../learn/learn.ts";
import { inSlices } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import { readSkillText } from "../parse/parse.ts";
import {
  Acceptance,
  type AcceptanceNeeds,
  type Accepted,
  isSettings,
  type NextUndo,
  type UndoneChanges,
} from "./acceptance.ts";
import { PASSES, type Pass, splitPlan } from "./changes.ts";
import { asksOtherwise } from "./corrections.ts";
import { type DreamEvidence, evidenceSteps } from "./evidence.ts";
import { type DreamAccount, dreamAccount, type FollowUp, followUp } from "./follow-up.ts";
import type { Review } from "./gate.ts";
import {
  gatherMaterial,
  type Material,
  type MaterialNeeds,
  protectedBecause,
  recentSessions,
  visibleSkills,
} from "./material.ts";
import { readPlan } from "./plan.ts";
import { type DirectivePaths, type DreamPrompt, directiveFor, promptFor } from "./prompts.ts";
import type { CurrentSkills, ProposalRecord, ProposalState } from "./proposal.ts";
import { type DreamTurn, HISTORY_KINDS } from "./sessions.ts";
import {
  markStale,
  type ProposedChange,
  type Staged,
  type StagingNeeds,
  stage,
  wasUndone,
} from "./staging.ts";
import { declinedPart, type PassReport, think } from "./think.ts";
import { TrialLibrary, type TrialNeeds } from "./trial-library.ts";
import { type OtherText, WhatIf, type WhatIfReport } from "./what-if.ts";

/** What dreams take from outside: the library, recall, learned skills, a store, and settings. */
export interface DreamNeeds extends MaterialNeeds, TrialNeeds, StagingNeeds, AcceptanceNeeds, DirectivePaths {
  /** Brings the library up to date with its files. */
  readonly refresh: () => Promise<unknown>;
  readonly store: MaterialNeeds["store"] & AcceptanceNeeds["store"];
  /** The model that thinks; without one, rules alone make proposals. */
  readonly model?: (() => Promise<LanguageModel | undefined>) | undefined;
  /** Whether skills are written for requests that no skill answers; true by default. */
  readonly gaps?: boolean | undefined;
  /** How long one answer of the model may take. */
  readonly callMs?: number | undefined;
}

export interface RunOptions {
  /** Accept at once what guard and gate let through. */
  readonly apply?: boolean;
  /** Also if nothing is new. */
  readonly force?: boolean;
  readonly onPass?: (report: PassReport) => void;
}

export interface DreamResult extends Staged {
  /** Why nothing was done. */
  readonly skipped?: string;
  readonly thinking: "model" | "rules" | "handoff";
  readonly evidence: DreamEvidence;
  readonly passes: readonly PassReport[];
  readonly applied?: Accepted;
}

/** A hash of what the last dream saw, so that the same is not thought about twice. */
const INPUTS = "dream.inputs";
/** Prompts for agents, below the data folder. */
const HANDOFF = "dream";

/**
 * What the library should learn from what happened.
 *
 * @example
 * const { proposals } = await skills.dreams.run();
 * await skills.dreams.accept(proposals);
 */
export class Dreams {
  private readonly needs: DreamNeeds;
  private readonly acceptance: Acceptance;
  private readonly passes: readonly Pass[];
  private readonly trying: WhatIf;

  constructor(needs: DreamNeeds) {
    this.needs = needs;
    this.acceptance = new Acceptance(needs);
    this.trying = new WhatIf(needs);
    this.passes = PASSES.filter((pass) => pass !== "gap" || needs.gaps !== false);
  }

  /**
   * Says what happened and what the library lacks, without a model. Changes nothing.
   *
   * @example const { gaps, atRisk } = await skills.dreams.report();
   */
  async report(): Promise<DreamEvidence> {
    return (await this.review()).evidence;
  }

  /**
   * Runs the whole cycle: evidence, passes, guard, gate, proposals. With `apply`, all open proposals are accepted at
   * once as one batch.
   *
   * @example const { proposals, declined } = await skills.dreams.run({ force: true });
   */
  async run(options: RunOptions = {}): Promise<DreamResult> {
    const review = await this.review();
    const { evidence } = review;
    const model = await this.needs.model?.();
    const thinking = model ? "model" : "rules";
    const { meta, proposals } = this.needs.store;
    const inputs = await this.inputsHash(review.material, model?.id ?? "rules");
    if (!options.force && (await meta.get(INPUTS)) === inputs) {
      const skipped = "nothing has happened and no skill has changed since the last dream";
      return { skipped, thinking, evidence, passes: [], proposals: [], declined: [], known: [] };
    }
    const { onPass } = options;
    const { callMs } = this.needs;
    const thought = await think(review, model, { passes: this.passes, paths: this.needs, callMs, onPass });
    const verdict = await stage(thought.proposed, review, this.needs);
    const { passes } = thought;
    if (!passes.some(({ state }) => state === "failed")) await meta.set(INPUTS, inputs);
    const declined = [...thought.declined, ...verdict.declined];
    const result = { ...verdict, declined, thinking, evidence, passes } as const;
    if (!options.apply) return result;
    // A person decides one by one what is switched off.
    const open = (await proposals.list({ state: "open" })).filter(({ payload }) => !isSettings(payload));
    const applied = await this.acceptance.accept(open, model ? await this.upToDate(review) : review);
    return { ...result, applied };
  }

  /**
   * The prompts of the passes, for an agent that thinks instead of a configured model.
   *
   * @example const [gap] = await skills.dreams.prompts();
   */
  async prompts(): Promise<DreamPrompt[]> {
    const review = await this.review();
    return this.passes.map((pass) =>
      promptFor(pass, directiveFor(pass, this.needs), { ...review, proposed: [] }),
    );
  }

  /**
   * Writes the prompts as files for an agent to read.
   *
   * @example for (const { path } of await skills.dreams.prepare()) console.log(path);
   */
  async prepare(): Promise<{ pass: Pass; path: string; tokens: number; idle?: string | undefined }[]> {
    const folder = join(this.needs.folder, HANDOFF);
    return (await this.prompts()).map(({ pass, system, prompt, tokens, idle }, at) => {
      const path = join(folder, `${at + 1}-${pass}.md`);
      const answer = join(folder, `${pass}.json`);
      const task = `Write your answer to ${answer}, then run: repertoire dream submit ${answer}`;
      writeFileAtomically(path, `${system}\n\n${prompt}\n\n${task}\n`, { sync: false });
      return { pass, path, tokens, idle };
    });
  }

  /**
   * Takes an agent's plan. Guard and gate judge it like a model's.
   *
   * @example const { proposals } = await skills.dreams.submit('{"toSave": [], "toDelete": []}', { pass: "gap" });
   */
  async submit(
    answer: string,
    options: { readonly pass?: Pass; readonly apply?: boolean } = {},
  ): Promise<DreamResult> {
    const read = readPlan(answer);
    if (!read.ok)
      throw new RepertoireError(read.code, `${read.message} Nothing was proposed.`, answer.slice(0, 80));
    const { pass = "consolidate" } = options;
    const review = await this.review();
    const { changes, refusals } = splitPlan(read.plan, pass, review.material);
    const proposed = changes.map((change): ProposedChange => ({ change, by: "handoff" }));
    const verdict = await stage(proposed, review, this.needs);
    const declined = [...refusals.map((refusal) => declinedPart(pass, refusal)), ...verdict.declined];
    const { evidence } = review;
    const result = { ...verdict, declined, thinking: "handoff", evidence, passes: [] } as const;
    if (!options.apply || verdict.proposals.length === 0) return result;
    return { ...result, applied: await this.acceptance.accept(verdict.proposals, review) };
  }

  /**
   * Proposals, newest last. Open ones whose skills have changed are marked stale first.
   *
   * @example const open = await skills.dreams.proposals("open");
   */
  async proposals(state?: ProposalState): Promise<readonly ProposalRecord[]> {
    await this.recover();
    const { proposals } = this.needs.store;
    if ((await proposals.list({ state: "open" })).length > 0) {
      await this.needs.refresh();
      await markStale(await this.currentSkills(), this.needs);
    }
    const records = await this.records(state === "undone" ? "accepted" : state);
    return state === undefined ? records : records.filter((record) => record.state === state);
  }

  /**
   * One proposal by its number.
   *
   * @example const { title, state } = await skills.dreams.proposal(3);
   */
  async proposal(number: number): Promise<ProposalRecord> {
    const record = (await this.proposals()).find((each) => each.number === number);
    return record ?? this.acceptance.notOpen(number);
  }

  /**
   * Applies open proposals as one batch, after guard and gate have judged them once more.
   *
   * @example const { accepted, batch } = await skills.dreams.accept([1, 2]);
   */
  async accept(which: readonly (number | Pick<ProposalRecord, "number">)[] | "all"): Promise<Accepted> {
    await this.recover();
    const open = await this.needs.store.proposals.list({ state: "open" });
    const numbers =
      which === "all"
        ? open.map(({ number }) => number)
        : which.map((each) => (typeof each === "number" ? each : each.number));
    const chosen: ProposalRecord[] = [];
    for (const number of new Set(numbers))
      chosen.push(open.find((each) => each.number === number) ?? (await this.acceptance.notOpen(number)));
    if (chosen.length === 0) return { accepted: [], declined: [] };
    return this.acceptance.accept(chosen, await this.review());
  }

  /**
   * Turns a proposal down; it is not proposed again as it is.
   *
   * @example await skills.dreams.reject(3, "we need both");
   */
  async reject(number: number, note?: string): Promise<ProposalRecord> {
    await this.recover();
    return this.acceptance.reject(number, note);
  }

  /**
   * Takes back a batch of accepted proposals, settings included; another target as `skills.learned.undo` does.
   *
   * @example
   * const { batch } = await skills.dreams.accept([1, 2]);
   * const { undone, settings } = await skills.dreams.undo(batch);
   */
  async undo(target?: string, by?: Attribution): Promise<UndoneChanges> {
    await this.recover();
    return this.acceptance.undo(target, by);
  }

  /**
   * What `undo` would take back now.
   *
   * @example
   * const { versions, settings } = await skills.dreams.nextUndo();
   */
  async nextUndo(target?: string): Promise<NextUndo> {
    await this.recover();
    return this.acceptance.nextUndo(target);
  }

  /**
   * Which stored messages would lead elsewhere if a skill had another description or other instructions. Changes nothing.
   *
   * @example
   * const { moved } = await skills.dreams.whatIf("plan-meeting", { description: "Plans meetings. Use for dates." });
   */
  async whatIf(name: string, text: OtherText): Promise<WhatIfReport> {
    return this.trying.ask(name, text);
  }

  /**
   * The turns of the last month that look bad, newest first: corrected, failed, or with a message that recalled nothing.
   *
   * @example
   * const [worst] = await skills.dreams.turnsToReview({ limit: 20 });
   */
  async turnsToReview({ limit }: { readonly limit: number }): Promise<readonly DreamTurn[]> {
    const turns = (await recentSessions(this.needs)).flatMap((session) => session.turns);
    // A correction recalls nothing because it is one; the turn that it corrects is listed.
    const isMissed = ({ recalled, used, message }: DreamTurn) =>
      recalled?.length === 0 && used.length === 0 && !asksOtherwise(message);
    const bad = turns.filter((turn) => turn.endedBadly || isMissed(turn));
    return bad.sort((one, other) => other.at - one.at).slice(0, limit);
  }

  /**
   * How the skills did before and after accepted proposals.
   *
   * @example const worse = (await skills.dreams.followUp()).filter(({ worse }) => worse);
   */
  async followUp(): Promise<FollowUp[]> {
    const { proposals, journal } = this.needs.store;
    const { skills } = await this.needs.library();
    const live = new Map([...skills.values()].map(({ name, digest }) => [name, digest]));
    return followUp(await proposals.list({ state: "accepted" }), await journal.tallies(), live);
  }

  /**
   * How many proposals were accepted, and which of them made a skill worse.
   *
   * @example const { acceptanceRate, regressions } = await skills.dreams.account();
   */
  async account(): Promise<DreamAccount> {
    return dreamAccount(await this.records(), await this.followUp());
  }

  /**
   * Settles what a crash left. Other methods that need it do so themselves.
   *
   * @example await skills.dreams.recover();
   */
  async recover(): Promise<void> {
    await this.acceptance.recover();
  }

  /** The stored proposals; accepted ones whose change was taken back are undone. */
  private async records(state?: ProposalState): Promise<ProposalRecord[]> {
    const { store } = this.needs;
    const records: ProposalRecord[] = [];
    for (const record of await store.proposals.list({ state }))
      records.push((await wasUndone(record, store)) ? { ...record, state: "undone" } : record);
    return records;
  }

  private async review(): Promise<Review> {
    await this.recover();
    await this.needs.refresh();
    const material = await gatherMaterial(this.needs);
    const evidence = await inSlices(evidenceSteps(material));
    return { material, evidence, trial: new TrialLibrary(material, this.needs) };
  }

  private async currentSkills(): Promise<CurrentSkills> {
    const byName = await visibleSkills(this.needs);
    return {
      byName,
      contentOf: async (name) => {
        const skill = byName.get(name);
        if (!skill) return undefined;
        const { body } = readSkillText(await this.needs.readSkill(skill), skill.path);
        const history = await this.needs.store.versions.list({ name });
        const editable = protectedBecause(skill, history, this.needs) === undefined;
        return { description: skill.manifest.description, body, editable };
      },
    };
  }

  /** The review, or a new one if the library has changed, for example while a model was thinking. */
  private async upToDate(review: Review): Promise<Review> {
    await this.needs.refresh();
    const skills = await visibleSkills(this.needs);
    const { byName } = review.material;
    const isCurrent =
      skills.size === byName.size &&
      [...skills].every(([name, { digest }]) => byName.get(name)?.digest === digest);
    return isCurrent ? review : this.review();
  }

  private async inputsHash({ skills, prefixes }: Material, thinker: string): Promise<string> {
    const { store } = this.needs;
    // One kind at a time, because the last event of one kind is found at once in a journal of any size.
    const lasts = await Promise.all(
      HISTORY_KINDS.map((kind) => store.journal.query({ kinds: [kind], newestFirst: true, limit: 1 })),
    );
    const [version] = await store.versions.list({ limit: 1 });
    const facts = {
      thinker,
      prefixes,
      last: Math.max(0, ...lasts.flat().map(({ seq }) => seq)),
      // An undo brings back the skills that the last dream saw, and yet something has happened.
      version: version?.id,
      directives: this.passes.map((pass) => directiveFor(pass, this.needs)),
      skills: skills.map(({ name, digest, editable }) => [name, digest, editable]).sort(),
    };
    return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  }
}
