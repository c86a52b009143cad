// Asks a person on the terminal: for consent, with the consent sheet, or to confirm what costs something.

import { createInterface } from "node:readline/promises";
import { type ConsentAsker, type ConsentSheet, codeInWords } from "../../engine/engine.ts";
import { RepertoireError } from "../../model/errors.ts";
import { forLine } from "../../text/escape.ts";
import { numberOf } from "../../text/numbers.ts";
import type { VerbOption } from "./command.ts";
import type { Io } from "./io.ts";
import { paintVerdict } from "./tell.ts";

/** Rows of one kind before the rest is counted. */
const ROWS = 8;

interface AskOptions {
  /** The person agreed beforehand, to content whose digest begins like this. */
  readonly digest?: string | undefined;
  /** What the person agrees to do; "Activate" unless given. */
  readonly verb?: "Activate" | "Trust" | undefined;
  /** Where the answer comes from; the terminal of the process unless given. */
  readonly input?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Asks the question, if other code reads the lines of the terminal. */
  readonly question?: (text: string) => Promise<string>;
}

/** How much of a digest names it: an author could make another package that begins like a shorter one. */
const DIGEST_CHARS = 16;

export interface AgreementFlags {
  readonly yes?: boolean;
  readonly digest?: string;
}

/** Flags with which a person agrees to content whose sheet they have seen before: only the sheet prints the digest. */
export const AGREEMENT_OPTIONS: readonly VerbOption[] = [
  ["--yes", "agree without being asked, with --digest"],
  [
    "--digest <prefix>",
    `the digest on the sheet that you have read, at least ${DIGEST_CHARS} characters of it`,
  ],
];

/** The digest that the person agreed to beforehand. */
export function agreedDigest({ yes, digest }: AgreementFlags): string | undefined {
  if (!yes && digest === undefined) return undefined;
  if (yes && digest !== undefined && new RegExp(`^[0-9a-f]{${DIGEST_CHARS},64}$`).test(digest)) return digest;
  throw new RepertoireError(
    "usage",
    `To agree without being asked, give --yes and --digest with at least ${DIGEST_CHARS} characters of the digest that the consent sheet shows.`,
    digest,
  );
}

/** Asks if a person can answer, agrees to what they agreed to beforehand, and is absent otherwise. */
export function askerFor(io: Io, options: AskOptions): { ask?: ConsentAsker } {
  const { digest, verb = "Activate", input = process.stdin } = options;
  if (digest !== undefined) return { ask: (sheet) => agreedBeforehand(sheet, digest) };
  if (io.json || !io.streams.terminal || input.isTTY !== true) return {};
  const question =
    options.question ??
    ((text) => {
      io.streams.err(text);
      return firstLine(input);
    });
  const put = async (sheet: ConsentSheet) => {
    showSheet(io, sheet);
    return isYes(await question(`${verb} ${sheet.name}? [y/N] `));
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

function agreedBeforehand({ name, digest, verdict }: ConsentSheet, agreed: string): boolean {
  if (verdict === "dangerous")
    throw new RepertoireError(
      "consent-required",
      `"${name}" is dangerous, so it is not activated without a person who answers on a terminal.`,
      name,
    );
  if (digest.startsWith(agreed)) return true;
  throw new RepertoireError(
    "consent-stale",
    `"${name}" is not what was agreed to: its digest is different. Look at it again.`,
    name,
  );
}

/** Whether a person agrees on the terminal; undefined if nobody can be asked. */
export async function confirmed(
  io: Io,
  question: string,
  options: { readonly yes?: boolean | undefined; readonly input?: AskOptions["input"] | undefined } = {},
): Promise<boolean | undefined> {
  if (options.yes) return true;
  const answer = await answerTo(io, `${question} [y/N] `, options.input);
  return answer === undefined ? undefined : isYes(answer);
}

/** What a person types on the terminal; undefined if nobody can be asked. */
export async function answerTo(
  io: Io,
  question: string,
  input: NonNullable<AskOptions["input"]> = process.stdin,
): Promise<string | undefined> {
  if (io.json || !io.streams.terminal || input.isTTY !== true) return undefined;
  io.streams.err(question);
  return firstLine(input);
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
  row("package", `${numberOf(sheet.files, "file")}, ${numberOf(sheet.bytes, "byte")}`);
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

function showFindings(io: Io, { verdict, findings, unscanned }: ConsentSheet): void {
  io.note(`  ${io.colour.dim("verdict".padEnd(12))} ${paintVerdict(io, verdict)}`);
  for (const { path, reason } of unscanned.slice(0, ROWS))
    io.note(
      `  ${io.colour.yellow("unscanned".padEnd(12))} ${forLine(path || "package")}: ${forLine(reason)}`,
    );
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
