// Reads what one statement does: which names it takes and sets, what it reads, and where it sends or runs it.

import { type Folded, foldConstant, foldShell } from "./fold.ts";
import { watchFor } from "./places.ts";
import type { Program, Statement } from "./program.ts";
import {
  type DataSource,
  firstArgument,
  type Sink,
  sinksIn,
  sourcesIn,
  WATCHED_ENDPOINTS,
  withoutHeaders,
} from "./rules/endpoints.ts";

/** A text that the code builds and that is not in the file as written. */
export interface BuiltText {
  readonly program: Program;
  readonly line: number;
  readonly text: string;
}

interface Name {
  /** Dotted: `self.data`. */
  readonly path: string;
  readonly called: boolean;
  /** Whether only one entry is taken: `env["KEY"]`. */
  readonly picked: boolean;
  /** Whether it only authenticates a request. */
  readonly header: boolean;
}

interface Definition {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** What a statement does. What is needed only where data flows is read when it is asked for. */
export class Fact {
  readonly program: Program;
  readonly statement: Statement;
  /** The statement that opened the connection that is used. */
  readonly reaches: string;
  readonly sources: readonly DataSource[];
  readonly sinks: readonly Sink[];
  readonly #assigned: readonly string[];
  readonly #shell: boolean;
  #targets: readonly string[] | undefined;
  #names: readonly Name[] | undefined;
  #written: readonly string[] | undefined;
  #files: readonly string[] | undefined;
  #defined: { readonly is: Definition | undefined } | undefined;
  #handle: { readonly is: readonly [string, string] | undefined } | undefined;

  constructor(read: {
    readonly program: Program;
    readonly statement: Statement;
    readonly reaches: string;
    readonly sources: readonly DataSource[];
    readonly sinks: readonly Sink[];
    readonly assigned: readonly string[];
  }) {
    this.program = read.program;
    this.statement = read.statement;
    this.reaches = read.reaches;
    this.sources = read.sources;
    this.sinks = read.sinks;
    this.#assigned = read.assigned;
    this.#shell = read.program.language === "shell";
  }

  get targets(): readonly string[] {
    this.#targets ??= [...this.#assigned, ...(this.#shell ? [] : mutated(this.statement.bare))];
    return this.#targets;
  }

  get names(): readonly Name[] {
    this.#names ??= this.#shell ? shellNames(this.statement.code) : namesIn(this.statement.bare);
    return this.#names;
  }

  get written(): readonly string[] {
    this.#written ??= writtenFiles(this.statement.code, this.#shell);
    return this.#written;
  }

  get files(): readonly string[] {
    const { code } = this.statement;
    this.#files ??= this.#shell
      ? filesIn(code.replace(OUTPUT, " "))
      : filesIn(code).filter((file) => !this.written.includes(file));
    return this.#files;
  }

  get defined(): Definition | undefined {
    this.#defined ??= { is: this.#shell ? undefined : definition(this.statement) };
    return this.#defined.is;
  }

  get returns(): boolean {
    const { code } = this.statement;
    return this.#shell ? /^(?:echo|printf|cat|return)\b/.test(code) : /^(?:return|yield)\b/.test(code);
  }

