// The gate: the text of a skill's body and files leaves the engine only through it. It checks whether a person agreed to exactly
// this content (a rule of their configuration, trust, an earlier yes in the task) and asks if somebody can be asked.

import { basename } from "node:path";
import { type RuleSubject, ruleFits } from "../library/library.ts";
import { isRepertoireError, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import {
  compareMarks,
  type FileChanges,
  type FileMarks,
  marksOf,
  packageDigest,
} from "../package/package.ts";
import type { ConsentAsker, ConsentSheet, Consents, Offer, Who } from "./consents.ts";
import type { TaskStore, TrustStore } from "./task-store.ts";

/** `risky`: a person has not yet agreed to this content in this task. */
export type ActivationRisk = "risky" | "safe";

/** Lists of `GLOB` or `GLOB@SOURCE`, where a source is an id or a scope: `*@bundled`, `deploy/**@~/.claude/skills`. */
export interface ConsentPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** `allow` hands over what was saved on this machine, if it is clean and runs nothing. */
  readonly learned?: "allow" | "ask" | undefined;
}

/** What is known about a skill that was saved on this machine, exactly as it is now. */
interface SavedHere {
  /** SHA-256 of the SKILL.md before a summary was added in the background; consents to that one still count. */
  readonly beforeSummary?: string | undefined;
}

export interface GateNeeds {
  readonly consents: Pick<Consents, "offer" | "sheet" | "verdict">;
  readonly policy: ConsentPolicy;
  readonly tasks: Pick<TaskStore, "consentFor">;
  readonly trust: Pick<TrustStore, "has">;
  /** Undefined if the skill, or a byte of it, was not saved on this machine. */
  readonly savedHere?: ((skill: Skill, files: FileMarks) => Promise<SavedHere | undefined>) | undefined;
}

/** Who wants to read, and the task whose consents count. */
export interface Reading extends Who {
  readonly task?: string | undefined;
}

interface Passing extends Reading {
  readonly task: string;
  readonly ask?: ConsentAsker | undefined;
}

export class ConsentGate {
  private readonly needs: GateNeeds;
  /** Questions that wait for an answer, by task and digest. */
  private readonly asking = new Map<string, Promise<boolean | undefined>>();

  constructor(needs: GateNeeds) {
    this.needs = needs;
  }

  /**
   * The skill as it is now if a person has agreed to this content, and undefined if nobody has. Asks nobody and records
   * nothing. Fails if the skill is not visible or cannot be read.
   *
   * @example
   * const offer = await skills.gate.agreed("pdf-tables", { task: "t1" });
   * const body = offer?.parsed.body;
   */
  async agreed(name: string, reading: Reading = {}): Promise<Offer | undefined> {
    const offer = await this.needs.consents.offer(name, reading);
    const isDenied = decide(this.needs.policy, offer.subject) === "deny";
    return isDenied || (await this.standing(offer, reading.task)) === undefined ? undefined : offer;
  }

  /**
   * The instructions of those of the skills that a person has agreed to. A skill that cannot be read is left out.
   *
   * @example
   * const bodies = await skills.gate.bodies(["pdf-tables"], { task: "t1" });
   */
  async bodies(names: readonly SkillName[], reading: Reading = {}): Promise<ReadonlyMap<SkillName, string>> {
    const bodies = new Map<SkillName, string>();
    for (const name of names) {
      const offer = await this.agreed(name, reading).catch(unlessUnexpected);
      if (offer) bodies.set(name, offer.parsed.body);
    }
    return bodies;
  }

  /** @internal Returns the risk if the content may be handed over, and fails with the next step if not. Records nothing. */
  async pass(offer: Offer, { task, ask }: Passing): Promise<ActivationRisk> {
    const { subject, snapshot } = offer;
    if (decide(this.needs.policy, subject) === "deny") throw deniedByPolicy(subject);
    const standing = await this.standing(offer, task);
    if (standing !== undefined) return standing;
    const earlier = await this.needs.tasks.consentFor(task, subject.name);
    const changed = earlier && compareMarks(earlier.files, marksOf(snapshot.files));
    if (ask === undefined) throw unasked(subject.name, changed);
    const sheet = () => this.needs.consents.sheet(offer, changed);
    const answer = await this.answer(`${task}\n${snapshot.digest}`, ask, sheet);
    if (answer === true) return "risky";
    if (answer === undefined) throw unasked(subject.name, changed);
    throw new RepertoireError(
      "consent-refused",
      `"${subject.name}" was not activated: the answer was no. Continue without it.`,
      subject.name,
    );
  }

