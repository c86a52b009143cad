// Cuts code into statements: for shell, Python and JavaScript or TypeScript, in one pass, also for code that does not parse.
//
// A parser would refuse most of what skills contain: fences with placeholders, three languages in one string, half a script.

import { isWordCode } from "./literals.ts";

export type Language = "shell" | "python" | "javascript";

export interface Statement {
  /** 1-based line in the file. */
  readonly line: number;
  /** Without comments, with strings. */
  readonly code: string;
  /** `code` without the contents of strings; what is interpolated stays. */
  readonly bare: string;
  /** The names of the enclosing functions, outermost first. */
  readonly scope: readonly string[];
  /** Whether a block in braces follows: `send(data) {` defines a method, `send(data)` calls a function. */
  readonly opens?: boolean | undefined;
}

export interface Program {
  readonly path: string;
  readonly language: Language;
  readonly statements: readonly Statement[];
  /** Whether a host starts it by itself, from a settings file. */
  readonly settings?: boolean | undefined;
  /** Whether the document around it describes an attack instead of asking for it. */
  readonly described?: boolean | undefined;
}

/** The most characters of a statement that are kept; a longer one is data. */
const STATEMENT = 4_000;
/** The most statements of a program. */
const STATEMENTS = 6_000;

const BY_NAME: readonly (readonly [RegExp, Language])[] = [
  [
    /\.(?:sh|bash|zsh|ksh|command|fish)$|(?:^|\/)(?:\.envrc|\.bashrc|\.zshrc|\.profile|Makefile|Dockerfile)$/i,
    "shell",
  ],
  [/\.pyw?$/i, "python"],
  [/\.(?:js|mjs|cjs|jsx|ts|mts|cts|tsx)$/i, "javascript"],
];
const BY_FENCE: readonly (readonly [RegExp, Language])[] = [
  [/^(?:sh|bash|shell|zsh|console|terminal|shell-session|shellscript|powershell|ps1|cmd)\b/i, "shell"],
  [/^(?:python|py|python3|ipython)\b/i, "python"],
  [/^(?:js|javascript|ts|typescript|mjs|jsx|tsx|node)\b/i, "javascript"],
];

/** The language of a script by its name or its first line. */
export function languageOf(path: string, firstLine: string): Language | undefined {
  const named = BY_NAME.find(([name]) => name.test(path))?.[1];
  if (named || !firstLine.startsWith("#!")) return named;
  if (/python/.test(firstLine)) return "python";
  return /\b(?:node|deno|bun|tsx)\b/.test(firstLine)
    ? "javascript"
    : /sh\b/.test(firstLine)
      ? "shell"
      : undefined;
}