  /** The name that stands for a file, and the file: `with open(path) as f`. */
  get handle(): readonly [string, string] | undefined {
    const { bare, code } = this.statement;
    this.#handle ??= { is: this.#shell ? undefined : handleOf(bare, code) };
    return this.#handle.is;
  }
}

const IDENTIFIER = /[A-Za-z_$][\w$]{0,80}(?:\??\.[A-Za-z_$][\w$]{0,80}){0,6}/g;
const SHELL_NAME = /\$\{?([A-Za-z_]\w{0,80})/g;
const KEYWORDS = new Set(
  "if else elif for in of not and or is while return await async def function class const let var new import from with as try except finally raise throw lambda None True False null undefined true false typeof yield pass do then fi done echo export local print".split(
    " ",
  ),
);

/** What is known of a program while its statements are read. */
interface ProgramReader {
  readonly program: Program;
  readonly known: Map<string, Folded>;
  readonly built: BuiltText[];
  /** The statement that opened a connection, by the name of the connection. */
  readonly connections: Map<string, string>;
}

/** Whether an expression may match a statement as it is in the file, in lower case. */
type MayMatch = (expression: RegExp) => boolean;

const CONNECTS =
  /\b(?:https?\.request|net\.(?:connect|createconnection|socket)|socket\.(?:socket|create_connection)|new websocket|websocket\.create_connection|websockets?\.connect|smtplib\.smtp\w{0,4}|httpsconnection|httpconnection|ftplib\.ftp\w{0,4}|ftp|paramiko\.\w{1,20}|new xmlhttprequest|tls\.connect|dgram\.createsocket)\s?\(/i;
const RUNS_OR_FETCHES =
  /\b(?:exec|eval|system|popen|run|Popen|call|check_output|execSync|spawn|spawnSync|Function|get|post|fetch|urlopen)\s?\(/;
/** The expressions that `MayMatch` is asked about. */
export const WATCHED: ReadonlySet<RegExp> = new Set([...WATCHED_ENDPOINTS, CONNECTS, RUNS_OR_FETCHES]);
for (const expression of WATCHED) watchFor(expression);
const SENDS_OVER =
  /([\w$.]{1,80})\.(?:write|end|send|sendall|sendto|request|sendmail|send_message|storbinary|put|emit|putrequest)\(/g;

export function factOf(statement: Statement, reader: ProgramReader, mayMatch: MayMatch): Fact {
  const { program } = reader;
  const { language } = program;
  const shell = language === "shell";
  const assigned = shell ? shellAssignment(statement) : assignment(statement);
  if (assigned?.names.length === 1) keepConstant(statement, assigned.names[0]!, assigned.value, reader);
  const code = shell ? shellText(statement, reader) : statement.code;
  if (!shell && mayMatch(RUNS_OR_FETCHES)) foldArguments(statement, reader);
  const connection = shell ? undefined : connectionIn(statement, assigned?.names, reader, mayMatch);
  const may: MayMatch = code === statement.code ? mayMatch : () => true;
  const sinks = sinksIn(code, statement.bare, language, may);
  if (connection !== undefined && !sinks.some(({ kind }) => kind === "send")) sinks.push({ kind: "send" });
  return new Fact({
    program,
    statement: code === statement.code ? statement : { ...statement, code },
    reaches: connection ?? "",
    assigned: assigned?.names ?? [],
    sources: sourcesIn(code, language, may),
    sinks,
  });
}

/** The statement that opened the connection over which this one sends; keeps those that it opens. */
function connectionIn(
  { code, bare }: Statement,
  names: readonly string[] | undefined,
  { connections }: ProgramReader,
  mayMatch: MayMatch,
): string | undefined {
  for (const match of bare.includes(".connect") ? bare.matchAll(/([\w$.]{1,80})\.connect(?:_ex)?\(/g) : []) {
    const known = connections.get(match[1]!);
    if (known !== undefined) connections.set(match[1]!, `${known} ${code}`);
  }
  if (names?.length === 1 && mayMatch(CONNECTS) && CONNECTS.test(code)) {
    connections.set(names[0]!, code);
    return undefined;
  }
  if (connections.size === 0) return undefined;
  for (const match of bare.matchAll(SENDS_OVER)) {
    const opened = connections.get(match[1]!);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

function keepConstant(
  statement: Statement,
  name: string,
  value: string,
  { program, known, built }: ProgramReader,
): void {
  const folded = program.language === "shell" ? shellConstant(value, known) : foldConstant(value, known);
  if (!folded || folded.text.length < 1 || known.size > 2_000) return;
  known.set(name, folded);
  const short = /^(?:self|this|cls)\.(.{1,80})$/.exec(name)?.[1];
  if (short !== undefined) known.set(short, folded);
  if (folded.disguised && folded.text.length >= 8)
    built.push({ program, line: statement.line, text: folded.text });
}

function shellConstant(value: string, known: Map<string, Folded>): Folded | undefined {
  const text = value.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const folded = foldShell(text, known);
  return /[$`]/.test(folded.text) || folded.text.length > 4_000 ? undefined : folded;
}

function shellText(statement: Statement, { program, known, built }: ProgramReader): string {
  if (!statement.code.includes("$") && !statement.code.includes("|")) return statement.code;
  const folded = foldShell(statement.code, known);
  if (folded.disguised && folded.text !== statement.code)
    built.push({ program, line: statement.line, text: folded.text });
  return folded.text;
}

/** Folds what is passed to calls that run text, and every decoder that is called with literals. */
function foldArguments(statement: Statement, { program, known, built }: ProgramReader): void {
  const call = RUNS_OR_FETCHES.exec(statement.code);
  if (!call) return;
  const first = firstArgument(statement.code, call.index + call[0].length);
  if (!/[+([`]|^f["']|^[\w.]+$/.test(first)) return;
  const folded = foldConstant(first, known);
  if (folded?.disguised && folded.text.length >= 6)
    built.push({ program, line: statement.line, text: folded.text });
}

function shellAssignment({ code }: Statement): { names: string[]; value: string } | undefined {
  const match =
    /^(?:(?:export|local|declare|readonly|then|do|else)\s(?:-\w{1,3}\s)?)?([A-Za-z_]\w{0,80})\+?=(.*)$/s.exec(
      code,
    );
  if (match) return { names: [match[1]!], value: match[2]! };
  const read = /\b(?:while|for)\s(?:.{0,40}read\s(?:-\w{1,3}\s){0,3})?([A-Za-z_]\w{0,80})\b/.exec(code);
  return read ? { names: [read[1]!], value: "" } : undefined;
}

const ASSIGNMENT =
  /^(?:(?:export|const|let|var|public|private|static|readonly|async|final)\s){0,3}([\w$.,\s[\]{}:*'"()]{1,200}?)\s?(?::\s?[\w<>[\], |.]{1,80}\s?)?(?:[-+|]|\?\?|\|\|)?=(?![=>])\s?(.*)$/s;

function assignment({ code, bare }: Statement): { names: string[]; value: string } | undefined {
  const loop =
    /^(?:async\s)?for\s?\(?\s?(?:const |let |var )?([\w$,\s()[\]{}]{1,120}?)\s(?:in|of)\s(.*)$/s.exec(bare);
  if (loop) return { names: plainNames(loop[1]!), value: "" };
  const opened = /^(?:async\s)?with\s.{1,600}\sas\s([\w.]{1,80})/s.exec(bare);
  if (opened) return { names: [opened[1]!], value: "" };
  const callback = /(?:\(([\w$,\s{}]{1,80})\)|([\w$]{1,40}))\s?=>\s?$/.exec(bare);
  if (callback && !/^(?:const|let|var|export)\b/.test(bare))
    return { names: plainNames(callback[1] ?? callback[2]!), value: "" };
  if (/^(?:if|elif|while|return|assert|def|class|else|except|case|import|from)\b/.test(bare))
    return undefined;
  const match = ASSIGNMENT.exec(code);
  if (!match || /["'(]/.test(match[1]!.replace(/\[[^\]]{0,80}\]/g, ""))) return undefined;
  return { names: plainNames(match[1]!.replace(/\[[^\]]{0,80}\]/g, "")), value: match[2]! };
}

function plainNames(list: string): string[] {
  return list
    .split(/[,\s()[\]{}:]+/)
    .filter(
      (name) =>
        /^[A-Za-z_$][\w$.]{0,100}$/.test(name) &&
        !KEYWORDS.has(name) &&
        !/^(?:os\.environ|process\.env)/.test(name),
    )
    .slice(0, 8);
}

/** The containers that a statement adds to. */
function mutated(bare: string): string[] {
  const found: string[] = [];
  for (const match of bare.matchAll(
    /([A-Za-z_$][\w$.]{0,100})\.(?:append|push|add|update|extend|write|writelines|set|insert|writestr|unshift|concat|put|attach|add_attachment|set_content|set_payload)\(/g,
  ))
    found.push(match[1]!);
  const piped = /\.pipe\(\s?([\w$.]{1,80})/.exec(bare) ?? /\bdump\([^,]{1,200},\s?([\w.]{1,80})/.exec(bare);
  if (piped) found.push(piped[1]!);
  const grown = /=>\s?\(?([\w$]{1,40})\s?\+=/.exec(bare);
  if (grown) found.push(grown[1]!);
  return found.filter((name) => !/^(?:os\.environ|process\.env|process|sys\.path|console)$/.test(name));
}

export function definition({ code, opens }: Statement): Definition | undefined {
  const match =
    /^(?:async\s)?def\s([A-Za-z_]\w{0,80})\s?\((.{0,600})/s.exec(code) ??
    /^(?:(?:export|default|async)\s){0,3}function\s?\*?\s?([A-Za-z_$][\w$]{0,80})\s?\((.{0,600})/s.exec(
      code,
    ) ??
    /^(?:(?:export|const|let|var)\s){1,2}([A-Za-z_$][\w$]{0,80})\s?=\s?(?:async\s)?(?:function\s?)?\(?([^()]{0,400})\)?[^=]{0,60}=>?/s.exec(
      code,
    ) ??
    (opens
      ? /^(?:(?:async|static|public|private)\s){0,3}([A-Za-z_$][\w$]{0,80})\s?\(([\w$,\s=:.?{}[\]<>|]{0,400})\)\s{0,9}(?::[^=]{0,60})?$/s.exec(
          code,
        )
      : null);
  if (!match || KEYWORDS.has(match[1]!) || /^(?:catch|switch)$/.test(match[1]!)) return undefined;
  const parameters = match[2]!
    .split(",")
    .map((part) => /^\s{0,9}\*{0,2}(?:\.\.\.)?\{?\s?([A-Za-z_$][\w$]{0,80})/.exec(part)?.[1])
    .filter(
      (name): name is string => name !== undefined && name !== "self" && name !== "cls" && name !== "this",
    );
  return { name: match[1]!, parameters: parameters.slice(0, 12) };
}

function handleOf(bare: string, code: string): readonly [string, string] | undefined {
  const name =
    /\sas\s([\w.]{1,80})/.exec(bare)?.[1] ??
    /^(?:const |let |var )?([\w$]{1,80})\s?=\s?(?:open|fs\.createWriteStream|tarfile\.open|zipfile\.ZipFile|ZipFile)\(/.exec(
      bare,
    )?.[1];
  if (name === undefined) return undefined;
  const file = /(?:open|createWriteStream|ZipFile)\(\s?(?:["']([^"']{1,200})["']|([\w$.]{1,80}))/.exec(code);
  return file ? [name, file[1] !== undefined ? fileKey(file[1]) : file[2]!] : undefined;
}

/** The names in an expression; those of arguments (`data=`) and keys (`{ data: … }`) are not values. */
function namesIn(bare: string): Name[] {
  const names: Name[] = [];
  const kept = withoutHeaders(bare);
  const body = kept === bare ? undefined : new Set(kept.match(IDENTIFIER));
  const starts = /\b(?:exec|spawn|fork|run|popen|call)\w{0,12}\(/i.test(bare);
  for (const match of bare.matchAll(IDENTIFIER)) {
    if (names.length > 60) break;
    const path = match[0].replaceAll("?.", ".");
    const next = bare.slice(match.index + match[0].length, match.index + match[0].length + 8);
    const before = bare.slice(Math.max(0, match.index - 24), match.index);
    if (KEYWORDS.has(path) || (/^\s?=(?![=>])/.test(next) && /[(,]\s{0,20}$/.test(before))) continue;
    if (/\benv\s?[=:]\s?$/.test(before) || (path === "env" && starts && /[{,]\s{0,20}$/.test(before)))
      continue;
    if (/^\s?:(?!:)/.test(next) && /[{,]\s{0,20}$/.test(before)) continue;
    const getter = /\.(?:get|pop)$/.test(path) && /^\s?\(/.test(next);
    names.push({
      path: getter ? path.replace(/\.\w{1,4}$/, "") : path,
      called: !getter && /^\s?\(/.test(next),
      picked: getter || /^\s?\[""/.test(next),
      header: body !== undefined && !body.has(match[0]),
    });
  }
  return names;
}

/** Where a command writes to, and how it shows progress. */
const OUTPUT =
  /\s?[0-9&]?>{1,2}\s?(?:"[^"]{0,200}"|[^\s;|&)]{1,200})|\s(?:-o|-O|--output|-w|--write-out|-D)\s(?:"[^"]{0,200}"|'[^']{0,200}'|[^\s;|&)]{1,200})/g;

function shellNames(code: string): Name[] {
  const read = code.replace(OUTPUT, " ");
  const body = withoutHeaders(read);
  return [...read.matchAll(SHELL_NAME)]
    .slice(0, 60)
    .map((match) => ({ path: match[1]!, called: false, picked: false, header: !body.includes(match[0]) }));
}

const FILE =
  /(?:["'\s=@<>(]|^)((?:~|\.{1,2}|\$\{?\w{1,40}\}?)?\/?[\w.$@+-]{1,80}(?:\/[\w.$@+-]{1,80}){0,8})/g;

function filesIn(code: string): string[] {
  const found = new Set<string>();
  for (const match of code.slice(0, 2_000).matchAll(FILE)) {
    const key = fileKey(match[1]!);
    if (/\/|\.\w{2,5}$/.test(key) && key.length > 3) found.add(key);
    if (found.size > 20) break;
  }
  return [...found];
}

function fileKey(path: string): string {
  return path.replace(/^["'@]+|["']+$/g, "").replace(/^\.\//, "");
}

function writtenFiles(code: string, shell: boolean): string[] {
  const found: string[] = [];
  const expressions = shell
    ? [
        /(?<![0-9&>])>{1,2}\s?["']?([\w.$~/{}@+-]{2,160})/g,
        /\s(?:-o|-O|--output|--output-document|-out|--file)[= ]\s?["']?([\w.$~/{}@+-]{2,160})/g,
        /\btee\s(?:-a\s)?["']?([\w.$~/{}@+-]{2,160})/g,
        /\btar\s-?[a-z]{0,5}[cru][a-z]{0,5}\s["']?([\w.$~/{}@+-]{2,160})/g,
        /\bzip\s(?:-\w{1,6}\s){0,3}["']?([\w.$~/{}@+-]{2,160})/g,
        /\b(?:cp|mv|ln)\s(?:-\w{1,6}\s){0,3}\S{1,200}\s["']?([\w.$~/{}@+-]{2,160})/g,
      ]
    : [
        /(?:write_text|write_bytes|writeFile(?:Sync)?|appendFile(?:Sync)?|urlretrieve|make_archive|createWriteStream|copy(?:file|2)?)\([^"'\n]{0,80}["']([^"'\n]{2,160})["']/g,
        /(?:Path|open)\(\s?["']([^"'\n]{2,160})["'][^\n]{0,40}(?:write|["'][wa]b?["'])/g,
        /\s(?:-o|-O|--output|>)\s?["']?([\w.$~/{}@+-]{3,160})/g,
      ];
  for (const expression of expressions)
    for (const match of code.slice(0, 2_000).matchAll(expression)) found.push(fileKey(match[1]!));
  return found.filter((file) => file !== "/dev/null" && file !== "-" && file.length > 2).slice(0, 8);
}
