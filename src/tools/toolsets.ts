// Offers the toolsets of a mounted skill as tools. Call it only after consent.
//
// The package's code never runs in this process. It runs in one of its own for each activated skill, in the same sandbox
// as scripts. A module that throws, waits forever, ends its process or exports something else becomes a diagnostic.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import type { SkillManifest } from "../model/skill.ts";
import { argumentChecker, type JsonSchema } from "./argument-schema.ts";
import { installedModules } from "./installed-modules.ts";
import { chooseInterpreter, typescriptLoader } from "./interpreter.ts";
import { type IsolatedProgram, isolate, type ScriptPolicy } from "./isolation.ts";
import { TOOLSET_LIMITS } from "./limits.ts";
import { realPathOrNothing } from "./package-path.ts";
import { findSandbox } from "./sandbox.ts";
import type { ScriptSystem } from "./scripts.ts";
import { resolveEntry } from "./toolset-entry.ts";
import { type EntryProblem, isProblem, type LoadedEntry, type ToolsetEntry } from "./toolset-protocol.ts";
import { type ToolAnswer, type ToolCall, ToolsetWorker } from "./toolset-worker.ts";

export interface ToolsetRequest {
  /** The verified private copy of the package. */
  readonly mount: string;
  /** The folder that the package was found in, which diagnostics name; the copy unless given. */
  readonly directory?: string | undefined;
  readonly manifest: Pick<SkillManifest, "toolsets">;
  readonly skillName: string;
  /** The environment with the variables that the toolsets may get. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the skill declares in `requires`. */
  readonly requires?: readonly string[] | undefined;
  readonly policy?: Pick<ScriptPolicy, "network" | "acceptUnsandboxed" | "memoryBytes"> | undefined;
  /** Folders from which installed packages are searched: the skill's own and the project's. */
  readonly importFrom?: readonly string[] | undefined;
  /** Checks the copy again before a process that was stopped is replaced; fails if it has changed. */
  readonly verify?: (() => Promise<unknown>) | undefined;
  readonly loadMs?: number | undefined;
}

/** A tool of a skill, with its schema for hosts. */
export interface SkillTool {
  readonly skill: string;
  readonly mount: string;
  /** The manifest's entry that it came from. */
  readonly toolset: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What is wrong with arguments, one line each. */
  check(args: unknown): readonly string[];
  execute(args: unknown, limits: Pick<ToolCall, "timeoutMs" | "signal">): Promise<ToolAnswer>;
}

export interface Toolsets {
  readonly tools: readonly SkillTool[];
  readonly diagnostics: readonly Diagnostic[];
  /** Ends the process of the toolsets. */
  close(): Promise<void>;
}

/** Loads all toolsets of a skill; what cannot be loaded becomes a diagnostic. */
export async function loadToolsets(
  request: ToolsetRequest,
  system: ScriptSystem = { findSandbox },
): Promise<Toolsets> {
  const { directory = request.mount } = request;
  const skillFile = join(directory, "SKILL.md");
  const written = [...new Set(request.manifest.toolsets)];
  const resolved = await Promise.all(written.map((entry) => resolveEntry(request.mount, entry)));
  const process = new ToolsetProcess(request, system);
  const entries = resolved.flatMap((entry) => (isProblem(entry) ? [] : [entry]));
  const { loaded, problems } = await process.load(entries);
  const diagnostics = [...loaded].flatMap(([{ path }, entry]) =>
    entry.problems.map((problem) => asDiagnostic(problem, join(directory, path))),
  );
  const unresolved = resolved.filter(isProblem);
  diagnostics.push(...[...problems, ...unresolved].map((problem) => asDiagnostic(problem, skillFile)));
  const count = [...loaded.values()].reduce((sum, entry) => sum + entry.count, 0);
  if (count > TOOLSET_LIMITS.maxTools) diagnostics.push(tooMany(count, request));
  const tools: SkillTool[] = [];
  for (const [{ written: toolset, path }, entry] of loaded) {
    for (const declared of entry.tools.slice(0, TOOLSET_LIMITS.maxTools - tools.length)) {
      const tool = skillTool(declared, {
        ...{ skill: request.skillName, mount: request.mount, toolset },
        execute: (args, limits) => process.call({ toolset, tool: declared.name, args, ...limits }),
      });
      if (isProblem(tool)) diagnostics.push(asDiagnostic(tool, join(directory, path)));
      else tools.push(tool);
    }
  }
  return { tools, diagnostics, close: () => process.close() };
}

function skillTool(
  declared: LoadedEntry["tools"][number],
  rest: Pick<SkillTool, "skill" | "mount" | "toolset" | "execute">,
): SkillTool | EntryProblem {
  try {
    return { ...rest, ...declared, check: argumentChecker(declared.inputSchema) };
  } catch (error) {
    const message = `The schema of the tool "${declared.name}" cannot be used: ${messageOf(error)}; it is left out.`;
    return { code: "tool-invalid", message, fix: "Use types that JSON has." };
  }
}

/** The process of a skill's toolsets; another one takes its place after it has ended. */
class ToolsetProcess {
  private readonly request: ToolsetRequest;
  private readonly system: ScriptSystem;
  private entries: readonly ToolsetEntry[] = [];
  private worker: ToolsetWorker | undefined;
  private starting: Promise<ToolsetWorker> | undefined;
  private isClosed = false;

  constructor(request: ToolsetRequest, system: ScriptSystem) {
    this.request = request;
    this.system = system;
  }

