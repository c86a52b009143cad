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
import type { ScriptPolicy } from "./isolation.ts";
import type { CallOptions, ToolCallResult } from "./registry.ts";
import { createToolRegistry, type RegisteredTool, type ToolRegistry } from "./registry.ts";
import { findSandbox } from "./sandbox.ts";
import { refusal, type ScriptResult } from "./script-result.ts";
import { runScript, type ScriptSystem } from "./scripts.ts";
import type { Toolsets } from "./toolsets.ts";

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
  /** Rules that name the skills whose scripts and toolsets may use the network. */
  readonly network: readonly string[];
  /** Digests of the packages that may run without a sandbox; each may be shortened. */
  readonly unsandboxed: readonly string[];
  /** The project's folder, from which installed packages are searched. */
  readonly project: string;
  /** Finds the sandbox of the machine unless given. */
  readonly system?: ScriptSystem | undefined;
}

/** The toolsets of one content of a skill in a task. */
interface LoadedSkill {
  readonly skill: Skill;
  readonly digest: string;
  readonly toolsets: Promise<Toolsets>;
  /** All diagnostics, those about names in the registry included. */
  readonly diagnostics: Promise<readonly Diagnostic[]>;
}

/** Shorter beginnings of a digest could fit another content. */
const DIGEST_CHARS = 16;

export class ActivatedSkills {
  private readonly needs: ToolNeeds;
  private readonly registries = new Map<string, ToolRegistry>();
  private readonly loaded = new Map<string, Map<SkillName, LoadedSkill>>();
  private readonly closing = new Set<Promise<void>>();

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
    if (!isDeclared(manifest.scripts, script))
      return refusal("not-declared", notDeclared(skill.name, script, manifest.scripts));
    const granted = this.policyFor(skill, snapshot.digest);
    const request = {
      mount,
      script,
      args: call.args,
      stdin: call.stdin,
      env: this.needs.env,
      requires: manifest.requires.env,
      policy: {
        ...granted,
        ...call.policy,
        acceptUnsandboxed: granted.acceptUnsandboxed || call.policy?.acceptUnsandboxed,
      },
      signal: call.signal,
    };
    const result = await runScript(request, this.needs.system);
    const { ok, isolation, durationMs: ms } = result;
    await this.needs.record(call, skill, { kind: "script_run", details: { script, ok, isolation, ms } });
    return result;
  }

  /** Whether this machine has a sandbox that works. */
  async hasSandbox(): Promise<boolean> {
    const { system = { findSandbox }, env } = this.needs;
    return (await system.findSandbox({ searchPath: env.PATH ?? "", avoid: [process.cwd()] })).ok;
  }

  /** Loads the toolsets of an activated skill and returns its tools. */
  async tools(
    name: string,
    context: TaskContext,
  ): Promise<{ tools: RegisteredTool[]; diagnostics: readonly Diagnostic[] }> {
    const active = await this.needs.activated(name, context);
    const { skill, snapshot } = active;
    const skills = this.loaded.get(context.task) ?? new Map<SkillName, LoadedSkill>();
    this.loaded.set(context.task, skills);
    let known = skills.get(skill.name);
    if (known?.digest !== snapshot.digest) {
      this.forget(context.task, skill.name);
      known = this.load(active, context);
      skills.set(skill.name, known);
    }
    const diagnostics = await known.diagnostics.catch((error) => {
      skills.delete(skill.name);
      throw error;
    });
    const tools = this.registry(context.task).list();
    return { tools: tools.filter((tool) => tool.skill === skill.name), diagnostics };
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
    const skill = owner === undefined ? undefined : this.loaded.get(context.task)?.get(owner)?.skill;
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

  /** Unloads the tools of a skill in a task, or of the whole task, and ends their processes. */
  forget(task: string, skill?: SkillName): void {
    const skills = this.loaded.get(task);
    for (const [name, { toolsets }] of skills ?? []) {
      if (skill !== undefined && skill !== name) continue;
      skills?.delete(name);
      this.registries.get(task)?.removeSkill(name);
      const closing = this.closeAll(toolsets).finally(() => this.closing.delete(closing));
      this.closing.add(closing);
    }
    if (skill === undefined) this.registries.delete(task);
  }

  /** Ends all processes of toolsets. */
  async close(): Promise<void> {
    for (const task of this.loaded.keys()) this.forget(task);
    await Promise.all(this.closing);
  }

  private async closeAll(toolsets: Promise<Toolsets>): Promise<void> {
    // What could not be opened was reported to who asked for it.
    const opened = await toolsets.catch(() => undefined);
    await opened?.close();
  }

  private load(active: ActivatedSkill, context: TaskContext): LoadedSkill {
    const { skill, snapshot, mount, manifest } = active;
    const { digest } = snapshot;
    const toolsets = (async () => {
      const { loadToolsets } = await import("./toolsets.ts");
      const request = {
        ...{ mount, directory: skill.directory, manifest, skillName: skill.name, env: this.needs.env },
        requires: manifest.requires.env,
        policy: this.policyFor(skill, digest),
        importFrom: [skill.directory, this.needs.project],
        verify: async () => {
          const now = await this.needs.activated(skill.name, context);
          if (now.snapshot.digest !== digest) throw new Error("the skill has changed; activate it again");
        },
      };
      return loadToolsets(request, this.needs.system);
    })();
    const diagnostics = toolsets.then(({ tools, diagnostics: found }) => {
      // The task may have ended meanwhile.
      const isCurrent = this.loaded.get(context.task)?.get(skill.name)?.toolsets === toolsets;
      return isCurrent ? [...found, ...this.registry(context.task).add(tools)] : found;
    });
    return { skill, digest, toolsets, diagnostics };
  }

  private policyFor(skill: Skill, digest: string): ScriptPolicy {
    const subject = this.needs.subject(skill);
    return {
      network: this.needs.network.some((rule) => ruleFits(rule, subject)),
      acceptUnsandboxed: this.needs.unsandboxed.some(
        (start) => start.length >= DIGEST_CHARS && digest.startsWith(start.toLowerCase()),
      ),
    };
  }
}

/** Whether a script may run: any of the package, unless the front matter lists those that may. */
function isDeclared(scripts: readonly string[], script: string): boolean {
  const plain = (path: string) => path.replace(/^\.\//, "").replace(/^scripts\//, "");
  return scripts.length === 0 || scripts.some((listed) => plain(listed) === plain(script));
}

function notDeclared(name: SkillName, script: string, scripts: readonly string[]): string {
  return `"${script}" is not among the scripts that "${name}" lists in its front matter, so it may not run. Listed: ${scripts.join(", ")}.`;
}

function noSuchScript(name: SkillName, script: string, scripts: readonly string[]): string {
  const choices = scripts.length === 0 ? "It has none." : `Scripts: ${scripts.join(", ")}.`;
  return `"${name}" has no script "${script}". ${choices}`;
}
