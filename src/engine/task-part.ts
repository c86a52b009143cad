// Wires what happens in tasks: consent, activation, scripts, tools and slash commands, each traced.

import { type Expansion, SlashCommands, type TaskContext, Tasks } from "../activate/activate.ts";
import type { RecordUse } from "../journal/journal.ts";
import type { LearnedSkills } from "../learn/learn.ts";
import type { Store } from "../stores/stores.ts";
import { ActivatedSkills, type ScriptCall } from "../tools/tools.ts";
import type { LibraryPart } from "./library-part.ts";
import type { TurnEngine } from "./turn-engine.ts";

/** Everything that can be done in a task. */
export type TaskPart = Pick<Tasks, "activate" | "list" | "end" | "endExisting" | "consents"> &
  Pick<ActivatedSkills, "run" | "tools" | "call" | "callOf" | "readFile" | "registry"> & {
    /** The text of a slash command. */
    expand(text: string, context: Partial<TaskContext>): Promise<Expansion>;
  };

interface TaskParts {
  readonly turns: TurnEngine;
  readonly library: LibraryPart;
  readonly store: Pick<Store, "tasks" | "trust">;
  readonly learned: Pick<LearnedSkills, "currentName">;
  readonly record: RecordUse;
}

export function openTasks(parts: TaskParts): { tasks: TaskPart; commands: SlashCommands } {
  const { turns, library, store, learned, record } = parts;
  const { clock, config, tracing } = turns;
  const tasks = new Tasks({
    find: (name, { agent, audience = "model" }) => library.find(name, audience, agent),
    children: async (name, agent) => (await turns.view(agent)).children(name),
    refresh: () => library.refresh(),
    currentName: (name) => learned.currentName(name),
    scopeOf: (source) => turns.sources.find(({ id }) => id === source)?.scope ?? "custom",
    tasks: store.tasks,
    trust: store.trust,
    policy: config.consent,
    project: config.dir,
    folder: turns.dataDirectory,
    now: () => clock.now().getTime(),
    record,
    onChange: (task, skill) => activated.forget(task, skill),
  });
  const activated = new ActivatedSkills({
    activated: (name, context) => tasks.activated(name, context),
    subject: (skill) => tasks.consents.subject(skill),
    record,
    env: turns.options.env ?? process.env,
    network: config.scripts.network,
  });
  const commands = new SlashCommands({
    invocable: async (agent) => (await turns.view(agent)).invocable(),
    alias: async (spelling) => (await library.current()).find(spelling)?.name,
    body: (skill) => turns.reader.body(skill),
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
      expand: (text, context) => commands.expand(text, context),
    },
  };
}
