// Output of the command line: streams, colour, tables, findings, progress. All that the command line prints passes `guarded`
// or `Io.data`, so that no text of others controls a terminal.

import { fstatSync, readFileSync } from "node:fs";
import type { Diagnostic, FindingCounts } from "../../model/diagnostic.ts";
import { jsonVisibly, lineVisibly, visibly } from "../../text/terminal.ts";
import { cutToWidth, textWidth } from "../../text/width.ts";
import { STANDARD_ERROR, STANDARD_OUTPUT, writeOut } from "../write-out.ts";

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
  /**
   * Reads what is piped into the command or redirected to it; a terminal is not read. A pipe that stays silent counts as
   * no input, because hosts leave such pipes open, unless `wait` is set.
   */
  readonly input?: ((wait: boolean) => Promise<string | undefined>) | undefined;
}

const STANDARD_INPUT = 0;

/** Programs that feed a pipe begin at once. */
const SILENT_INPUT_MS = 1_000;

async function pipedInput(wait: boolean): Promise<string | undefined> {
  const stats = fstatSync(STANDARD_INPUT);
  if (stats.isFile()) return readFileSync(STANDARD_INPUT, "utf8");
  if (!stats.isFIFO() && !stats.isSocket()) return undefined;
  const { stdin } = process;
  const first = new Promise<boolean>((settle) => {
    const timer = wait ? undefined : setTimeout(() => settle(false), SILENT_INPUT_MS);
    const begun = () => {
      clearTimeout(timer);
      settle(true);
    };
    stdin.once("readable", begun).once("end", begun).once("error", begun);
  });
  if (!(await first)) {
    stdin.destroy();
    return undefined;
  }
  let text = "";
  for await (const part of stdin.setEncoding("utf8")) text += part;
  return text;
}

/** The columns of the terminal, or of the one that a pipe leads to, if COLUMNS says so. */
function outputWidth(): number {
  const given = Number(process.env.COLUMNS);
  const said = Number.isInteger(given) && given > 0 ? given : WIDTH;
  return Math.max(LEAST_WIDTH, process.stdout.columns || said);
}

const WIDTH = 100;
/** Below this nothing can be laid out. */
const LEAST_WIDTH = 20;

export async function processStreams(): Promise<Streams> {
  const { Ansis } = await import("ansis");
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    terminal: process.stdout.isTTY === true,
    width: outputWidth(),
    colours: new Ansis(),
    input: pipedInput,
  };
}

/** The streams of a process that gives one answer, without the cost of Node's streams and terminals for a pipe. */
export async function quickStreams(): Promise<Streams> {
  if (fstatSync(STANDARD_OUTPUT).isCharacterDevice() && process.stdout.isTTY) return processStreams();
  return { out: writeOut, err: (text) => writeOut(text, STANDARD_ERROR), terminal: false, width: WIDTH };
}

const ESCAPE = "\u001b";

/**
 * Stands for the escape character in our own colours until they are written. It differs in every process, so that no text of
 * others can contain it.
 */
const OURS = `${ESCAPE}${Math.random().toString(36).slice(2)}:`;

/** The text as a terminal may get it: our colours as colours, everything else that would act as a visible escape. */
function shown(text: string): string {
  return text.split(OURS).map(visibly).join(ESCAPE);
}

/** A cell of a table: what would break its line is shown, our colours stay. */
function onOneLine(cell: string): string {
  return cell.split(OURS).map(lineVisibly).join(OURS);
}

function uncoloured(text: string): string {
  const [first = "", ...rest] = text.split(OURS);
  return first + rest.map((part) => part.slice(part.indexOf("m") + 1)).join("");
}

function widthOf(text: string): number {
  return textWidth(uncoloured(text));
}

/** These streams, for text of any origin. */
export function guarded(streams: Streams): Streams {
  return { ...streams, out: (text) => streams.out(shown(text)), err: (text) => streams.err(shown(text)) };
}

/** The colours in the form that `shown` lets pass. */
function marked(colours: Colours): Colours {
  const mark = (paint: (text: string) => string) => (text: string) =>
    paint(shown(text)).replaceAll(ESCAPE, OURS);
  const { bold, cyan, dim, green, red, yellow } = colours;
  return {
    bold: mark(bold),
    cyan: mark(cyan),
    dim: mark(dim),
    green: mark(green),
    red: mark(red),
    yellow: mark(yellow),
  };
}