  /** Loads what can be loaded. An entry that ends the process is left out, and the others are loaded again without it. */
  async load(
    entries: readonly ToolsetEntry[],
  ): Promise<{ loaded: ReadonlyMap<ToolsetEntry, LoadedEntry>; problems: readonly EntryProblem[] }> {
    const limit = this.request.loadMs ?? TOOLSET_LIMITS.loadMs;
    const until = performance.now() + limit;
    const loaded = new Map<ToolsetEntry, LoadedEntry>();
    const problems: EntryProblem[] = [];
    let left = entries;
    while (left.length > 0) {
      const worker = await this.start();
      if (isProblem(worker)) return { loaded: new Map(), problems: [worker] };
      const outcome = await worker.load(await this.loadRequest(left), Math.max(1, until - performance.now()));
      loaded.clear();
      for (const [index, entry] of outcome.loaded.entries()) loaded.set(left[index] as ToolsetEntry, entry);
      const failed = left[outcome.loaded.length];
      if (!outcome.stopped || !failed) break;
      if (outcome.stopped.isLate) {
        problems.push(...left.slice(outcome.loaded.length).map((entry) => late(entry, limit)));
        left = left.slice(0, outcome.loaded.length);
        break;
      }
      problems.push(crashed(failed, outcome.stopped.why));
      left = left.filter((entry) => entry !== failed);
    }
    this.entries = left;
    return { loaded, problems };
  }

  async call(call: ToolCall): Promise<ToolAnswer> {
    if (this.isClosed) return { how: "failed", why: "the skill is not active any more" };
    if (this.worker?.isAlive) return this.worker.call(call);
    this.starting ??= this.restart().finally(() => {
      this.starting = undefined;
    });
    try {
      return await (await this.starting).call(call);
    } catch (error) {
      return { how: "failed", why: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker?.stop();
  }

  private async restart(): Promise<ToolsetWorker> {
    await this.request.verify?.();
    const worker = await this.start();
    if (isProblem(worker)) throw new Error(worker.message);
    const { loadMs = TOOLSET_LIMITS.loadMs } = this.request;
    const { stopped } = await worker.load(await this.loadRequest(this.entries), loadMs);
    if (stopped) throw new Error(stopped.why);
    return worker;
  }

  private async loadRequest(entries: readonly ToolsetEntry[]) {
    return { skill: this.request.skillName, mount: this.request.mount, loader: typescriptLoader(), entries };
  }

  private async start(): Promise<ToolsetWorker | EntryProblem> {
    const { policy = {}, env, requires = [], importFrom = [] } = this.request;
    const mount = (await realPathOrNothing(this.request.mount)) ?? this.request.mount;
    const places = {
      searchPath: env.PATH ?? "",
      avoid: [process.cwd(), mount].filter((place) => place !== "/"),
    };
    const lookup = await this.system.findSandbox(places);
    if (!lookup.ok && !policy.acceptUnsandboxed) return noSandbox(lookup.reason, lookup.fix);
    const program = programPath();
    const choice = await chooseInterpreter({ file: program, firstLine: "", chosen: {}, ...places });
    if (!choice.ok) return { code: "toolset-load-failed", message: choice.message, fix: "Install Node." };
    const { interpreter } = choice;
    let isolated: IsolatedProgram;
    try {
      isolated = await isolate({
        sandbox: lookup.ok ? lookup.sandbox : undefined,
        ...{ policy, mount, env, requires },
        interpreter: { ...interpreter, needs: [...interpreter.needs, typescriptLoader(), program] },
        argsAt: () => [program],
        modules: await installedModules(importFrom),
      });
    } catch (error) {
      const message = `The toolsets were not loaded: ${messageOf(error)}.`;
      return { code: "toolset-load-failed", message, fix: "Fix this and activate the skill again." };
    }
    const worker = new ToolsetWorker(isolated);
    this.worker = worker;
    if (this.isClosed) await worker.stop();
    return worker;
  }
}

/** The program of the process: one built file, in the folder `dist` of our package. */
function programPath(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "dist", "toolset-program.mjs");
}

/** A warning, not an error, because the skill itself still activates. */
function asDiagnostic(problem: EntryProblem, path: string): Diagnostic {
  return { ...problem, severity: "warning", path };
}

function tooMany(count: number, { mount, directory = mount, skillName }: ToolsetRequest): Diagnostic {
  const max = TOOLSET_LIMITS.maxTools;
  const problem = {
    code: "toolset-too-many-tools",
    message: `"${skillName}" has ${count} tools; only the first ${max} are offered.`,
    fix: "Split the skill, or combine tools.",
  };
  return asDiagnostic(problem, join(directory, "SKILL.md"));
}

function noSandbox(reason: string, fix: string): EntryProblem {
  return {
    code: "toolset-no-sandbox",
    message: `The toolsets were not loaded: they run in a sandbox, and ${reason}.`,
    fix: `${fix}. A person can also allow this content to run without one: scripts.unsandboxed in their configuration.`,
  };
}

function late({ written }: ToolsetEntry, ms: number): EntryProblem {
  return {
    code: "toolset-load-timeout",
    message: `The toolset "${written}" was not loaded within ${ms / 1000} s.`,
    fix: "Do not wait at the top of the module; wait inside execute.",
  };
}

function crashed({ written, path }: ToolsetEntry, why: string): EntryProblem {
  return {
    code: "toolset-load-failed",
    message: `The toolset "${written}" could not be loaded: ${why}.`,
    fix: `Make ${basename(path)} load without ending its process or printing without end.`,
  };
}
