// Owns what a typed slash command becomes: the skill's body with the person's words in it. Does not own which skill
// is meant: `slash.ts` does.

export interface TypedCommand {
  /** Without the slash. */
  readonly command: string;
  /** As typed, without blanks around it. */
  readonly rest: string;
}

export interface ExpansionOptions {
  readonly rest: string;
  /** Stands for ${SKILL_DIR} and ${CLAUDE_SKILL_DIR}. */
  readonly directory: string;
  /** The front matter says that the skill takes arguments. */
  readonly declaresArguments: boolean;
}

/** `/sven/plan analyse it` is the command and the rest; anything that is no command is nothing. */
export function typedCommand(text: string): TypedCommand | undefined {
  const [, command, rest] = /^\s*\/([^\s/][^\s]*)([\s\S]*)$/.exec(text) ?? [];
  return command === undefined ? undefined : { command, rest: (rest ?? "").trim() };
}

/** Words, where quotes of either kind group and a backslash keeps the next character. */
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

/** Programs in quotes whose `$1` is their own. */
const FOREIGN = String.raw`\b(?:[gm]?awk|sed|perl)\b[^\n'\`]{0,200}'[^'\n]{0,500}'`;
const DIRECTORY = String.raw`\$\{(?:CLAUDE_)?SKILL_DIR\}`;
const ALL = String.raw`\$ARGUMENTS(?:\[(\d{1,3})\])?(?![A-Za-z0-9_])`;
/** Not a price (`$5.00`, `$10`) nor a name (`$1st`), and not escaped. */
const ONE = String.raw`(?<![\w$\\])\$(\d)(?!\w|[.,]\d)`;
const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** The body alone, the body with the arguments where it wants them, or the body and a `Task:` line. */
export function expandBody(body: string, options: ExpansionOptions): string {
  const { rest, directory } = options;
  const given = words(rest);
  const declared = options.declaresArguments || new RegExp(ALL).test(body);
  let used = false;
  const take = (value: string | undefined) => {
    used = true;
    return value ?? "";
  };
  // One pass over the body: what a person typed is never read as a placeholder.
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

/** Shell code in a fence has a `$1` of its own, unless the skill says that it takes arguments. */
function segments(body: string): { text: string; fenced: boolean }[] {
  const found: { text: string; fenced: boolean }[] = [];
  let at = 0;
  for (const match of body.matchAll(FENCED)) {
    found.push({ text: body.slice(at, match.index), fenced: false }, { text: match[0], fenced: true });
    at = match.index + match[0].length;
  }
  return [...found, { text: body.slice(at), fenced: false }];
}
