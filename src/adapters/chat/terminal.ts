// The person's terminal: lines with editing, completion and Ctrl-C, and questions in between.

import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { visibly } from "../../text/terminal.ts";

interface Talk {
  /** Takes one line; false when it was the last. */
  readonly take: (typed: string, signal: AbortSignal) => Promise<boolean>;
  readonly complete: (line: string) => Promise<string[]>;
}

const PROMPT = "> ";
/** Makes the terminal mark where a pasted text begins and ends. */
const BRACKETED_PASTE = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

export class Terminal {
  private readonly lines: Interface;
  private readonly typedAhead: string[] = [];
  private readonly pasted: string[] = [];
  private readonly closed: Promise<undefined>;
  private isClosed = false;
  private isMuted = false;
  private isAsking = false;
  private isPasting = false;
  private complete: Talk["complete"] = async () => [];
  private wake: () => void = () => {};
  /** Stops the current answer. */
  private underway: AbortController | undefined;

  constructor() {
    this.lines = createInterface({
      input: process.stdin,
      output: this.output(),
      terminal: true,
      prompt: PROMPT,
      completer: async (line: string): Promise<[string[], string]> => [await this.complete(line), line],
    });
    this.lines.on("line", (line) => this.take(line));
    process.stdin.on("keypress", (_, key?: { readonly name?: string }) => {
      if (key?.name === "paste-start" || key?.name === "paste-end")
        this.isPasting = key.name === "paste-start";
    });
    process.stdout.write(BRACKETED_PASTE.on);
    // Answers to questions do not belong in the history.
    this.lines.on("history", (history: string[]) => this.isAsking && history.shift());
    this.lines.on("SIGINT", () => this.interrupt());
    this.closed = new Promise((resolve) => {
      this.lines.once("close", () => {
        this.isClosed = true;
        process.stdout.write(BRACKETED_PASTE.off);
        this.underway?.abort();
        resolve(undefined);
      });
    });
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => this.lines.close());
  }

  /** Until the person leaves. */
  async talk({ take, complete }: Talk): Promise<void> {
    this.complete = complete;
    for (;;) {
      const typed = await this.next();
      if (typed === undefined) return;
      if (typed.trim() === "") continue;
      this.underway = new AbortController();
      const goesOn = await Promise.race([take(typed.trim(), this.underway.signal), this.closed]);
      this.underway = undefined;
      if (!goesOn) return;
    }
  }

  /** Asks a question during an answer. Earlier input does not count as its answer; leaving is an empty answer. */
  async question(text: string): Promise<string> {
    this.typedAhead.length = 0;
    this.clearLine();
    this.isMuted = false;
    this.isAsking = true;
    const signal = this.underway?.signal;
    try {
      const answer = await Promise.race([
        this.lines.question(visibly(text), signal ? { signal } : {}),
        this.closed,
      ]);
      return answer ?? "";
    } catch (thrown) {
      if (!signal?.aborted) throw thrown;
      process.stdout.write("\n");
      return "";
    } finally {
      this.isMuted = true;
      this.isAsking = false;
    }
  }

  close(): void {
    this.lines.close();
  }

  /** The lines of a pasted text are one message, together with what is typed after it. */
  private take(line: string): void {
    this.pasted.push(line);
    if (this.isPasting) return;
    this.typedAhead.push(this.pasted.splice(0).join("\n"));
    this.wake();
  }

  /** One line, or several if lines end with a backslash. */
  private async next(): Promise<string | undefined> {
    const whole: string[] = [];
    for (;;) {
      const line = await this.line();
      if (line === undefined) return undefined;
      if (!line.endsWith("\\")) return [...whole, line].join("\n");
      whole.push(line.slice(0, -1));
    }
  }

  private async line(): Promise<string | undefined> {
    if (this.isClosed) return undefined;
    this.isMuted = false;
    if (this.typedAhead.length > 0) process.stdout.write(`${PROMPT}${visibly(this.typedAhead[0]!)}\n`);
    else {
      this.lines.prompt(true);
      const typed = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      await Promise.race([typed, this.closed]);
    }
    this.isMuted = true;
    return this.typedAhead.shift();
  }

  /** During an answer: the first stops it, the next leaves. At the prompt: the first empties the line, the next leaves. */
  private interrupt(): void {
    if (this.underway && !this.underway.signal.aborted) this.underway.abort();
    else if (!this.underway && this.lines.line + this.pasted.join("") !== "") this.clearLine();
    else {
      process.stdout.write("\n");
      this.lines.close();
    }
  }

  private clearLine(): void {
    this.pasted.length = 0;
    this.lines.write(null, { ctrl: true, name: "e" });
    this.lines.write(null, { ctrl: true, name: "u" });
  }

  /** Input during an answer is kept for the next prompt and not echoed into the answer. */
  private output(): Writable {
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.isMuted) done();
        else process.stdout.write(chunk, () => done());
      },
    });
    Object.defineProperty(output, "columns", { get: () => process.stdout.columns });
    process.stdout.on("resize", () => output.emit("resize"));
    return output;
  }
}
