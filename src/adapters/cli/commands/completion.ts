// Completion for shells: `completion SHELL` prints the script, and `complete -- WORDS` answers it with what can follow.

import { spelledAs } from "../../../engine/engine.ts";
import { accepting, type Context, GLOBAL_FLAGS, nameOf, type Verb, type VerbOption } from "../command.ts";

const SCRIPTS = {
  bash: `_repertoire() {
  local IFS=$'\\n'
  COMPREPLY=($(repertoire complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _repertoire repertoire`,
  zsh: `#compdef repertoire
_repertoire() {
  local -a found
  found=("\${(@f)$(repertoire complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _repertoire repertoire`,
  fish: `complete -c repertoire -a '(repertoire complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const;

type Shell = keyof typeof SCRIPTS;

const HOW: Readonly<Record<Shell, string>> = {
  bash: 'Add to ~/.bashrc: eval "$(repertoire completion bash)"',
  zsh: 'Add to ~/.zshrc, below compinit: eval "$(repertoire completion zsh)"',
  fish: "Run once: repertoire completion fish > ~/.config/fish/completions/repertoire.fish",
};

const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** Arguments that are names of skills. */
const SKILL_ARGUMENTS = /^[<[](?:name|skill|names|skills)(?:\.\.\.)?[\]>]$/;

export const COMPLETION_VERBS: readonly Verb[] = [
  {
    use: "completion",
    about: "print the script that completes verbs, options and skills in your shell",
    arguments: [["<shell>", SHELLS.join(", "), accepting(SHELLS)]],
    run({ io }, shell: Shell) {
      io.answer({ shell, script: SCRIPTS[shell], how: HOW[shell] }, () => {
        io.line(SCRIPTS[shell]);
        io.note(io.colour.dim(HOW[shell]));
      });
    },
  },
  {
    use: "complete [words...]",
    isHidden: true,
    about: "list what can follow these words; the scripts of `completion` call it",
    async run(context, words: string[]) {
      const found = await candidates(words, context);
      context.io.answer({ candidates: found }, () => {
        for (const candidate of found) context.io.line(candidate);
      });
    },
  },
];

/** What the last of the words can become. The engine is opened only if names of skills are asked for. */
async function candidates(words: readonly string[], context: Context): Promise<readonly string[]> {
  const typed = words.at(-1) ?? "";
  const { verb, verbs, place, option } = readWords(words.slice(0, -1), await context.allVerbs());
  const startsSo = (list: readonly string[]) => list.filter((one) => one.startsWith(typed));
  if (option !== undefined) return startsSo(acceptedBy(option));
  if (typed.startsWith("-")) return startsSo([...(verb?.options ?? []), ...GLOBAL_FLAGS].map(flagOf));
  if (verbs !== undefined) return startsSo(verbs.map(nameOf));
  if (typed.startsWith("/"))
    return (await context.engine.commands.complete(typed)).map((found) => `/${spelledAs(typed, found)}`);
  const argument = verb && argumentsOf(verb)[Math.min(place, argumentsOf(verb).length - 1)];
  if (argument === undefined) return [];
  if (!SKILL_ARGUMENTS.test(argument.name)) return startsSo(argument.accepted);
  const { skills } = await context.engine.library.list();
  return startsSo([...new Set(skills.map(({ skill }) => skill.name))].sort());
}

interface Place {
  readonly verb?: Verb | undefined;
  /** The verbs that may follow, if one must. */
  readonly verbs?: readonly Verb[] | undefined;
  /** How many arguments the verb has so far. */
  readonly place: number;
  /** The option whose value is due. */
  readonly option?: VerbOption | undefined;
}

function readWords(words: readonly string[], all: readonly Verb[]): Place {
  let verb: Verb | undefined;
  let verbs: readonly Verb[] | undefined = all;
  let place = 0;
  let option: VerbOption | undefined;
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (word.startsWith("-")) {
      const known = [...(verb?.options ?? []), ...GLOBAL_FLAGS].find((one) => one[0].includes(word));
      option = known && /[<[]/.test(known[0]) ? known : undefined;
      continue;
    }
    const next: Verb | undefined = verbs?.find((one) => nameOf(one) === word);
    if (next) {
      verb = next;
      verbs = next.verbs;
    } else place++;
  }
  return { verb, verbs, place, option };
}

function flagOf([flags]: VerbOption): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags.split(/[ ,]/, 1)[0]!;
}

function argumentsOf(verb: Verb): readonly { readonly name: string; readonly accepted: readonly string[] }[] {
  return [
    ...verb.use
      .split(" ")
      .slice(1)
      .map((name) => ({ name, accepted: [] })),
    ...(verb.arguments ?? []).map(([name, , read]) => ({ name, accepted: valuesOf(read) })),
  ];
}

function acceptedBy([, , read]: VerbOption): readonly string[] {
  return valuesOf(read);
}

function valuesOf(read: unknown): readonly string[] {
  return (read as { readonly accepted?: readonly string[] } | undefined)?.accepted ?? [];
}
