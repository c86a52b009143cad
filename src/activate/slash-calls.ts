// Owns what a person types as a slash command: which skills they may call, and what becomes of the text. Composes
// the view, `activate/slash.ts` and `activate/expand.ts`.
//
// To type a command is the person's own word for the instructions, so it asks nothing; the skill's scripts and tools
// still need consent, like after any other activation.

import type { Repertoire } from "../engine/engine.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { expandBody, typedCommand } from "./expand.ts";
import { completions, findCommand, type SlashCommand, slashCommands } from "./slash.ts";
import type { TaskContext, Tasks } from "./tasks.ts";

export interface Expansion {
  readonly name: SkillName;
  readonly command: string;
  readonly arguments: string;
  /** What is sent in place of the typed text. */
  readonly text: string;
}

export class Slash {
  private readonly engine: Repertoire;
  private readonly tasks: Tasks;

  constructor(engine: Repertoire, tasks: Tasks) {
    this.engine = engine;
    this.tasks = tasks;
  }

  /** Every command of the person, by name. */
  commands(agent?: string): SlashCommand[] {
    return slashCommands(this.callable(agent));
  }

  /** Commands that begin like this, for a host that completes. */
  completions(prefix: string, agent?: string): SlashCommand[] {
    return completions(prefix, this.commands(agent));
  }

  /** The text that `/name words` stands for. Counts as an activation where it belongs to a session. */
  async expand(text: string, context: Partial<TaskContext> = {}): Promise<Expansion> {
    const typed = typedCommand(text);
    if (!typed) {
      throw new RepertoireError("slash-missing", `"${text}" is no command. Type /NAME and what to do.`, text);
    }
    const declared = (spelling: string) => this.engine.library.find(spelling)?.name;
    const { name, command } = findCommand(typed.command, this.commands(context.agent), declared);
    const skill = this.engine.view(context.agent).require(name, "person");
    const body = this.engine.body(skill).trim();
    if (body === "") {
      throw new RepertoireError(
        "body-empty",
        `"${name}" has no instructions. Write them into ${skill.path}.`,
        name,
      );
    }
    const mount = context.task === undefined ? undefined : await this.tasks.mountOf(skill, context.task);
    if (context.session !== undefined)
      await this.tasks.record(context, skill, { kind: "activated", details: { by: "person" } });
    return {
      name,
      command,
      arguments: typed.rest,
      text: expandBody(body, {
        rest: typed.rest,
        directory: mount ?? skill.directory,
        declaresArguments: skill.manifest.argumentHint !== undefined,
      }),
    };
  }

  /** What the model may use, and what only the person may. */
  private callable(agent: string | undefined): Skill[] {
    const visibility = this.engine.visibility(agent);
    return this.engine
      .view(agent)
      .list()
      .filter(
        ({ skill, state }) =>
          state === "active" ||
          (state === "hidden" && skill.manifest.userOnly && visibility.allows(skill.name)),
      )
      .map(({ skill }) => skill);
  }
}
