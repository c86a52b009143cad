// Activates skills within a task: consent, private copy, payload. A task's state ends with the task.

import { basename, join } from "node:path";
import type { RecordUse } from "../journal/journal.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import { instructionsDigest, marksOf, type PackageSnapshot } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import { type ConsentAsker, type ConsentNeeds, Consents, type Offer, type Who } from "./consents.ts";
import { type ActivationRisk, ConsentGate, type ConsentPolicy, type GateNeeds } from "./gate.ts";
import { findKnowledge } from "./knowledge.ts";
import {
  logicalPath,
  mountPackage,
  removeTaskFolder,
  skillFolder,
  type TaskFolder,
  verifiedMount,
} from "./mount.ts";
import { leftTasks, ownTask } from "./owners.ts";
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
  /** Set by a host whose task ends with its process: if that crashes, the next one cleans up. */
  readonly endsWithProcess?: boolean | undefined;
  /** The tools that the model has; none by default. Texts name no other. */
  readonly served?: readonly string[] | undefined;
}

interface TaskNeeds extends ConsentNeeds {
  readonly tasks: TaskStore;
  /** Direct children that the agent may see. */
  readonly children: (name: SkillName, agent: string | undefined) => Promise<readonly Skill[]>;
  /** The current name of a skill, also if it was renamed or merged. */
  readonly currentName: (spelling: string) => Promise<string>;
  readonly policy: ConsentPolicy;
  readonly savedHere?: GateNeeds["savedHere"];
  /** The project's folder, in which knowledge documents are searched; undefined if nothing of it is shown. */
  readonly project: string | undefined;
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
  /** The whole SKILL.md that the person agreed to. */
  readonly content: string;
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

/** A skill that passed the gate, with its private copy. */
interface Opened {
  readonly offer: Offer;
  readonly risk: ActivationRisk;
  /** Where the copy is. */
  readonly directory: string;
}

export class Tasks {
  readonly consents: Consents;
  readonly gate: ConsentGate;
  private readonly needs: TaskNeeds;

  constructor(needs: TaskNeeds) {
    this.needs = needs;
    this.consents = new Consents(needs);
    this.gate = new ConsentGate({ ...needs, consents: this.consents });
  }

  /** Gets consent and makes a private copy. */
  async open(name: string, context: TaskContext): Promise<Opened> {
    const { task, agent } = context;
    const offer = await this.consents.offer(await this.needs.currentName(name), context);
    const { skill, snapshot } = offer;
    const risk = await this.gate.pass(offer, context);
    const place = this.folderOf(task);
    if (context.endsWithProcess) ownTask(place);
    const directory = mountPackage({ place, name: skill.name, snapshot });
    if (risk === "risky") {
      this.needs.onChange(task, skill.name);
      const at = this.needs.now();
      const { digest, files } = snapshot;
      await this.needs.tasks.start({ id: task, startedAt: at, agent });
      await this.needs.tasks.consent({ task, skill: skill.name, digest, at, files: marksOf(files) });
    }
    return { offer, risk, directory };
  }

  /** Gets consent, makes a private copy and returns the skill's instructions. */
  async activate(name: string, context: TaskContext): Promise<Activation> {
    const { task, agent, audience = "model", served = [] } = context;
    const { offer, risk, directory } = await this.open(name, context);
    const { skill, snapshot, parsed } = offer;
    const details = { task, by: audience, instructions: instructionsDigest(snapshot) };
    await this.needs.record(context, skill, { kind: "activated", details });
    const payload = buildPayload({
      name: skill.name,
      displayName: skill.displayName,
      instructions: parsed.body,
      paths: [...snapshot.files.keys()],
      subSkills: (await this.needs.children(skill.name, agent)).map(subSkill),
      knowledge: findKnowledge(parsed.manifest.knowledge, this.needs.project),
      baseDirectory: directory,
      digest: snapshot.digest,
      risk,
    });
    const content = snapshot.files.get(basename(skill.path))?.bytes.toString("utf8") ?? "";
    return { payload, text: renderActivation(payload, served), content };
  }

  /** The skill's private copy, made again from an unchanged source if it is missing. */
  async activated(name: string, context: TaskContext): Promise<ActivatedSkill> {
    const skill = await this.needs.find(name, context);
    this.gate.checkPolicy(this.consents.subject(skill));
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

  /** Ends the tasks of processes that are gone, and returns them. */
  async endLeft(): Promise<string[]> {
    const left = leftTasks(this.needs.folder, this.needs.now());
    for (const task of left) await this.end(task);
    return left;
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
    `"${name}" is not activated in the task "${task}", or it has changed and its copy is missing. Activate it first.`,
    name,
  );
}
