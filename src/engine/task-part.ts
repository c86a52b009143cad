// Wires what happens in tasks: consent, activation, scripts, tools and slash commands, each traced.

import { SlashCommands, type TaskContext, Tasks } from "../activate/activate.ts";
import type { RecordUse } from "../journal/journal.ts";
import type { LearnedSkills } from "../learn/learn.ts";
import type { Store } from "../stores/stores.ts";
import { ActivatedSkills, type ScriptCall } from "../tools/tools.ts";
import type { Repertoire } from "./engine.ts";

/** Everything that can be done in a task. */
export type TaskPart = Pick<Tasks, "activate" | "list" | "end" | "endExisting" | "consents"> &
  Pick<ActivatedSkills, "run" | "tools" | "call" | "callOf" | "readFile" | "registry">;

export interface TaskParts {
  readonly tasks: TaskPart;
  readonly commands: SlashCommands;
}

export function openTasks(
  engine: Repertoire,
  parts: { readonly store: Store; readonly learned: LearnedSkills; readonly record: RecordUse },
): TaskParts {
  const { store, learned, record } = parts;
  const { clock, config, tracing } = engine;
  const tasks = new Tasks({
    find: (name, { agent, audience = "model" }) => engine.find(name, audience, agent),
    children: async (name, agent) => (await engine.catalog(agent)).children(name),
    refresh: () => engine.refresh(),
    currentName: async (name) =>
      (await engine.reader.current()).find(name) ? name : store.redirects.resolve(lookupKey(name)),
    scopeOf: (source) => engine.sources.find(({ id }) => id === source)?.scope ?? "custom",
    tasks: store.tasks,
    trust: store.trust,
    policy: config.consent,
    project: config.dir,
    folder: engine.dataDirectory,
    now: () => clock.now().getTime(),
    record,
    onChange: (task, skill) => activated.forget(task, skill),
  });
  const activated = new ActivatedSkills({
    activated: (name, context) => tasks.activated(name, context),
    subject: (skill) => tasks.consents.subject(skill),
    record,
    env: engine.options.env ?? process.env,
    network: config.scripts.network,
  });
  const commands = new SlashCommands({
    invocable: async (agent) => (await engine.catalog(agent)).invocable(),
    alias: async (spelling) => (await engine.reader.current()).find(spelling)?.name,
    body: (skill) => engine.body(skill),
    mountOf: (skill, task) => tasks.mountOf(skill, task),
    record,
  });
  return {
    commands,
    tasks: {
      consents: tasks.consents,
      activate: (name: string, context: TaskContext) =>
        tracing.trace("activate", { ...context, name }, () => tasks.activate(name, context)),
      run: (name: string, script: string, call: ScriptCall) =>
        tracing.trace("script", { ...call, name, script }, () => activated.run(name, script, call)),
      list: () => tasks.list(),
      end: (task) => tasks.end(task),
      endExisting: (task) => tasks.endExisting(task),
      tools: (name, context) => activated.tools(name, context),
      call: (tool, args, context) => activated.call(tool, args, context),
      callOf: (skill, call, context) => activated.callOf(skill, call, context),
      readFile: (name, path, context) => activated.readFile(name, path, context),
      registry: (task) => activated.registry(task),
    },
  };
}
