// Owns the dream as a whole: report, run, hand over, take back, follow up. Composes the dream stage with the library,
// recall, learned skills and a store; no judgement of its own, and every change goes through `dreams/acceptance.ts`.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import type { LanguageModel, LearnedSkills } from "../learn/learn.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import type { Store } from "../stores/stores.ts";
import { Acceptance, type Accepted } from "./acceptance.ts";
import { collide, PASSES, type Pass } from "./changes.ts";
import { DIRECTIVE_FILES, DIRECTIVES } from "./directives.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import { accountOf, type DreamAccount, type FollowUp, followUp } from "./follow-up.ts";
import { type Gathered, gather, TELLING } from "./gather.ts";
import type { GuardSettings } from "./guard.ts";
import { changesFrom, type Declined, Judge, type Thoughtful, type Verdict } from "./judge.ts";
import { THINKING } from "./limits.ts";
import type { PrefixKind } from "./material.ts";
import { readPlan } from "./plan.ts";
import { type Prompt, promptFor } from "./prompts.ts";
import type { ProposalRecord, ProposalState } from "./proposal-store.ts";
import { suggest } from "./suggest.ts";
import { type PassReport, think } from "./think.ts";
import { Rehearsal } from "./trial-library.ts";

export { PASSES, type Pass } from "./changes.ts";
export type { Evidence } from "./evidence.ts";
export type { DreamAccount } from "./follow-up.ts";
export { fromRecord, type Proposal } from "./proposal.ts";
export { inSessions } from "./reasons.ts";

export interface DreamsOptions {
  /** Who thinks; without one, evidence and rules have to do. */
  readonly model?: () => Promise<LanguageModel | undefined>;
  readonly prefixes?: Readonly<Record<string, PrefixKind>>;
  readonly limits?: GuardSettings;
  /** Whether skills are written for requests that no skill answers; true unless given. */
  readonly gaps?: boolean;
  /** How long one answer of the model may take. */
  readonly callMs?: number;
}

export interface RunOptions {
  /** Accept at once what guard and gate let through. */
  readonly apply?: boolean;
  /** Also when nothing is new. */
  readonly force?: boolean;
  readonly onPass?: (report: PassReport) => void;
}

export interface DreamResult extends Verdict {
  /** Why nothing was done. */
  readonly skipped?: string;
  readonly thinking: "model" | "rules" | "handoff";
  readonly evidence: Evidence;
  readonly passes: readonly PassReport[];
  readonly applied?: Accepted;
}

/** What the last dream saw, so that the same is not thought twice. */
const INPUTS = "dream.inputs";
/** Below the data folder. */
const HANDOFF = "dream";

export class Dreams {
  private readonly engine: Repertoire;
  private readonly store: Store;
  private readonly options: DreamsOptions;
  private readonly rehearsal: Rehearsal;
  private readonly judge: Judge;
  private readonly acceptance: Acceptance;

  constructor(
    engine: Repertoire,
    parts: { store: Store; lessons: LearnedSkills },
    options: DreamsOptions = {},
  ) {
    const { store, lessons } = parts;
    const { clock } = engine;
    this.engine = engine;
    this.store = store;
    this.options = options;
    this.rehearsal = new Rehearsal(engine);
    this.judge = new Judge({ store, clock, rehearsal: this.rehearsal, limits: options.limits ?? {} });
    this.acceptance = new Acceptance({ store, lessons, clock, rehearsal: this.rehearsal });
  }

  /** What happened and what the library lacks, found without a model. Changes nothing. */
  async report(): Promise<Evidence> {
    return (await this.look()).evidence;
  }

  /** The whole cycle: evidence, passes, guard, gate, proposals; with `apply`, accepted at once as one batch. */
  run(options: RunOptions = {}): Promise<DreamResult> {
    return this.engine.tracing.trace("dream", options, () => this.cycle(options));
  }

