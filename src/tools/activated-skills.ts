// Owns what can be done with a skill once it is activated in a task: run its scripts, load and call its tools, read
// its files, all from the private copy. Composes stages like the engine does. Does not own activating: `tasks.ts` does.

import { basename, join } from "node:path";
import type { ConsentRecord } from "../activate/activate.ts";
import {
  type ConsentAsker,
  decide,
  deniedByPolicy,
  type FilePart,
  Grants,
  logicalPath,
  mountPackage,
  type Place,
  readTextFile,
  ruleFits,
  skillFolder,
  verifiedMount,
} from "../activate/activate.ts";
import type { Repertoire } from "../engine/engine.ts";
import type { EventDetails, EventKind } from "../journal/journal.ts";
import { eventOf } from "../journal/journal.ts";
import type { Audience } from "../library/library.ts";
import { matchesAny } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import type { Snapshot } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import type { Store } from "../stores/stores.ts";
import {
  type CallOptions,
  createToolRegistry,
  type RegisteredTool,
  type ToolCallResult,
  type ToolRegistry,
} from "./registry.ts";
import { refusal, runScript, type ScriptPolicy, type ScriptResult } from "./scripts.ts";
import { loadToolsets } from "./toolsets.ts";

export type TaskStores = Pick<Store, "tasks" | "trust" | "journal" | "sessions"> &
  Partial<Pick<Store, "redirects">>;

export interface TasksOptions {
  /** Holds `private/<task>`; `~/.repertoire` unless given. */
  readonly root?: string;
  /** Asked where a call brings no asker of its own. */
  readonly ask?: ConsentAsker;
  /** Who runs the engine, for the journal. */
  readonly host?: string;
}

/** Who acts, in which task. */
export interface TaskContext {
  readonly task: string;
  /** The configured agent unless given. */
  readonly agent?: string | undefined;
  /** A person also reaches the skills that only a person may invoke. */
  readonly audience?: Audience | undefined;
  readonly session?: string | undefined;
  /** Who runs the agent, for the journal. */
  readonly host?: string | undefined;
  readonly ask?: ConsentAsker | undefined;
}

export interface ScriptCall extends TaskContext {
  readonly args?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
  readonly policy?: ScriptPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Mounted {
  readonly skill: Skill;
  readonly snapshot: Snapshot;
  readonly mount: string;
  readonly manifest: SkillManifest;
}

export class ActivatedSkills {
  /** What a person is asked, and what they agreed to for good. */
  readonly grants: Grants;
  protected readonly engine: Repertoire;
  protected readonly store: TaskStores;
  protected readonly options: TasksOptions;
  private readonly registries = new Map<string, ToolRegistry>();

  constructor(engine: Repertoire, store: TaskStores, options: TasksOptions = {}) {
    this.engine = engine;
    this.store = store;
    this.options = options;
    this.grants = new Grants(engine, store);
  }

  /** Runs a script of an activated skill. Never throws for a script's sake: the result says what happened. */
  run(name: string, script: string, call: ScriptCall): Promise<ScriptResult> {
    return this.engine.tracing.trace("script", { ...call, name, script }, () =>
      this.runMounted(name, script, call),
    );
  }

  private async runMounted(name: string, script: string, call: ScriptCall): Promise<ScriptResult> {
    const found = await this.mounted(name, call);
    if (found instanceof RepertoireError) return refusal("not_consented", found.message);
    const { skill, snapshot, mount, manifest } = found;
    // A sub-skill's copy lies below this one; its scripts are its own.
    const isOwn = [script, `scripts/${script}`].some((path) => snapshot.files.has(plain(path)));
    if (!isOwn) return refusal("not_found", noSuchScript(skill.name, script, this.grants.scripts(snapshot)));
    const result = await runScript({
      mount,
      script,
      args: call.args,
      stdin: call.stdin,
      env: this.engine.options.env ?? process.env,
      requires: manifest.requires.env,
      policy: { network: this.mayUseNetwork(skill), ...call.policy },
      signal: call.signal,
    });
    const { ok, isolation, durationMs: ms } = result;
    await this.record(call, skill, { kind: "script_run", details: { script, ok, isolation, ms } });
    return result;
  }

  /** Loads the toolsets of an activated skill and names its tools. */
  async tools(
    name: string,
    context: TaskContext,
  ): Promise<{ tools: RegisteredTool[]; diagnostics: readonly Diagnostic[] }> {
    const { skill, mount, manifest } = await this.requireMounted(name, context);
    const registry = this.registry(context.task);
    registry.removeSkill(skill.name);
    const loaded = await loadToolsets({ mount, manifest, skillName: skill.name });
    const collisions = registry.add(loaded.tools);
    return {
      tools: registry.list().filter((tool) => tool.skill === skill.name),
      diagnostics: [...loaded.diagnostics, ...collisions],
    };
  }

  /** The tools that the activated skills of a task have brought so far. */
  registry(task: string): ToolRegistry {
    const registry = this.registries.get(task) ?? createToolRegistry();
    this.registries.set(task, registry);
    return registry;
  }

