// Output of the command line: streams, colour, tables, findings, progress.

import { fstatSync, readFileSync } from "node:fs";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { STANDARD_ERROR, STANDARD_OUTPUT, writeOut } from "../answer-quickly.ts";

type Colours = Readonly<
  Record<"bold" | "cyan" | "dim" | "green" | "red" | "yellow", (text: string) => string>
>;

const same = (text: string) => text;
const PLAIN: Colours = { bold: same, cyan: same, dim: same, green: same, red: same, yellow: same };

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person sees the output: then it has colour and progress. */
  readonly terminal: boolean;
  readonly width: number;
  /** The colours of the terminal, if it has any. */
  readonly colours?: Colours;
  /** Reads what is piped into the command or redirected to it; a terminal is not read. */
  readonly input?: (() => string | undefined) | undefined;
}

const STANDARD_INPUT = 0;

function pipedInput(): string | undefined {
  const stats = fstatSync(STANDARD_INPUT);
  return stats.isFIFO() || stats.isFile() ? readFileSync(STANDARD_INPUT, "utf8") : undefined;
}

export async function processStreams(): Promise<Streams> {
  const { Ansis } = await import("ansis");
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    terminal: process.stdout.isTTY === true,
    width: process.stdout.columns ?? 100,
    colours: new Ansis(),
    input: pipedInput,
  };
}

/** The streams of a process that gives one answer, without the cost of Node's streams and terminals for a pipe. */
export async function quickStreams(): Promise<Streams> {
  if (fstatSync(STANDARD_OUTPUT).isCharacterDevice() && process.stdout.isTTY) return processStreams();
  return { out: writeOut, err: (text) => writeOut(text, STANDARD_ERROR), terminal: false, width: 100 };
}

/** Warnings shown before the rest is counted; errors are always shown, each is a skill that is missing. */
const WARNINGS_SHOWN = 20;

export class Io {
  readonly streams: Streams;
  readonly json: boolean;
  readonly colour: Colours;

  constructor(streams: Streams, json: boolean) {
    this.streams = streams;
    this.json = json;
    const plain = json || !streams.terminal || process.env.NO_COLOR !== undefined;
    this.colour = (plain ? undefined : streams.colours) ?? PLAIN;
  }

  line(text = ""): void {
    this.streams.out(`${text}\n`);
  }

  note(text: string): void {
    this.streams.err(`${text}\n`);
  }

  /** Prints the answer of a verb: the data for programs, or the same in words. */
  answer(data: unknown, inWords: () => void): void {
    if (this.json) this.line(JSON.stringify(data, null, this.streams.terminal ? 2 : undefined));
    else inWords();
  }

  table(rows: readonly (readonly string[])[]): void {
    const columns = rows[0]?.length ?? 0;
    const widths = Array.from({ length: columns }, (_, at) =>
      Math.max(...rows.map((row) => row[at]!.length)),
    );
    for (const row of rows) {
      const cells = row.map((cell, at) => (at === columns - 1 ? cell : cell.padEnd(widths[at]!)));
      const text = cells.join("  ");
      this.line(
        text.length > this.streams.width ? `${text.slice(0, this.streams.width - 1)}…` : text.trimEnd(),
      );
    }
  }

  /** Every error, and as many warnings as a person reads, each with its fix. */
  findings(
    diagnostics: readonly Diagnostic[],
    write: (text: string) => void = (text) => this.line(text),
  ): void {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const warnings = diagnostics.filter(({ severity }) => severity === "warning");
    for (const finding of [...errors, ...warnings.slice(0, WARNINGS_SHOWN)]) write(this.finding(finding));
    const more = warnings.length - WARNINGS_SHOWN;
    if (more > 0) write(`… and ${more} more warnings: repertoire doctor`);
  }

  /** One line on standard error that counts what is wrong with files, for verbs that are about something else. */
  findingCount(diagnostics: readonly Diagnostic[]): void {
    const count = (severity: Diagnostic["severity"]) =>
      diagnostics.filter((finding) => finding.severity === severity).length;
    const [errors, warnings] = [count("error"), count("warning")];
    if (errors + warnings === 0) return;
    const parts = [
      ...(errors > 0
        ? [counted(errors, "file of a skill cannot be used", "files of skills cannot be used")]
        : []),
      ...(warnings > 0 ? [counted(warnings, "warning", "warnings")] : []),
    ];
    this.note(this.colour.dim(`${parts.join(", ")}: repertoire doctor`));
  }

  finding({ severity, path, line, code, message, fix }: Diagnostic): string {
    const mark =
      severity === "error"
        ? this.colour.red("error")
        : severity === "warning"
          ? this.colour.yellow("warning")
          : this.colour.dim("info");
    const place = line === undefined ? path : `${path}:${line}`;
    return `${mark} ${place} ${this.colour.dim(`[${code}]`)}\n  ${message}\n  ${this.colour.cyan("fix:")} ${fix}`;
  }
}

/** A progress display on standard error; it prints nothing in the first second of a scan. */
export function progressDisplay(streams: Streams, what: string): (done: number, total: number) => void {
  let started: number | undefined;
  let last = 0;
  return (done, total) => {
    const now = Date.now();
    // A long-lived program scans again, and each scan has its own first second.
    const since = started ?? now;
    started = done === total ? undefined : since;
    if (now - since < 1000 || (now - last < 250 && done < total)) return;
    last = now;
    streams.err(
      streams.terminal
        ? `\r${what} ${done}/${total}${done === total ? "\n" : ""}`
        : `${what} ${done}/${total}\n`,
    );
  };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