  private async cycle(options: RunOptions): Promise<DreamResult> {
    const { material, evidence } = await this.look();
    const model = await this.options.model?.();
    const thinking = model ? "model" : "rules";
    const inputs = await this.inputsHash(material, model?.id ?? "rules");
    if (!options.force && (await this.store.meta.get(INPUTS)) === inputs) {
      const skipped = "nothing has happened and no skill has changed since the last dream";
      return { skipped, thinking, evidence, passes: [], staged: [], declined: [], known: [] };
    }
    const thought = await this.think(material, evidence, { model, onPass: options.onPass });
    const verdict = await this.judge.judge(thought.thoughts, material, evidence);
    const declined = [...thought.declined, ...verdict.declined];
    const failed = thought.passes.some(({ state }) => state === "failed");
    if (!failed) await this.store.meta.set(INPUTS, inputs);
    const applied = options.apply ? await this.accept("all") : undefined;
    return { ...verdict, declined, thinking, evidence, passes: thought.passes, ...(applied && { applied }) };
  }

  /** The prompts of the passes, for whoever wants to think instead of a configured model. */
  async prompts(): Promise<Prompt[]> {
    const { material, evidence } = await this.look();
    return this.passes.map((pass) => this.promptOf(pass, { material, evidence, proposed: [] }));
  }

  /** Writes the prompts as files that an agent can be pointed at. */
  async prepare(): Promise<{ pass: Pass; path: string; tokens: number; idle?: string }[]> {
    const folder = join(this.engine.dataDirectory, HANDOFF);
    mkdirSync(folder, { recursive: true });
    return (await this.prompts()).map(({ pass, system, prompt, tokens, idle }, at) => {
      const path = join(folder, `${at + 1}-${pass}.md`);
      const answer = join(folder, `${pass}.json`);
      const task = `Write your answer to ${answer}, then run: repertoire dream submit ${answer}`;
      writeFileSync(path, `${system}\n\n${prompt}\n\n${task}\n`);
      return { pass, path, tokens, ...(idle !== undefined && { idle }) };
    });
  }

  /** Takes a plan that somebody else thought of; it is held to the same guard and gate. */
  async submit(
    answer: string,
    options: { readonly pass?: Pass; readonly apply?: boolean } = {},
  ): Promise<DreamResult> {
    const read = readPlan(answer);
    if (!read.ok)
      throw new RepertoireError(read.code, `${read.message} Nothing was proposed.`, answer.slice(0, 80));
    const { material, evidence } = await this.look();
    const { changes, refusals } = changesFrom(read.plan, options.pass ?? "consolidate", material);
    const thoughts = changes.map((change): Thoughtful => ({ change, by: "handoff" }));
    const verdict = await this.judge.judge(thoughts, material, evidence);
    const declined = [
      ...refusals.map((refusal) => unplaced(options.pass ?? "consolidate", refusal)),
      ...verdict.declined,
    ];
    const applied =
      options.apply && verdict.staged.length > 0
        ? await this.accept(verdict.staged.map(({ number }) => number))
        : undefined;
    return { ...verdict, declined, thinking: "handoff", evidence, passes: [], ...(applied && { applied }) };
  }

  /** Proposals, newest last; open ones whose skills have changed are marked stale first. */
  async proposals(state?: ProposalState): Promise<readonly ProposalRecord[]> {
    await this.acceptance.recover();
    if ((await this.store.proposals.list({ state: "open" })).length > 0)
      await this.judge.markStale((await this.look()).material);
    return this.store.proposals.list(state === undefined ? {} : { state });
  }

  async proposal(number: number): Promise<ProposalRecord> {
    const record = (await this.proposals()).find((each) => each.number === number);
    return record ?? this.acceptance.notOpen(number);
  }

  /** Applies proposals as one batch, after guard and gate have looked once more. */
  async accept(which: readonly number[] | "all"): Promise<Accepted> {
    const { material, evidence } = await this.look();
    const open = await this.store.proposals.list({ state: "open" });
    if (which === "all") return this.acceptance.accept(open, material, evidence);
    const chosen: ProposalRecord[] = [];
    for (const number of new Set(which))
      chosen.push(open.find((each) => each.number === number) ?? (await this.acceptance.notOpen(number)));
    return this.acceptance.accept(chosen, material, evidence);
  }

  async reject(number: number, note?: string): Promise<ProposalRecord> {
    return this.acceptance.reject(number, note);
  }