  /** Calls a tool by its name in the registry. */
  async call(tool: string, args: unknown, context: TaskContext & CallOptions): Promise<ToolCallResult> {
    const registry = this.registry(context.task);
    const started = performance.now();
    const result = await registry.call(tool, args, context);
    const owner = registry.list().find(({ name }) => name === tool)?.skill;
    const skill = owner === undefined ? undefined : this.engine.library.find(owner);
    const details = { tool, ok: result.ok, ms: Math.round(performance.now() - started) };
    if (skill) await this.record(context, skill, { kind: "tool_call", details });
    return result;
  }

  /** A text file of an activated skill. */
  async readFile(name: string, path: string, context: TaskContext & { offset?: number }): Promise<FilePart> {
    const { skill, snapshot } = await this.requireMounted(name, context);
    const part = readTextFile(snapshot, path, context.offset);
    await this.record(context, skill, { kind: "file_read", details: { path: part.path } });
    return part;
  }

  /** Writes into the journal what was done with a skill, in the session's current turn. */
  async record<K extends EventKind>(
    context: Pick<TaskContext, "session" | "agent" | "host">,
    skill: Skill,
    happened: { readonly kind: K; readonly details: EventDetails[K] },
  ): Promise<void> {
    const { session, agent = this.engine.config.agent, host = this.options.host } = context;
    const turn = session === undefined ? undefined : (await this.store.sessions.read(session)).turn;
    const now = {
      at: this.now(),
      ...(session !== undefined && { session }),
      ...(turn !== undefined && { turn }),
      ...(agent !== undefined && { agent }),
      ...(host !== undefined && { host }),
    };
    await this.store.journal.append([eventOf(now, { ...happened, skill })]);
    if (session !== undefined && happened.kind === "activated")
      await this.store.sessions.add(session, { step: "activated", names: [skill.name] });
  }

  protected forgetTools(task: string, skill?: SkillName): void {
    if (skill === undefined) this.registries.delete(task);
    else this.registries.get(task)?.removeSkill(skill);
  }

  protected place(task: string): Place {
    return { root: this.options.root ?? join(this.engine.config.home, ".repertoire"), task };
  }

  protected now(): number {
    return (this.engine.options.clock?.now() ?? new Date()).getTime();
  }

  private async requireMounted(name: string, context: TaskContext): Promise<Mounted> {
    const found = await this.mounted(name, context);
    if (found instanceof RepertoireError) throw found;
    return found;
  }

  /** The skill's copy as it was agreed to, made again from an unchanged source when it is gone. */
  private async mounted(name: string, context: TaskContext): Promise<Mounted | RepertoireError> {
    const skill = this.engine.view(context.agent).require(name, context.audience ?? "model");
    const subject = this.grants.subject(skill);
    if (decide(this.engine.config.consent, subject, matchesName) === "deny") return deniedByPolicy(subject);
    const place = this.place(context.task);
    const consent = await this.store.tasks.consentFor(context.task, skill.name);
    const snapshot =
      consent &&
      (verifiedMount(place, skill.name, consent.digest) ?? this.mountAgain(skill, consent, context));
    if (!snapshot) return notActivated(skill.name, context.task);
    const file = basename(skill.path);
    const parsed = parseSkill(snapshot.files.get(file)?.bytes ?? "", join(logicalPath(skill.name), file));
    const manifest = parsed.skill?.manifest ?? skill.manifest;
    return { skill, snapshot, mount: skillFolder(place, skill.name), manifest };
  }

  private mountAgain(skill: Skill, consent: ConsentRecord, context: TaskContext): Snapshot | undefined {
    const { snapshot } = this.grants.offer(skill.name, context);
    if (snapshot.digest !== consent.digest) return undefined;
    const place = this.place(context.task);
    mountPackage({ place, name: skill.name, snapshot });
    return verifiedMount(place, skill.name, consent.digest);
  }

  private mayUseNetwork(skill: Skill): boolean {
    const subject = this.grants.subject(skill);
    return this.engine.config.scripts.network.some((rule) => ruleFits(rule, subject, matchesName));
  }
}

/** How the rules of the configuration name skills. */
export function matchesName(glob: string, name: SkillName): boolean {
  return matchesAny([glob], name);
}

function plain(path: string): string {
  return path.replace(/^\.\//, "");
}

function notActivated(name: SkillName, task: string): RepertoireError {
  return new RepertoireError(
    "not_consented",
    `"${name}" is not activated in the task "${task}", or it changed and its copy is gone. Activate it first: activate_skill, or \`repertoire activate ${name} --task ${task}\`.`,
    name,
  );
}

function noSuchScript(name: SkillName, script: string, scripts: readonly string[]): string {
  const choices = scripts.length === 0 ? "It has none." : `Scripts: ${scripts.join(", ")}.`;
  return `"${name}" has no script "${script}". ${choices}`;
}
