// Finds code that runs whatever it is given: a parameter, an argument or an answer that is passed to `eval` or its kin.

import { excerptOf } from "../excerpt.ts";
import { definition } from "../facts.ts";
import type { Program, Statement } from "../program.ts";
import type { RuleFinding } from "../types.ts";

/** Runs its first argument as code of its own language. */
const RUNS_TEXT: Readonly<Partial<Record<Program["language"], RegExp>>> = {
  python: /(?<![.\w])(?:eval|exec)\(\s?(?:f["'][^"']{0,40}\{)?([A-Za-z_]\w{0,80})\s?(?:[,)}[]|$)/,
  javascript:
    /(?<![.\w])(?:eval|new Function)\(\s?(?:\x60[^\x60]{0,40}\$\{)?([A-Za-z_$][\w$]{0,80})\s?[,)}[]/,
};
const FROM_OUTSIDE =
  /\b(?:sys\.argv|input\(|process\.argv|request\.(?:args|form|json|body)|req\.(?:body|query|params))/;
/** What limits the text first, or the names that it can use. */
const GUARDED = /literal_eval|__builtins__|ast\.parse|compile\(/;

/** Code in documents and tests is an example. */
const EXAMPLE = /\.(?:md|mdx|markdown|txt)$|(?:^|\/)(?:tests?|examples?|fixtures?)\//i;

export function inputFindings(programs: readonly Program[]): RuleFinding[] {
  return programs
    .filter(({ path, language }) => RUNS_TEXT[language] !== undefined && !EXAMPLE.test(path))
    .flatMap((program) => firstFinding(program) ?? []);
}

function firstFinding(program: Program): RuleFinding | undefined {
  const runs = RUNS_TEXT[program.language]!;
  const given = new Map<string, readonly string[]>();
  const outside = new Set<string>();
  for (const statement of program.statements) {
    const { code, bare, scope } = statement;
    if (GUARDED.test(code)) return undefined;
    const defined = definition(statement);
    if (defined) given.set(defined.name, defined.parameters);
    const assigned = FROM_OUTSIDE.test(bare) ? /^(?:const |let |var )?([\w$]{1,80})\s?=/.exec(bare) : null;
    if (assigned) outside.add(assigned[1]!);
    const name = runs.exec(code)?.[1];
    if (name === undefined) continue;
    if (outside.has(name) || scope.some((each) => given.get(each)?.includes(name)))
      return finding(program, statement);
  }
  return undefined;
}

function finding({ path }: Program, { line, code }: Statement): RuleFinding {
  return {
    code: "privilege-runs-input",
    severity: "medium",
    path,
    line,
    excerpt: excerptOf(code),
    message:
      "Runs the text that it is given as code: whoever writes that text, such as a document that the agent reads, can do anything.",
    fix: "Read the input as data, for example with ast.literal_eval or JSON.parse.",
  };
}
