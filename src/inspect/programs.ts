// Finds the programs of a file: a script, the fences of a document, the commands of a settings file, and programs in strings.

import { isDescription } from "./context.ts";
import { fenceLanguage, type Language, languageOf, type Program, programOf } from "./program.ts";

const FENCE = /^ {0,12}(?:[-*>] )?(`{3,}|~{3,})\s{0,3}([^`\n]{0,60})/;
const HEADING = /^ {0,3}#{1,6} (.{0,200})/;
const SETTINGS = /\.(?:json|jsonc|toml|ya?ml)$/i;
/** A program in a string: `python3 -c "…"`, `bash -c '…'`, `node -e "…"`. */
const NESTED =
  /\b(python[0-9.]{0,4}|node|deno|bun|(?:ba|z)?sh)\s(?:-[a-z]{1,4}\s){0,2}-(?:c|e|ec|lc|-eval)\s(["'])((?:\\.|(?!\2).){8,8000})\2/gs;
const STDIN =
  /\b(python[0-9.]{0,4}|node|(?:ba|z)?sh)\s(?:-\s)?[^\n|]{0,20}<<-?\s?\\?["']?\w{1,40}["']?[^\n]{0,40}\n(.{8,})$/s;

/** The programs of a file with these lines; `script` if it is not a document. */
export function programsOf(path: string, lines: readonly string[], script: boolean): Program[] {
  const language = script ? languageOf(path, lines[0] ?? "") : undefined;
  const own = language
    ? [programOf(path, language, lines.join("\n"))]
    : script
      ? SETTINGS.test(path)
        ? settingsPrograms(path, lines)
        : []
      : fencePrograms(path, lines);
  return own.flatMap((program) => [withoutPrograms(program), ...nestedPrograms(program)]);
}

/** A shell program without the programs that it hands to interpreters: what one line of them reads has nothing to do with what another sends. */
function withoutPrograms(program: Program): Program {
  if (program.language !== "shell") return program;
  return {
    ...program,
    statements: program.statements.map((statement) => {
      const input = STDIN.exec(statement.code)?.[2];
      if (input === undefined) return statement;
      const head = statement.code.slice(0, statement.code.length - input.length);
      return { ...statement, code: head, bare: head };
    }),
  };
}

function fencePrograms(path: string, lines: readonly string[]): Program[] {
  const programs: Program[] = [];
  let heading = "";
  let lead = "";
  let fence: { readonly mark: string; readonly info: string; readonly from: number } | undefined;
  const close = (end: number): void => {
    const text = lines.slice(fence!.from, end).join("\n");
    const language = fenceLanguage(fence!.info.trim(), text);
    if (language) {
      const source = language === "shell" ? text.replace(/^(\s{0,8})[$>] /gm, "$1") : text;
      programs.push({
        ...programOf(path, language, source, fence!.from + 1),
        described: isDescription(heading, lead),
      });
    }
  };
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line);
    if (fence) {
      if (mark?.[1]?.startsWith(fence.mark) && mark[2]!.trim() === "") {
        close(index);
        fence = undefined;
        lead = "";
      }
      continue;
    }
    if (mark) fence = { mark: mark[1]!, info: mark[2]!, from: index + 1 };
    else {
      const title = HEADING.exec(line)?.[1];
      if (title !== undefined) {
        heading = title.toLowerCase();
        lead = "";
      } else if (line.trim() !== "") lead = `${lead.slice(-300)} ${line.toLowerCase()}`;
    }
  }
  if (fence) close(lines.length);
  return programs;
}

/** Commands that a host starts: `"command"` with its `"args"`, hooks, and scripts of `package.json`. */
function settingsPrograms(path: string, lines: readonly string[]): Program[] {
  const text = lines.join("\n");
  if (!/"(?:command|scripts|run|cmd|exec)"|^\s{0,20}(?:-\s)?(?:command|run|script|cmd)\s?[:=]/m.test(text))
    return [];
  const commands = path.endsWith(".json") ? jsonCommands(text) : [];
  for (const match of text.matchAll(
    /^\s{0,40}(?:-\s)?(?:command|run|script|cmd)\s?[:=]\s?["']?([^\n]{4,600}?)["']?$/gm,
  ))
    commands.push(match[1]!);
  return commands
    .slice(0, 60)
    .map((command) => ({ ...programOf(path, "shell", command, lineOf(lines, command)), settings: true }));
}

function jsonCommands(text: string): string[] {
  const commands: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 8 || typeof value !== "object" || value === null || commands.length > 60) return;
    const { command, args, scripts } = value as Record<string, unknown>;
    if (typeof command === "string")
      commands.push(
        [
          command,
          ...(Array.isArray(args) ? args.filter((arg) => typeof arg === "string").map(quoted) : []),
        ].join(" "),
      );
    if (typeof scripts === "object" && scripts !== null)
      for (const script of Object.values(scripts)) if (typeof script === "string") commands.push(script);
    for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  try {
    visit(JSON.parse(text), 0);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return commands;
}

function quoted(argument: string): string {
  return /[\s;|&$'"]/.test(argument)
    ? argument.includes("'")
      ? `"${argument.replaceAll('"', '\\"')}"`
      : `'${argument}'`
    : argument;
}

function lineOf(lines: readonly string[], command: string): number {
  const start = command.slice(0, 12);
  return (
    Math.max(
      0,
      lines.findIndex((line) => line.includes(start)),
    ) + 1
  );
}

function nestedPrograms(program: Program): Program[] {
  const found: Program[] = [];
  for (const { code, line } of program.statements) {
    if (found.length > 40 || !/python|node|deno|bun|sh/.test(code)) continue;
    for (const match of code.matchAll(NESTED))
      found.push(nested(program, match[1]!, match[3]!.replace(/\\(["'$`\\])/g, "$1"), line));
    const input = program.language === "shell" ? STDIN.exec(code) : undefined;
    if (input) found.push(nested(program, input[1]!, input[2]!, line + 1));
  }
  return found;
}

function nested(program: Program, interpreter: string, text: string, line: number): Program {
  const language: Language = interpreter.startsWith("python")
    ? "python"
    : /sh$/.test(interpreter)
      ? "shell"
      : "javascript";
  return { ...programOf(program.path, language, text, line), described: program.described };
}
