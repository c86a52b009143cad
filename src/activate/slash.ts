// Owns slash commands: their names, finding one, completing one. Does not own what a body becomes (`expand.ts`)
// nor who may invoke what: the caller hands over the skills that the person may use.

import { RepertoireError } from "../model/errors.ts";
import { compareNames, lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { SLASH_LIMITS } from "./limits.ts";

export interface SlashCommand {
  /** Without the slash, one per skill: `sven/plan`, `git_workflow`, `git_workflow_2`. */
  readonly command: string;
  readonly name: SkillName;
  readonly description: string;
  readonly argumentHint?: string;
}

/** The commands of these skills by name; the second of two that would be called the same gets `_2`. */
export function slashCommands(skills: readonly Skill[]): SlashCommand[] {
  const taken = new Set<string>();
  return skills
    .filter(({ manifest }) => manifest.userInvocable)
    .toSorted((a, b) => compareNames(a.name, b.name))
    .map(({ name, manifest }) => ({
      command: untaken(underscored(name), taken),
      name,
      description: manifest.brief,
      ...(manifest.argumentHint !== undefined && { argumentHint: manifest.argumentHint }),
    }));
}

/** By the skill's own name first, then by the command, then by the name it declares. */
export function findCommand(
  typed: string,
  commands: readonly SlashCommand[],
  declared: (spelling: string) => SkillName | undefined,
): SlashCommand {
  const wanted = typed.replace(/^\/+/, "").toLowerCase();
  const alias = declared(wanted);
  const found =
    commands.find(({ name }) => name === wanted) ??
    commands.find(({ command }) => command === wanted) ??
    commands.find(({ name }) => name === lookupKey(wanted)) ??
    commands.find(({ command }) => command === underscored(wanted)) ??
    (alias === undefined ? undefined : commands.find(({ name }) => name === alias));
  if (found) return found;
  const near = completions(wanted.slice(0, 3), commands).slice(0, SLASH_LIMITS.suggestions);
  const some = near.length > 0 ? near : commands.slice(0, SLASH_LIMITS.suggestions);
  const hint =
    some.length === 0 ? "There are none." : `For example: ${some.map((c) => `/${c.command}`).join(", ")}.`;
  throw new RepertoireError("slash-unknown", `There is no command "/${wanted}". ${hint}`, typed);
}

/** Commands that begin like this in either form, `/git_w` and `git-w` alike. */
export function completions(prefix: string, commands: readonly SlashCommand[]): SlashCommand[] {
  const start = prefix.replace(/^\/+/, "").toLowerCase();
  const sameStart = start.replace(/[-. ]/g, "_");
  return commands
    .filter(({ command, name }) => command.startsWith(sameStart) || name.startsWith(start))
    .slice(0, SLASH_LIMITS.completions);
}

function underscored(name: string): string {
  return name
    .split("/")
    .map((segment) => segment.toLowerCase().replace(/[^a-z0-9]+/g, "_"))
    .join("/");
}

function untaken(command: string, taken: Set<string>): string {
  let free = command;
  for (let count = 2; taken.has(free); count++) free = `${command}_${count}`;
  taken.add(free);
  return free;
}