  /** What became of accepted proposals. */
  async followUp(): Promise<FollowUp[]> {
    const accepted = await this.store.proposals.list({ state: "accepted" });
    const live = new Map([...this.engine.library.skills.values()].map(({ name, digest }) => [name, digest]));
    return followUp(accepted, await this.store.journal.tallies(), live);
  }

  /** Acceptance rate and regressions, for `stats`. */
  async account(): Promise<DreamAccount> {
    return accountOf(await this.store.proposals.list(), await this.followUp());
  }

  /** Settles what a crash left; every other method does so first. */
  async recover(): Promise<void> {
    await this.acceptance.recover();
  }

  private async look(): Promise<{ material: Gathered; evidence: Evidence }> {
    await this.acceptance.recover();
    await this.engine.refresh();
    const { embedder } = await this.rehearsal.open();
    const material = await gather({
      engine: this.engine,
      store: this.store,
      embedder,
      prefixes: this.options.prefixes ?? {},
      reach: await this.rehearsal.now(),
    });
    return { material, evidence: gatherEvidence(material) };
  }

  /** The model's passes in order, each told what the one before proposes; then what rules alone suggest. */
  private async think(
    material: Gathered,
    evidence: Evidence,
    { model, onPass }: { model: LanguageModel | undefined; onPass: RunOptions["onPass"] },
  ): Promise<{ thoughts: Thoughtful[]; declined: Declined[]; passes: PassReport[] }> {
    const thoughts: Thoughtful[] = [];
    const declined: Declined[] = [];
    const passes: PassReport[] = [];
    for (const pass of model ? this.passes : []) {
      const proposed = thoughts.flatMap(({ change: { kind, save } }) =>
        kind === "create" && save
          ? [{ name: save.name, description: save.description ?? save.summary ?? "" }]
          : [],
      );
      const callMs = this.options.callMs;
      const prompt = this.promptOf(pass, { material, evidence, proposed });
      const { plan, report } = await think(prompt, model!, callMs === undefined ? {} : { callMs });
      passes.push(report);
      onPass?.(report);
      if (!plan) continue;
      const { changes, refusals } = changesFrom(plan, pass, material);
      declined.push(...refusals.map((refusal) => unplaced(pass, refusal)));
      const cost = report.cost === undefined ? {} : { cost: report.cost };
      thoughts.push(...changes.map((change) => ({ change, by: model!.id, ...cost })));
    }
    const simple = suggest(evidence, material.byName).filter(
      (change) => !thoughts.some((thought) => collide(thought.change, change)),
    );
    thoughts.push(...simple.map((change) => ({ change, by: "rules" })));
    return { thoughts, declined, passes };
  }

  private get passes(): readonly Pass[] {
    return PASSES.filter((pass) => pass !== "gap" || this.options.gaps !== false);
  }

  private promptOf(
    pass: Pass,
    input: { material: Gathered; evidence: Evidence; proposed: { name: string; description: string }[] },
  ): Prompt {
    return promptFor({ pass, directive: this.directive(pass), ...input });
  }

  /** The person's own directive where there is one. */
  private directive(pass: Pass): string {
    try {
      const own = readFileSync(join(this.engine.dataDirectory, DIRECTIVE_FILES[pass]), "utf8").trim();
      return own === "" ? DIRECTIVES[pass] : own.slice(0, THINKING.directiveChars);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return DIRECTIVES[pass];
      throw error;
    }
  }

  private async inputsHash({ skills, prefixes }: Gathered, thinker: string): Promise<string> {
    const [last] = await this.store.journal.query({ kinds: TELLING, newestFirst: true, limit: 1 });
    const facts = {
      thinker,
      prefixes,
      last: last?.seq ?? 0,
      directives: this.passes.map((pass) => this.directive(pass)),
      skills: skills.map(({ name, digest, editable }) => [name, digest, editable]).sort(),
    };
    return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  }
}

function unplaced(pass: Pass, refusal: Declined["refusals"][number]): Declined {
  return { title: refusal.names.join(", "), pass, refusals: [refusal] };
}