/** The language of a fence by its info string, or by its text if it has none. */
export function fenceLanguage(info: string, text: string): Language | undefined {
  const named = BY_FENCE.find(([name]) => name.test(info))?.[1];
  if (named || info !== "") return named;
  if (/^(?:import [a-z_]|from [a-z_.]{1,40} import |def [a-z_]{1,40}\()/m.test(text)) return "python";
  if (/^(?:const|let|var) [\w{[]|\brequire\(|=> ?\{|^import .{1,80} from ["']/m.test(text))
    return "javascript";
  return /^\s{0,8}(?:\$ )?(?:curl|wget|npm|npx|pip3?|git|bash|sh|sudo|python3?|node|export|echo|cat|chmod|tar|uv|uvx|rm|mkdir|eval|nc)\s/m.test(
    text,
  )
    ? "shell"
    : undefined;
}

/** The statements of a text that starts on line `first` of its file. */
export function programOf(path: string, language: Language, text: string, first = 1): Program {
  return { path, language, statements: new Cutter(language, text, first).cut() };
}

/** A `block` brace has statements inside, every other bracket only a part of one. */
type Bracket = "round" | "square" | "brace" | "block";

class Cutter {
  readonly #language: Language;
  readonly #text: string;
  readonly #found: Statement[] = [];
  readonly #brackets: Bracket[] = [];
  /** For Python the indentation of each enclosing function, otherwise its depth in brackets. */
  readonly #scopes: { readonly name: string; readonly depth: number }[] = [];
  #line: number;
  #startLine: number;
  #code = "";
  #bare = "";
  #heredocs: string[] = [];

  constructor(language: Language, text: string, first: number) {
    this.#language = language;
    this.#text = text;
    this.#line = first;
    this.#startLine = first;
  }

  cut(): Statement[] {
    const text = this.#text;
    for (let at = 0; at < text.length && this.#found.length < STATEMENTS; ) at = this.#step(at);
    this.#end();
    return this.#found;
  }

  #step(at: number): number {
    const end = wordEnd(this.#text, at);
    if (end > at) return this.#word(at, end);
    const char = this.#text[at]!;
    if (char === "\n") return this.#newline(at);
    if (this.#isComment(at)) return endOfLine(this.#text, at);
    if (this.#language === "javascript" && this.#text.startsWith("/*", at)) return this.#blockComment(at);
    if (char === '"' || char === "'" || char === "`") return this.#string(at, char);
    if (char === "\\") return this.#escape(at);
    if (this.#language === "shell") return this.#shellStep(at, char);
    if ("([{".includes(char)) return this.#open(at, char);
    if (")]}".includes(char)) return this.#close(at);
    if (char === ";" && this.#breakable()) {
      this.#end();
      return at + 1;
    }
    return this.#take(char, at + 1);
  }

  /** Letters are never the start of anything else, so they are taken together. */
  #word(at: number, end: number): number {
    const room = Math.max(1, STATEMENT - this.#code.length);
    return this.#take(this.#text.slice(at, Math.min(end, at + room)), end);
  }

  #take(part: string, next: number, bare = part): number {
    if (this.#code === "") {
      if (part.trim() === "" && this.#language !== "python") return next;
      this.#startLine = this.#line;
    }
    if (this.#code.length < STATEMENT) {
      this.#code += part;
      this.#bare += bare;
    }
    return next;
  }

  #breakable(): boolean {
    const top = this.#brackets.at(-1);
    return top === undefined || top === "block";
  }

  #newline(at: number): number {
    this.#line++;
    if (this.#heredocs.length > 0) return this.#heredoc(at + 1);
    if (this.#language === "javascript" && this.#breakable()) {
      const rest = this.#text.slice(at + 1, at + 80).trimStart();
      const open =
        /[=,+\-*&|?:(<]$|\b(?:return|await|const|let|var)$/.test(this.#code.trimEnd()) &&
        !/(?:\+\+|--|=>)$/.test(this.#code.trimEnd());
      if (this.#code.trim() !== "" && !open && !/^(?:\.(?!\.)|\?|:|&&|\|\||\+ )/.test(rest)) this.#end();
      else this.#take(" ", at + 1);
      return at + 1;
    }
    if (this.#breakable() && !(this.#language === "shell" && /(?:\||&&)\s*$/.test(this.#code.slice(-9))))
      this.#end();
    else this.#take(" ", at + 1);
    return at + 1;
  }

  #escape(at: number): number {
    if (this.#text[at + 1] === "\n") {
      this.#line++;
      return this.#take(" ", at + 2);
    }
    return this.#take(this.#text.slice(at, at + 2), at + 2);
  }

  #isComment(at: number): boolean {
    const before = this.#text[at - 1];
    if (this.#language === "javascript")
      return this.#text.startsWith("//", at) && before !== ":" && before !== "\\";
    if (this.#text[at] !== "#") return false;
    return this.#language === "python" || before === undefined || /\s/.test(before);
  }

  #blockComment(at: number): number {
    const end = this.#text.indexOf("*/", at + 2);
    const next = end < 0 ? this.#text.length : end + 2;
    this.#count(at, next);
    return next;
  }

  #count(from: number, to: number): void {
    for (let at = this.#text.indexOf("\n", from); at >= 0 && at < to; at = this.#text.indexOf("\n", at + 1))
      this.#line++;
  }

  /** A string is kept whole in `code`; `bare` gets two quotes around what is interpolated. */
  #string(at: number, quote: string): number {
    const text = this.#text;
    const triple = this.#language === "python" && text.startsWith(quote.repeat(3), at);
    const mark = triple ? quote.repeat(3) : quote;
    const lines = triple || this.#language === "shell" || quote === "`";
    let end = at + mark.length;
    for (; end < text.length; end++) {
      if (text[end] === "\\" && !(this.#language === "shell" && quote === "'")) end++;
      else if (text[end] === "\n" && !lines) break;
      else if (text.startsWith(mark, end)) break;
    }
    // A quotation mark without a partner, as an apostrophe in a message, is an ordinary character.
    if (end >= text.length && lines) return this.#take(quote, at + 1);
    const closed = text.startsWith(mark, end);
    const next = closed ? end + mark.length : Math.min(end, text.length);
    const whole = text.slice(at, next);
    const prefix = /[a-z]{0,2}$/i.exec(this.#code.slice(-2))?.[0] ?? "";
    this.#take(
      whole,
      next,
      `""${this.#interpolated(whole, quote, /f/i.test(prefix) && this.#language === "python")}`,
    );
    this.#count(at, next);
    return next;
  }

  #interpolated(whole: string, quote: string, formatted: boolean): string {
    if (this.#language === "shell") return quote === "'" ? "" : ` ${whole.replaceAll(/["'`]/g, " ")} `;
    const expression =
      quote === "`" && this.#language === "javascript"
        ? /\$\{([^}]{1,300})\}/g
        : formatted
          ? /\{([^{}]{1,300})\}/g
          : undefined;
    if (!expression) return "";
    return ` ${[...whole.matchAll(expression)].map((match) => match[1]).join(" , ")} `;
  }

  #shellStep(at: number, char: string): number {
    const text = this.#text;
    if (char === "(" || (char === "{" && /[\s\n]/.test(text[at + 1] ?? ""))) {
      const inner =
        text[at - 1] === "$" || text[at - 1] === "<" || text[at - 1] === ">" || text[at - 1] === "=";
      const name = /(?:^|\s)(?:function )?([A-Za-z_][\w-]{0,60}) ?\(\s{0,9}\) ?$/.exec(
        this.#code.slice(-90),
      )?.[1];
      if (char === "{" && name !== undefined) {
        this.#end();
        this.#scopes.push({ name, depth: this.#brackets.length });
      }
      if (char === "{") this.#end();
      this.#brackets.push(char === "(" && (inner || text[at + 1] === ")") ? "round" : "block");
      return char === "(" ? this.#take(char, at + 1) : at + 1;
    }
    if (char === ")" || char === "}") {
      const top = this.#brackets.at(-1);
      if (top === undefined || (char === "}" && top !== "block")) return this.#take(char, at + 1);
      if (char === "}") this.#end();
      this.#brackets.pop();
      this.#leaveScopes();
      return char === ")" ? this.#take(char, at + 1) : at + 1;
    }
    const heredoc =
      char === "<" && text[at - 1] !== "<"
        ? /^<<-?\s?\\?["']?([A-Za-z_]\w{0,40})["']?/.exec(text.slice(at, at + 60))
        : undefined;
    if (heredoc) {
      this.#heredocs.push(heredoc[1]!);
      return this.#take(heredoc[0], at + heredoc[0].length);
    }
    if (!this.#breakable()) return this.#take(char, at + 1);
    if (
      char === ";" ||
      (char === "&" && text[at + 1] !== ">" && text[at - 1] !== ">" && text[at - 1] !== "<")
    ) {
      const twice = text[at + 1] === char;
      this.#end();
      return at + (twice ? 2 : 1);
    }
    if (char === "|" && text[at + 1] === "|") {
      this.#end();
      return at + 2;
    }
    return this.#take(char, at + 1);
  }

  /** The body of a here-document belongs to the statement that reads it. */
  #heredoc(at: number): number {
    const mark = this.#heredocs.shift()!;
    const from = this.#text.slice(at);
    const closing = new RegExp(`^\\t*${mark}\\s*$`, "m").exec(from);
    const end = closing ? at + closing.index : this.#text.length;
    const body = this.#text.slice(at, end);
    this.#take(`\n${body}`, end, ` ${body} `);
    const next = closing ? end + closing[0].length : end;
    this.#count(at, next);
    return next;
  }

  #open(at: number, char: string): number {
    if (char !== "{" || this.#language === "python") {
      this.#brackets.push(char === "(" ? "round" : char === "[" ? "square" : "brace");
      return this.#take(char, at + 1);
    }
    const before = this.#code.slice(-600).trimEnd();
    const block =
      /(?:=>|\)|\b(?:else|do|try|finally)|^|\))$/.test(before) ||
      /\b(?:class|interface|enum|namespace)\b[^=]{0,200}$/.test(before) ||
      /\)\s{0,9}:\s{0,9}[\w<>[\], |]{1,80}$/.test(before);
    if (!block) {
      this.#brackets.push("brace");
      return this.#take(char, at + 1);
    }
    const name = functionName(before);
    this.#end(true);
    if (name !== undefined) this.#scopes.push({ name, depth: this.#brackets.length });
    this.#brackets.push("block");
    return at + 1;
  }

  #close(at: number): number {
    const block = this.#brackets.at(-1) === "block";
    if (block) this.#end();
    this.#brackets.pop();
    this.#leaveScopes();
    return block ? at + 1 : this.#take(this.#text[at]!, at + 1);
  }

  #leaveScopes(): void {
    while (
      this.#scopes.length > 0 &&
      this.#language !== "python" &&
      this.#scopes.at(-1)!.depth >= this.#brackets.length
    )
      this.#scopes.pop();
  }

  #end(opens = false): void {
    const code = this.#code;
    this.#code = "";
    const bare = this.#bare;
    this.#bare = "";
    if (code.trim() === "") return;
    if (this.#language === "python") {
      const depth = /^[ \t]*/.exec(code)![0].length;
      while (this.#scopes.length > 0 && this.#scopes.at(-1)!.depth >= depth) this.#scopes.pop();
      this.#add(code, bare);
      const name = /^\s*(?:async )?def ([A-Za-z_]\w{0,80})/.exec(code)?.[1];
      if (name !== undefined) this.#scopes.push({ name, depth });
      return;
    }
    this.#add(code, bare, opens);
  }

  #add(code: string, bare: string, opens = false): void {
    this.#found.push({
      line: this.#startLine,
      code: code.trim(),
      bare: bare.trim(),
      scope: this.#scopes.map(({ name }) => name),
      opens,
    });
  }
}

/** The name of the function whose body starts after `code`; "" for one without a name. */
function functionName(code: string): string | undefined {
  const named =
    /\bfunction\s?\*?\s?([A-Za-z_$][\w$]{0,80})\s?\([^()]{0,400}\)[^()]{0,80}$/.exec(code) ??
    /([A-Za-z_$][\w$]{0,80})\s?[:=]\s?(?:async )?(?:function\b)?\s?(?:\([^()]{0,400}\)|[\w$]{1,60})[^()=]{0,80}(?:=>)?$/.exec(
      code,
    ) ??
    /^(?:(?:async|static|public|private|export)\s){0,4}([A-Za-z_$][\w$]{0,80})\s?\([^()]{0,400}\)[^()]{0,80}$/.exec(
      code,
    );
  if (named && !/^(?:if|for|while|switch|catch|with)$/.test(named[1]!)) return named[1];
  return undefined;
}

/** The end of the letters, digits and `_` that start at `at`. */
function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return end;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
