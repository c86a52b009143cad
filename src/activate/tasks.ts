// Activates skills within a task: consent, private copy, payload. A task's state ends with the task.

import { basename, join } from "node:path";
import type { RecordUse } from "../journal/journal.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import { instructionsDigest, marksOf, type PackageSnapshot } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import {
  type ConsentAsker,
  type ConsentNeeds,
  type ConsentPolicy,
  Consents,
  decide,
  deniedByPolicy,
  type Offer,
  settleConsent,
  type Who,
} from "./consents.ts";
import { findKnowledge } from "./knowledge.ts";
import {
  logicalPath,
  mountPackage,
  removeTaskFolder,
  skillFolder,
  type TaskFolder,
  verifiedMount,
} from "./mount.ts";
import { type ActivationPayload, buildPayload, renderActivation, type SubSkill } from "./payload.ts";
import type { ConsentRecord, TaskRecord, TaskStore } from "./task-store.ts";

/** Who acts, in which task. */
export interface TaskContext extends Who {
  readonly task: string;
  readonly session?: string | undefined;
  /** Who runs the agent, for the journal. */
  readonly host?: string | undefined;
  /** Asks a person for consent. */
  readonly ask?: ConsentAsker | undefined;
}

interface TaskNeeds extends ConsentNeeds {
  readonly tasks: TaskStore;
  /** Direct children that the agent may see. */
  readonly children: (name: SkillName, agent: string | undefined) => Promise<readonly Skill[]>;
  /** The current name of a skill, also if it was renamed or merged. */
  readonly currentName: (spelling: string) => Promise<string>;
  readonly policy: ConsentPolicy;
  /** The project's folder, in which knowledge documents are searched. */
  readonly project: string;
  /** Holds `private/<task>`. */
  readonly folder: string;
  readonly record: RecordUse;
  /** Called when a skill's copy in a task is replaced, and without a name when the task ends. */
  readonly onChange: (task: string, skill?: SkillName) => void;
}

export interface Activation {
  readonly payload: ActivationPayload;
  /** The payload as a model sees it. */
  readonly text: string;
}

export interface TaskReport extends TaskRecord {
  readonly skills: readonly { readonly name: SkillName; readonly digest: string; readonly at: number }[];
}

/** A skill that is activated in a task, with the content that the person agreed to. */
export interface ActivatedSkill {
  readonly skill: Skill;
  readonly snapshot: PackageSnapshot;
  /** The folder of the private copy. */
  readonly mount: string;
  readonly manifest: SkillManifest;
}

export class Tasks {
  readonly consents: Consents;
  private readonly needs: TaskNeeds;

  constructor(needs: TaskNeeds) {
    this.needs = needs;
    this.consents = new Consents(needs);
  }

  /** Gets consent, makes a private copy and returns the skill's instructions. */
  async activate(name: string, context: TaskContext): Promise<Activation> {
    const { task, agent, audience = "model" } = context;
    const offer = await this.consents.offer(await this.needs.currentName(name), context);
    const { skill, snapshot, parsed } = offer;
    const { digest } = snapshot;
    const marks = marksOf(snapshot.files);
    const risk = await settleConsent({
      ...{ task, subject: offer.subject, digest, marks },
      policy: this.needs.policy,
      tasks: this.needs.tasks,
      trust: this.needs.trust,
      ask: context.ask,
      sheet: (changed) => this.consents.sheet(offer, changed),
    });
    const mountPath = mountPackage({ place: this.folderOf(task), name: skill.name, snapshot });
    if (risk === "risky") {
      this.needs.onChange(task, skill.name);
      const at = this.needs.now();
      await this.needs.tasks.start({ id: task, startedAt: at, agent });
      await this.needs.tasks.consent({ task, skill: skill.name, digest, at, files: marks });
    }
    const details = { task, by: audience, instructions: instructionsDigest(snapshot) };
    await this.needs.record(context, skill, { kind: "activated", details });
    const payload = buildPayload({
      name: skill.name,
      displayName: skill.displayName,
      instructions: parsed.body,
      paths: [...snapshot.files.keys()],
      subSkills: (await this.needs.children(skill.name, agent)).map(subSkill),
      knowledge: findKnowledge(parsed.manifest.knowledge, this.needs.project),
      mountPath,
      digest,
      risk,
    });
    return { payload, text: renderActivation(payload) };
  }

  /** The skill's private copy, made again from an unchanged source if it is missing. */
  async activated(name: string, context: TaskContext): Promise<ActivatedSkill> {
    const skill = await this.needs.find(name, context);
    const subject = this.consents.subject(skill);
    if (decide(this.needs.policy, subject) === "deny") throw deniedByPolicy(subject);
    const place = this.folderOf(context.task);
    const consent = await this.needs.tasks.consentFor(context.task, skill.name);
    const snapshot =
      consent &&
      (verifiedMount(place, skill.name, consent.digest) ?? (await this.mountAgain(skill, consent, context)));
    if (!snapshot) throw notActivated(skill.name, context.task);
    const file = basename(skill.path);
    const parsed = parseSkill(snapshot.files.get(file)?.bytes ?? "", join(logicalPath(skill.name), file));
    const manifest = parsed.skill?.manifest ?? skill.manifest;
    return { skill, snapshot, mount: skillFolder(place, skill.name), manifest };
  }

  /** The folder of the private copy, if the skill is activated in the task. */
  async mountOf(skill: Skill, task: string): Promise<string | undefined> {
    const consent = await this.needs.tasks.consentFor(task, skill.name);
    return consent && verifiedMount(this.folderOf(task), skill.name, consent.digest)?.root;
  }

  /** Tasks that have not ended, with what was activated in them. */
  async list(): Promise<TaskReport[]> {
    const tasks = await this.needs.tasks.list();
    return Promise.all(
      tasks.map(async (task) => {
        const consents = await this.needs.tasks.consents(task.id);
        return { ...task, skills: consents.map(({ skill, digest, at }) => ({ name: skill, digest, at })) };
      }),
    );
  }

  /** Removes all consents and copies of a task; returns whether there were any. */
  async end(task: string): Promise<boolean> {
    this.needs.onChange(task);
    const known = await this.needs.tasks.end(task);
    return removeTaskFolder(this.folderOf(task)) || known;
  }

  /** Ends a task that must exist. */
  async endExisting(task: string): Promise<void> {
    if (await this.end(task)) return;
    const open = (await this.list()).map(({ id }) => id).join(", ") || "none";
    throw new RepertoireError("task-not-found", `There is no task "${task}". Open: ${open}.`, task);
  }

  private async mountAgain(
    skill: Skill,
    consent: ConsentRecord,
    context: TaskContext,
  ): Promise<PackageSnapshot | undefined> {
    const { snapshot }: Offer = await this.consents.offer(skill.name, context);
    if (snapshot.digest !== consent.digest) return undefined;
    const place = this.folderOf(context.task);
    mountPackage({ place, name: skill.name, snapshot });
    return verifiedMount(place, skill.name, consent.digest);
  }

  private folderOf(task: string): TaskFolder {
    return { root: this.needs.folder, task };
  }
}

function subSkill({ name, displayName, manifest }: Skill): SubSkill {
  return { name, displayName, description: manifest.brief };
}

function notActivated(name: SkillName, task: string): RepertoireError {
  return new RepertoireError(
    "not-consented",
    `"${name}" is not activated in the task "${task}", or it has changed and its copy is missing. Activate it first: activate_skill, or \`repertoire activate ${name} --task ${task}\`.`,
    name,
  );
}
