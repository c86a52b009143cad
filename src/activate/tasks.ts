// Owns activating skills within a task: view -> consent -> mount -> payload; and a task's end.
// Composes stages like the engine does. A task's state is in the store and in its private folder, and ends with it.

import type { Repertoire } from "../engine/engine.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { marksOf } from "../package/package.ts";
import {
  ActivatedSkills,
  matchesName,
  type TaskContext,
  type TaskStores,
  type TasksOptions,
} from "../tools/tools.ts";
import { consentRecord, settleConsent } from "./consent.ts";
import { findKnowledge } from "./knowledge.ts";
import { mountPackage, verifiedMount } from "./mount.ts";
import { type ActivationPayload, buildPayload, type SubSkill } from "./payload.ts";
import { removeTaskFolder } from "./private-folder.ts";
import { renderActivation } from "./render.ts";
import { Slash } from "./slash-calls.ts";
import type { TaskRecord } from "./task-store.ts";

export type { ScriptCall, TaskContext, TaskStores, TasksOptions } from "../tools/tools.ts";

export interface Activation {
  readonly payload: ActivationPayload;
  /** The payload as a model sees it. */
  readonly text: string;
}

export interface TaskReport extends TaskRecord {
  readonly skills: readonly { readonly name: SkillName; readonly digest: string; readonly at: number }[];
}

export class Tasks extends ActivatedSkills {
  /** What a person types. */
  readonly slash: Slash;

  constructor(engine: Repertoire, store: TaskStores, options: TasksOptions = {}) {
    super(engine, store, options);
    this.slash = new Slash(engine, this);
  }

  /** Where a name that no skill has any more leads: renamed and merged skills are found under their old names. */
  private async nowCalled(name: string): Promise<string> {
    if (this.engine.library.find(name) || this.store.redirects === undefined) return name;
    return this.store.redirects.resolve(lookupKey(name));
  }

  /** Hands a skill's instructions over, with consent, from a private copy. */
  activate(name: string, context: TaskContext): Promise<Activation> {
    return this.engine.tracing.trace("activate", { ...context, name }, () => this.handOver(name, context));
  }

  private async handOver(name: string, context: TaskContext): Promise<Activation> {
    const { task, agent, audience = "model" } = context;
    const offer = this.grants.offer(await this.nowCalled(name), context);
    const { skill, snapshot, parsed } = offer;
    const request = {
      task,
      subject: offer.subject,
      digest: snapshot.digest,
      marks: marksOf(snapshot.files),
    };
    const { risk } = await settleConsent({
      ...request,
      policy: this.engine.config.consent,
      matches: matchesName,
      tasks: this.store.tasks,
      trust: this.store.trust,
      ask: context.ask ?? this.options.ask,
      sheet: (changed) => this.grants.sheet(offer, changed),
    });
    const mountPath = mountPackage({ place: this.place(task), name: skill.name, snapshot });
    if (risk === "risky") {
      this.forgetTools(task, skill.name);
      await this.store.tasks.start({
        id: task,
        startedAt: this.now(),
        ...(agent !== undefined && { agent }),
      });
      await this.store.tasks.consent(consentRecord(request, this.now()));
    }
    await this.record(context, skill, { kind: "activated", details: { task, by: audience } });
    const payload = buildPayload({
      name: skill.name,
      displayName: skill.displayName,
      instructions: parsed.body,
      paths: [...snapshot.files.keys()],
      subSkills: this.engine.view(agent).children(skill.name).map(subSkill),
      knowledge: findKnowledge(parsed.manifest.knowledge, this.engine.config.dir),
      mountPath,
      digest: snapshot.digest,
      risk,
    });
    return { payload, text: renderActivation(payload) };
  }

  /** The private copy's folder when the skill is activated in the task. */
  async mountOf(skill: Skill, task: string): Promise<string | undefined> {
    const consent = await this.store.tasks.consentFor(task, skill.name);
    return consent && verifiedMount(this.place(task), skill.name, consent.digest)?.root;
  }

  /** Tasks that have not ended, with what was activated in them. */
  async list(): Promise<TaskReport[]> {
    const tasks = await this.store.tasks.list();
    return Promise.all(
      tasks.map(async (task) => {
        const consents = await this.store.tasks.consents(task.id);
        return { ...task, skills: consents.map(({ skill, digest, at }) => ({ name: skill, digest, at })) };
      }),
    );
  }

  /** Forgets all that was agreed to and copied in a task; says whether there was anything. */
  async end(task: string): Promise<boolean> {
    this.forgetTools(task);
    const known = await this.store.tasks.end(task);
    return removeTaskFolder(this.place(task)) || known;
  }
}

function subSkill({ name, displayName, manifest }: Skill): SubSkill {
  return { name, displayName, description: manifest.brief };
}
