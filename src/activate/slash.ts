// Slash commands: lists, finds and completes them, and expands a typed command to text.
//
// A typed command passes the gate like every other activation: a person who types a name has not seen what is behind it.

import type { RecordUse } from "../journal/journal.ts";
import { RepertoireError } from "../model/errors.ts";
import { compareNames, lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { instructionsDigest } from "../package/package.ts";
import { forModel } from "../text/escape.ts";
import type { Offer } from "./consents.ts";
import type { TaskContext } from "./tasks.ts";

/** How many completions are returned. */
const COMPLETIONS = 50;
/** How many commands an error suggests. */
const SUGGESTIONS = 5;

interface SlashNeeds {
  /** Skills that the model or the person may use. */
  readonly invocable: (agent: string | undefined) => Promise<readonly Skill[]>;
  /** The skill that has this alias. */
  readonly alias: (spelling: string) => Promise<SkillName | undefined>;
  /** Gets consent and makes a private copy. */
  readonly open: (
    name: SkillName,
    context: TaskContext,
  ) => Promise<{ readonly offer: Offer; readonly directory: string }>;
  readonly record: RecordUse;
}

export interface Expansion {
  readonly name: SkillName;
  readonly command: string;
  readonly arguments: string;
  /** The text to send instead of the typed one. */
  readonly text: string;
}

export class SlashCommands {
  private readonly needs: SlashNeeds;

  constructor(needs: SlashNeeds) {
    this.needs = needs;
  }

  /**
   * Every command that the person may type, by name.
   *
   * @example
   * for (const { command, description } of await skills.commands.list()) console.log(`/${command}`, description);
   */
  async list(agent?: string): Promise<SlashCommand[]> {
    return slashCommands(await this.needs.invocable(agent));
  }

  /**
   * Commands that start with `prefix`, for completion in a host.
   *
   * @example
   * const [first] = await skills.commands.complete("/pdf");
   */
  async complete(prefix: string, agent?: string): Promise<SlashCommand[]> {
    return completions(prefix, await this.list(agent));
  }

  /**
   * The text of `/name words`, with consent as for an activation. Counts as one if it belongs to a session.
   *
   * @example
   * const context = { task: "t1", session: "s1", ask: () => true };
   * const { text } = await skills.commands.expand("/pdf-tables the report of May", context);
   */
  async expand(text: string, context: TaskContext): Promise<Expansion> {
    const typed = typedCommand(text);
    if (!typed) {
      throw new RepertoireError(
        "slash-missing",
        `"${text}" is not a command. Type /NAME and what to do.`,
        text,
      );
    }
    const skills = await this.needs.invocable(context.agent);
    const alias = await this.needs.alias(typed.command.toLowerCase());
    const { name, command } = findCommand(typed.command, slashCommands(skills), alias);
    const skill = skills.find((each) => each.name === name)!;
    const { offer, directory } = await this.needs.open(name, { ...context, audience: "person" });
    if (context.session !== undefined) {
      const instructions = instructionsDigest(offer.snapshot);
      await this.needs.record(context, skill, { kind: "activated", details: { by: "person", instructions } });
    }
    return {
      name,
      command,
      arguments: typed.rest,
      text: expandBody(forModel(offer.parsed.body).trim(), {
        rest: typed.rest,
        directory,
        declaresArguments: skill.manifest.argumentHint !== undefined,
      }),
    };
  }
}

export interface SlashCommand {
  /** Without the slash, one per skill: `sven/plan`, `git_workflow`, `git_workflow_2`. */
  readonly command: string;
  readonly name: SkillName;
  /** As the front matter says. */
  readonly displayName: string;
  readonly description: string;
  readonly argumentHint?: string | undefined;
}

/** The commands of these skills by name; the second of two equal commands gets the suffix `_2`. */
export function slashCommands(skills: readonly Skill[]): SlashCommand[] {
  const taken = new Set<string>();
  return skills
    .filter(({ manifest }) => manifest.userInvocable)
    .toSorted((a, b) => compareNames(a.name, b.name))
    .map(({ name, displayName, manifest }) => ({
      command: untaken(underscored(name), taken),
      name,
      displayName,
      description: manifest.brief,
      argumentHint: manifest.argumentHint,
    }));
}

/** Finds a command by the skill's name first, then by the command, then by alias. */
export function findCommand(
  typed: string,
  commands: readonly SlashCommand[],
  alias: SkillName | undefined,
): SlashCommand {
  const wanted = startOf(typed);
  const found =
    commands.find(({ name }) => name === wanted) ??
    commands.find(({ command }) => command === wanted) ??
    commands.find(({ name }) => name === lookupKey(wanted)) ??
    commands.find(({ command }) => command === underscored(wanted)) ??
    (alias === undefined ? undefined : commands.find(({ name }) => name === alias));
  if (found) return found;
  const near = completions(wanted.slice(0, 3), commands).slice(0, SUGGESTIONS);
  const some = near.length > 0 ? near : commands.slice(0, SUGGESTIONS);
  const hint =
    some.length === 0 ? "There are none." : `For example: ${some.map((c) => `/${c.command}`).join(", ")}.`;
  throw new RepertoireError("slash-unknown", `There is no command "/${wanted}". ${hint}`, typed);
}

/** Commands that start with the prefix in any form that can be typed: `/git_w`, `git-w`, or the display name. */
export function completions(prefix: string, commands: readonly SlashCommand[]): SlashCommand[] {
  const start = startOf(prefix);
  const sameStart = start.replace(/[-. ]/g, "_");
  return commands
    .filter(
      ({ command, name, displayName }) =>
        command.startsWith(sameStart) ||
        name.startsWith(start) ||
        underscored(displayName).startsWith(sameStart),
    )
    .slice(0, COMPLETIONS);
}

/** The spelling that goes on as it was begun, the command or the name; a display name becomes the command. */
export function spelledAs(prefix: string, { command, name }: SlashCommand): string {
  const start = startOf(prefix);
  return name.startsWith(start) && !command.startsWith(start) ? name : command;
}

function startOf(prefix: string): string {
  return prefix.replace(/^\/+/, "").toLowerCase();
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

interface ExpansionOptions {
  readonly rest: string;
  /** Replaces ${SKILL_DIR} and ${CLAUDE_SKILL_DIR}. */
  readonly directory: string;
  /** Whether the front matter says that the skill takes arguments. */
  readonly declaresArguments: boolean;
}

/** Splits `/sven/plan analyse it` into the command `sven/plan` and the rest; undefined if it is not a command. */
export function typedCommand(text: string): { command: string; rest: string } | undefined {
  const [, command, rest] = /^\s*\/([^\s/][^\s]*)([\s\S]*)$/.exec(text) ?? [];
  return command === undefined ? undefined : { command, rest: (rest ?? "").trim() };
}

/** Splits text into words. Quotes of either kind group words, and a backslash escapes the next character. */
export function words(text: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + text[++at];
    else if (quote !== "") {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === '"' || (char === "'" && word === undefined)) {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  return word === undefined ? found : [...found, word];
}

/** Quoted programs in which `$1` is not our placeholder. */
const FOREIGN = String.raw`\b(?:[gm]?awk|sed|perl)\b[^\n'\`]{0,200}'[^'\n]{0,500}'`;
const DIRECTORY = String.raw`\$\{(?:CLAUDE_)?SKILL_DIR\}`;
const ALL = String.raw`\$ARGUMENTS(?:\[(\d{1,3})\])?(?![A-Za-z0-9_])`;
/** A placeholder such as `$1`, but not a price (`$5.00`, `$10`), a name (`$1st`), or escaped. */
const ONE = String.raw`(?<![\w$\\])\$(\d)(?!\w|[.,]\d)`;
const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** The body with the arguments in its placeholders, or followed by a `Task:` line if it has no placeholders. */
export function expandBody(body: string, options: ExpansionOptions): string {
  const { rest, directory } = options;
  const given = words(rest);
  const declared = options.declaresArguments || new RegExp(ALL).test(body);
  let used = false;
  const take = (value: string | undefined) => {
    used = true;
    return value ?? "";
  };
  // One pass over the body, so that typed text is never read as a placeholder.
  const fill = (text: string, positions: boolean) => {
    const pattern = [FOREIGN, DIRECTORY, ALL, ...(positions ? [ONE] : [])].join("|");
    return text.replace(new RegExp(pattern, "g"), (whole, index?: string, position?: string) => {
      if (!whole.startsWith("$")) return whole;
      if (whole.startsWith("${")) return directory;
      if (typeof position === "string" && positions) return take(given[Number(position)]);
      return take(index === undefined ? rest : given[Number(index)]);
    });
  };
  const expanded = segments(body)
    .map(({ text, fenced }) => fill(text, declared || (!fenced && rest !== "")))
    .join("")
    .trim();
  return rest === "" || used ? expanded : `${expanded}\n\nTask: ${rest}`;
}

/** Splits the body at fenced code, in which `$1` belongs to the shell unless the skill declares arguments. */
function segments(body: string): { text: string; fenced: boolean }[] {
  const found: { text: string; fenced: boolean }[] = [];
  let at = 0;
  for (const match of body.matchAll(FENCED)) {
    found.push({ text: body.slice(at, match.index), fenced: false }, { text: match[0], fenced: true });
    at = match.index + match[0].length;
  }
  return [...found, { text: body.slice(at), fenced: false }];
}
