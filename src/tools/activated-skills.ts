// Runs the scripts, calls the tools and reads the files of a skill that is activated in a task, from its private copy.

import {
  type ActivatedSkill,
  type FilePart,
  readTextFile,
  scriptsOf,
  type TaskContext,
} from "../activate/activate.ts";
import type { RecordUse } from "../journal/journal.ts";
import { type RuleSubject, ruleFits } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf, messageOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { CallOptions, ToolCallResult } from "./registry.ts";
import { createToolRegistry, type RegisteredTool, type ToolRegistry } from "./registry.ts";
import { refusal, type ScriptResult } from "./script-result.ts";
import { runScript, type ScriptPolicy } from "./scripts.ts";
import { loadToolsets } from "./toolsets.ts";

export interface ScriptCall extends TaskContext {
  readonly args?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
  readonly policy?: ScriptPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ToolNeeds {
  /** A skill with the content that the person agreed to; fails if it is not activated in the task. */
  readonly activated: (name: string, context: TaskContext) => Promise<ActivatedSkill>;
  readonly subject: (skill: Skill) => RuleSubject;
  readonly record: RecordUse;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Rules that name the skills whose scripts may use the network. */
  readonly network: readonly string[];
}

export class ActivatedSkills {
  private readonly needs: ToolNeeds;
  private readonly registries = new Map<string, ToolRegistry>();
  /** The skills whose tools are loaded, for the journal. */
  private readonly owners = new Map<SkillName, Skill>();

  constructor(needs: ToolNeeds) {
    this.needs = needs;
  }

  /** Runs a script of an activated skill. A script's failure is a result, not an exception. */
  async run(name: string, script: string, call: ScriptCall): Promise<ScriptResult> {
    let found: ActivatedSkill;
    try {
      found = await this.needs.activated(name, call);
    } catch (error) {
      if (!["not-consented", "consent-denied"].includes(codeOf(error))) throw error;
      return refusal("not-consented", messageOf(error));
    }
    const { skill, snapshot, mount, manifest } = found;
    // The copy of a sub-skill is below this one, but its scripts belong to the sub-skill.
    const isOwn = [script, `scripts/${script}`].some((path) => snapshot.files.has(path.replace(/^\.\//, "")));
    if (!isOwn) return refusal("not-found", noSuchScript(skill.name, script, scriptsOf(snapshot)));
    const result = await runScript({
      mount,
      script,
      args: call.args,
      stdin: call.stdin,
      env: this.needs.env,
      requires: manifest.requires.env,
      policy: { network: this.mayUseNetwork(skill), ...call.policy },
      signal: call.signal,
    });
    const { ok, isolation, durationMs: ms } = result;
    await this.needs.record(call, skill, { kind: "script_run", details: { script, ok, isolation, ms } });
    return result;
  }

  /** Loads the toolsets of an activated skill and returns its tools. */
  async tools(
    name: string,
    context: TaskContext,
  ): Promise<{ tools: RegisteredTool[]; diagnostics: readonly Diagnostic[] }> {
    const { skill, mount, manifest } = await this.needs.activated(name, context);
    const registry = this.registry(context.task);
    registry.removeSkill(skill.name);
    const loaded = await loadToolsets({ mount, manifest, skillName: skill.name });
    const collisions = registry.add(loaded.tools);
    this.owners.set(skill.name, skill);
    return {
      tools: registry.list().filter((tool) => tool.skill === skill.name),
      diagnostics: [...loaded.diagnostics, ...collisions],
    };
  }

  /** The tools that are loaded in a task so far. */
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
    const skill = owner === undefined ? undefined : this.owners.get(owner);
    const details = { tool, ok: result.ok, ms: Math.round(performance.now() - started) };
    if (skill) await this.needs.record(context, skill, { kind: "tool_call", details });
    return result;
  }

  /** Calls a tool of an activated skill by its whole name or by the skill's own name for it. */
  async callOf(
    skill: string,
    call: { readonly tool: string; readonly args: unknown },
    context: TaskContext & CallOptions,
  ): Promise<{ result: ToolCallResult; diagnostics: readonly Diagnostic[] }> {
    const { tools, diagnostics } = await this.tools(skill, context);
    const short = tools.find(({ name }) => name.endsWith(`__${call.tool}`))?.name;
    const tool = tools.some(({ name }) => name === call.tool) ? call.tool : (short ?? call.tool);
    return { result: await this.call(tool, call.args, context), diagnostics };
  }

  /** A text file of an activated skill. */
  async readFile(
    name: string,
    path: string,
    context: TaskContext & { readonly offset?: number | undefined },
  ): Promise<FilePart> {
    const { skill, snapshot } = await this.needs.activated(name, context);
    const part = readTextFile(snapshot, path, context.offset);
    await this.needs.record(context, skill, { kind: "file_read", details: { path: part.path } });
    return part;
  }

  /** Unloads the tools of a skill in a task, or of the whole task. */
  forget(task: string, skill?: SkillName): void {
    if (skill === undefined) this.registries.delete(task);
    else this.registries.get(task)?.removeSkill(skill);
  }

  private mayUseNetwork(skill: Skill): boolean {
    const subject = this.needs.subject(skill);
    return this.needs.network.some((rule) => ruleFits(rule, subject));
  }
}

function noSuchScript(name: SkillName, script: string, scripts: readonly string[]): string {
  const choices = scripts.length === 0 ? "It has none." : `Scripts: ${scripts.join(", ")}.`;
  return `"${name}" has no script "${script}". ${choices}`;
}
