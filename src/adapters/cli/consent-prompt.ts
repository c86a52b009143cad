// Asks a person on the terminal: for consent, with the consent sheet, or to confirm what costs something.

import { createInterface } from "node:readline/promises";
import { type ConsentAsker, type ConsentSheet, codeInWords } from "../../engine/engine.ts";
import { forLine } from "../../text/escape.ts";
import type { Io } from "./io.ts";

/** Rows of one kind before the rest is counted. */
const ROWS = 8;

interface AskOptions {
  /** The person agreed beforehand. */
  readonly yes?: boolean | undefined;
  /** Where the answer comes from; the terminal of the process unless given. */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Asks the question, if other code reads the lines of the terminal. */
  readonly question?: (text: string) => Promise<string>;
}

/** Asks if a person can answer, agrees if they agreed beforehand, and is absent otherwise. */
export function askerFor(io: Io, options: AskOptions): { ask?: ConsentAsker } {
  const { yes, input = process.stdin } = options;
  if (yes) return { ask: () => true };
  if (io.json || !io.streams.terminal || input.isTTY !== true) return {};
  const question =
    options.question ??
    ((text) => {
      io.streams.err(text);
      return firstLine(input);
    });
  const put = async (sheet: ConsentSheet) => {
    showSheet(io, sheet);
    return isYes(await question(`Activate ${sheet.name}? [y/N] `));
  };
  // A model may call for several skills at once; a person answers one question after the other.
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask: (sheet) => {
      const answer = last.then(() => put(sheet));
      last = answer.catch(() => false);
      return answer;
    },
  };
}

/** Whether a person agrees on the terminal; undefined if nobody can be asked. */
export async function confirmed(io: Io, question: string, options: AskOptions): Promise<boolean | undefined> {
  const { yes, input = process.stdin } = options;
  if (yes) return true;
  if (io.json || !io.streams.terminal || input.isTTY !== true) return undefined;
  io.streams.err(`${question} [y/N] `);
  return isYes(await firstLine(input));
}

function isYes(answer: string): boolean {
  return /^\s*y(es)?\s*$/i.test(answer);
}

/** The first line typed; empty when the input ends before, so that Ctrl-D means no. */
async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

/** On standard error, so that standard output stays the answer. */
export function showSheet(io: Io, sheet: ConsentSheet): void {
  const { colour } = io;
  const row = (label: string, value: string) => io.note(`  ${colour.dim(label.padEnd(12))} ${value}`);
  const list = (label: string, values: readonly string[]) => {
    if (values.length === 0) return;
    const shown = values.slice(0, ROWS).map(forLine).join(", ");
    row(label, values.length > ROWS ? `${shown} and ${values.length - ROWS} more` : shown);
  };
  io.note("");
  io.note(`${colour.bold(sheet.name)}  ${forLine(sheet.description)}`);
  io.note("");
  row("source", forLine(sheet.source));
  row("path", forLine(sheet.path));
  row("package", `${sheet.files} files, ${sheet.bytes.toLocaleString("en-US")} bytes`);
  row("digest", sheet.digest);
  list("scripts", sheet.scripts);
  list("toolsets", sheet.toolsets);
  for (const [index, sentence] of codeInWords(sheet).entries()) row(index === 0 ? "code" : "", sentence);
  list("asks tools", sheet.requestedTools);
  list("environment", sheet.environment);
  list("addresses", sheet.addresses);
  if (sheet.changed) {
    io.note(`  ${colour.yellow("It is not what you agreed to before:")}`);
    for (const kind of ["changed", "added", "removed"] as const) list(kind, sheet.changed[kind]);
  }
  showFindings(io, sheet);
  io.note("");
}

function showFindings(io: Io, { findings }: ConsentSheet): void {
  if (findings.length === 0) {
    io.note(`  ${io.colour.dim("findings".padEnd(12))} none`);
    return;
  }
  const paint = { high: io.colour.red, medium: io.colour.yellow, low: io.colour.dim };
  for (const { severity, path, line, message, excerpt } of findings.slice(0, ROWS)) {
    io.note(
      `  ${paint[severity](severity.padEnd(12))} ${forLine(path)}${line === undefined ? "" : `:${line}`}`,
    );
    io.note(`${" ".repeat(15)}${message}`);
    if (excerpt !== "") io.note(`${" ".repeat(15)}${io.colour.dim(forLine(excerpt))}`);
  }
  if (findings.length > ROWS) io.note(`${" ".repeat(15)}and ${findings.length - ROWS} more findings`);
}