  /**
   * Whether a rule of the person's configuration hands the skill over without asking.
   *
   * @example
   * const isFree = await skills.gate.allows({ name: "pdf-tables", source: "bundled", scope: "bundled" });
   */
  allows(subject: RuleSubject): boolean {
    return decide(this.needs.policy, subject) === "allow";
  }

  /** @internal Fails if the person's configuration denies the skill. */
  checkPolicy(subject: RuleSubject): void {
    if (decide(this.needs.policy, subject) === "deny") throw deniedByPolicy(subject);
  }

  /** What a person agreed to before; undefined if they have to be asked. */
  private async standing(offer: Offer, task: string | undefined): Promise<ActivationRisk | undefined> {
    const { skill, subject, snapshot } = offer;
    const earlier = task === undefined ? undefined : await this.needs.tasks.consentFor(task, subject.name);
    if (earlier?.digest === snapshot.digest) return "safe";
    if (await this.needs.trust.has(snapshot.digest)) return "risky";
    if (this.allows(subject) && (await this.isFitForRule(offer))) return "risky";
    const marks = marksOf(snapshot.files);
    const saved = await this.needs.savedHere?.(skill, marks);
    if (saved?.beforeSummary !== undefined) {
      const former = packageDigest({ ...marks, [basename(skill.path)]: saved.beforeSummary });
      if (earlier?.digest === former || (await this.needs.trust.has(former))) return "risky";
    }
    return saved && (await this.allowsLearned(offer)) ? "risky" : undefined;
  }

  /** A rule was written before this content was seen: it does not cover what inspection finds dangerous. */
  private async isFitForRule({ subject, snapshot }: Offer): Promise<boolean> {
    if (subject.scope === "bundled") return true;
    return (await this.needs.consents.verdict(snapshot)) !== "dangerous";
  }

  /** A skill that was saved here is its person's own text; what it runs, or what inspection finds, is still asked about. */
  private async allowsLearned(offer: Offer): Promise<boolean> {
    const { ask, learned } = this.needs.policy;
    if (learned !== "allow" || ask.some((rule) => ruleFits(rule, offer.subject))) return false;
    const { findings, scripts, toolsets } = await this.needs.consents.sheet(offer);
    return (
      scripts.length === 0 && toolsets.length === 0 && findings.every(({ severity }) => severity === "low")
    );
  }

  /** Calls for the same content in the same task share one question. */
  private async answer(key: string, ask: ConsentAsker, sheet: () => Promise<ConsentSheet>) {
    if (ask.asksOnce) return ask(await sheet());
    const waiting = this.asking.get(key);
    if (waiting) return waiting;
    const answer = (async () => ask(await sheet()))();
    this.asking.set(key, answer);
    try {
      return await answer;
    } finally {
      this.asking.delete(key);
    }
  }
}

/** The decision of the policy: the strictest list that fits, or `ask` if none fits. */
function decide(policy: ConsentPolicy, subject: RuleSubject): "deny" | "ask" | "allow" {
  for (const decision of ["deny", "ask", "allow"] as const) {
    if (policy[decision].some((rule) => ruleFits(rule, subject))) return decision;
  }
  return "ask";
}

function unlessUnexpected(thrown: unknown): undefined {
  if (!isRepertoireError(thrown)) throw thrown;
}

function deniedByPolicy({ name, source }: RuleSubject): RepertoireError {
  return new RepertoireError(
    "consent-denied",
    `"${name}" (from ${source}) may not be activated: the user's configuration denies it. Continue without it.`,
    name,
  );
}

/** Read by models, so it names no command with which consent is given: a model could run it. */
function unasked(name: SkillName, changed: FileChanges | undefined): RepertoireError {
  const why = changed === undefined ? "needs a person's consent" : "has changed since a person agreed to it";
  return new RepertoireError(
    "consent-required",
    `"${name}" ${why}, and nobody could be asked here. ${WHAT_A_PERSON_CAN_DO}`,
    name,
  );
}

/** For refusals that a model reads. */
export const WHAT_A_PERSON_CAN_DO =
  "Tell the user: they can look at the skill and agree to it themselves, in a terminal of their own (Repertoire's guide to activation says how). Until then, continue without it.";