/** Warnings shown before the rest is counted; errors are always shown, each is a skill that is missing. */
const WARNINGS_SHOWN = 20;

export class Io {
  readonly streams: Streams;
  readonly json: boolean;
  readonly colour: Colours;
  private readonly unguarded: Streams;

  constructor(streams: Streams, json: boolean) {
    this.unguarded = streams;
    this.streams = guarded(streams);
    this.json = json;
    const plain = json || !streams.terminal || process.env.NO_COLOR !== undefined;
    this.colour = plain || streams.colours === undefined ? PLAIN : marked(streams.colours);
  }

  line(text = ""): void {
    this.streams.out(`${text}\n`);
  }

  note(text: string): void {
    this.streams.err(`${text}\n`);
  }

  /** Prints one JSON value. */
  data(value: unknown, indent?: number): void {
    this.jsonText(`${JSON.stringify(value, null, indent)}\n`);
  }

  /** Prints what is JSON already: a value, or one in each line. */
  jsonText(text: string): void {
    this.unguarded.out(jsonVisibly(text));
  }

  /** Prints the answer of a verb: the data for programs, or the same in words. */
  answer(data: unknown, inWords: () => void): void {
    if (this.json) this.data(data, this.streams.terminal ? 2 : undefined);
    else inWords();
  }

  table(rows: readonly (readonly string[])[]): void {
    const cells = rows.map((row) => row.map(onOneLine));
    const columns = rows[0]?.length ?? 0;
    const wanted = Array.from({ length: columns }, (_, at) =>
      cells.reduce((widest, row) => Math.max(widest, widthOf(row[at]!)), 0),
    );
    const widths = fitting(wanted, this.streams.width - GAP.length * (columns - 1));
    for (const row of cells) {
      const padded = row.map((cell, at) => {
        const width = widths[at]!;
        const short = widthOf(cell) > width ? `${cutToWidth(uncoloured(cell), width - 1)}…` : cell;
        return at === columns - 1 ? short : short + " ".repeat(width - widthOf(short));
      });
      this.line(padded.join(GAP).trimEnd());
    }
  }

  /** Labels with their values, which are never cut: somebody may want to copy them. */
  facts(rows: readonly (readonly [label: string, value: string])[]): void {
    const width = Math.max(...rows.map(([label]) => label.length));
    for (const [label, value] of rows)
      this.line(`${this.colour.dim(label.padEnd(width))}${GAP}${onOneLine(value)}`.trimEnd());
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
  findingCount({ errors, warnings }: FindingCounts): void {
    if (errors + warnings === 0) return;
    const parts = [
      ...(errors > 0
        ? [countOf(errors, "file of a skill cannot be used", "files of skills cannot be used")]
        : []),
      ...(warnings > 0 ? [countOf(warnings, "warning", "warnings")] : []),
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
    const place = lineVisibly(line === undefined ? path : `${path}:${line}`);
    return `${mark} ${place} ${this.colour.dim(`[${code}]`)}\n  ${message}\n  ${this.colour.cyan("fix:")} ${fix}`;
  }
}

/** Between two columns. */
const GAP = "  ";
/** A column that is cut still says something. */
const LEAST_COLUMN = 4;

/** The widths that fit into the room: narrow columns stay whole, and the wide ones share what is left. */
function fitting(wanted: readonly number[], room: number): number[] {
  let [left, columns] = [room, wanted.length];
  const widths = [...wanted];
  for (const [at, width] of [...wanted.entries()].sort(([, a], [, b]) => a - b)) {
    const share = Math.max(LEAST_COLUMN, Math.floor(left / columns--));
    widths[at] = Math.min(width, share);
    left -= widths[at];
  }
  return widths;
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

/** One display for each step of a long work. */
export function stepsDisplay(streams: Streams): (step: string, done: number, total: number) => void {
  const displays = new Map<string, ReturnType<typeof progressDisplay>>();
  return (step, done, total) => {
    const display = displays.get(step) ?? progressDisplay(streams, step);
    displays.set(step, display);
    display(done, total);
  };
}

/** `1 file`, `2 files`: for the verbs that start quickly; `numberOf` is for the others. */
export function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
