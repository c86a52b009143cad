// Wires what happens in tasks: consent, activation, scripts, tools and slash commands, each traced.

import {
  type Activation,
  type ConsentGate,
  type Consents,
  type Expansion,
  type FilePart,
  SlashCommands,
  type TaskContext,
  type TaskReport,
  Tasks,
} from "../activate/activate.ts";
import type { RecordUse } from "../journal/journal.ts";
import type { LearnedSkills } from "../learn/learn.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { isRepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Store } from "../stores/stores.ts";
import {
  ActivatedSkills,
  type CallOptions,
  type RegisteredTool,
  type ScriptCall,
  type ScriptResult,
  type ToolCallResult,
} from "../tools/tools.ts";
import { openInspections } from "./inspections.ts";
import type { LibraryPart } from "./library-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

/** Everything that can be done in a task. */
export interface TaskPart {
  readonly consents: Consents;
  readonly gate: ConsentGate;
  /** Gets consent, makes a private copy and returns the skill's instructions. */
  activate(name: string, context: TaskContext): Promise<Activation>;
  /** The open tasks, with the skills that are activated in them. */
  list(): Promise<TaskReport[]>;
  /** Ends the tasks that belong to processes which are gone, and returns them. */
  endLeft(): Promise<string[]>;
  /** Whether there was something to end. */
  end(task: string): Promise<boolean>;
  /** Ends a task, or fails if it does not exist. */
  endExisting(task: string): Promise<void>;
  /** Runs a script of an activated skill. A script's failure is a result, not an exception. */
  run(name: string, script: string, call: ScriptCall): Promise<ScriptResult>;
  /** Whether scripts can run in a sandbox here. */
  hasSandbox(): Promise<boolean>;
  /** Loads the toolsets of an activated skill and returns its tools. */
  tools(
    name: string,
    context: TaskContext,
  ): Promise<{ tools: RegisteredTool[]; diagnostics: readonly Diagnostic[] }>;
  /**
   * Activates those of the skills that a person has agreed to, asks nobody, and returns the tools that they brought. The
   * caller records the activation.
   */
  bringTools(
    names: readonly SkillName[],
    context: TaskContext,
  ): Promise<ReadonlyMap<SkillName, readonly RegisteredTool[]>>;
  /** Calls a tool by its whole name. */
  call(tool: string, args: unknown, context: TaskContext & CallOptions): Promise<ToolCallResult>;
  /** Calls a tool of an activated skill by its whole name or by the skill's own name for it. */
  callOf(
    skill: string,
    call: { readonly tool: string; readonly args: unknown },
    context: TaskContext & CallOptions,
  ): Promise<{ result: ToolCallResult; diagnostics: readonly Diagnostic[] }>;
  /** A text file of an activated skill. */
  readFile(
    name: string,
    path: string,
    context: TaskContext & { readonly offset?: number | undefined },
  ): Promise<FilePart>;
  /** The tools that are loaded in a task so far. */
  registry(task: string): { list(): RegisteredTool[]; has(name: string): boolean };
  /** The text of a slash command. */
  expand(text: string, context: TaskContext): Promise<Expansion>;
}

interface TaskParts {
  readonly turns: TurnEngine;
  readonly library: LibraryPart;
  readonly store: Pick<Store, "tasks" | "trust">;
  readonly learned: Pick<LearnedSkills, "currentName" | "savedHere">;
  readonly record: RecordUse;
}

export function openTasks(parts: TaskParts): {
  tasks: TaskPart;
  commands: SlashCommands;
  /** Ends what runs for tasks. */
  close(): Promise<void>;
} {
  const { turns, library, store, learned, record } = parts;
  const { clock, config, tracing } = turns;
  const tasks = new Tasks({
    find: (name, { agent, audience = "model" }) => library.find(name, audience, agent),
    children: async (name, agent) => (await turns.view(agent)).children(name),
    refresh: () => library.refresh(),
    currentName: (name) => learned.currentName(name),
    scopeOf: (source) => turns.scopeOf(source),
    tasks: store.tasks,
    trust: store.trust,
    policy: config.consent,
    savedHere: (skill, files) => learned.savedHere(skill, files),
    project: turns.project.shown ? config.dir : undefined,
    folder: turns.dataDirectory,
    now: () => clock.now().getTime(),
    inspections: openInspections(config),
    record,
    onChange: (task, skill) => activated.forget(task, skill),
  });
  const activated = new ActivatedSkills({
    activated: (name, context) => tasks.activated(name, context),
    subject: (skill) => tasks.consents.subject(skill),
    record,
    env: turns.options.env ?? process.env,
    network: config.scripts.network,
    unsandboxed: config.scripts.unsandboxed,
    project: config.dir,
  });
  const commands = new SlashCommands({
    invocable: async (agent) => (await turns.view(agent)).invocable(),
    alias: async (spelling) => (await library.current()).find(await learned.currentName(spelling))?.name,
    open: (name, context) => tasks.open(name, context),
    record,
  });
  return {
    commands,
    close: () => activated.close(),
    tasks: {
      consents: tasks.consents,
      gate: tasks.gate,
      activate: (name: string, context: TaskContext) =>
        tracing.trace("activate", { ...context, name }, () => tasks.activate(name, context)),
      run: (name: string, script: string, call: ScriptCall) =>
        tracing.trace("script", { ...call, name, script }, () => activated.run(name, script, call)),
      list: () => tasks.list(),
      endLeft: () => tasks.endLeft(),
      end: (task) => tasks.end(task),
      endExisting: (task) => tasks.endExisting(task),
      hasSandbox: () => activated.hasSandbox(),
      tools: (name, context) => activated.tools(name, context),
      async bringTools(names, context) {
        const brought = new Map<SkillName, readonly RegisteredTool[]>();
        for (const name of names) {
          try {
            await tasks.open(name, { ...context, ask: undefined });
            brought.set(name, (await activated.tools(name, context)).tools);
          } catch (thrown) {
            // The instructions are shown all the same, and say that the tools are not loaded.
            if (!isRepertoireError(thrown)) throw thrown;
          }
        }
        return brought;
      },
      call: (tool, args, context) => activated.call(tool, args, context),
      callOf: (skill, call, context) => activated.callOf(skill, call, context),
      readFile: (name, path, context) => activated.readFile(name, path, context),
      registry: (task) => activated.registry(task),
      expand: (text, context) => commands.expand(text, context),
    },
  };
}
