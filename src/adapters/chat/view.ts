// Prints a turn: the answer on standard output and the rest on standard error, so that a pipe gets the answer alone; or one
// JSON line per event.

import type { Match } from "../../model/turn.ts";
import { oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { numberOf } from "../../text/numbers.ts";
import type { Io } from "../cli/io.ts";
import { CHAT_LIMITS } from "./limits.ts";
import type { ChatEvent, End } from "./step.ts";

interface ViewOptions {
  /** Also show what went into the prompt. Without a model the part for the message is always shown: it is the answer. */
  readonly showPrompt: boolean;
  readonly hasModel: () => boolean;
}

export const HOW_TO_SET_A_MODEL =
  'No model is set: this is what an agent would be given. To get answers, set "model.kind", "model.endpoint" and "model.name" in ~/.repertoire/repertoire.config.json.';

const ENDS: Readonly<Partial<Record<End, string>>> = {
  stopped: "stopped",
  "tool-calls": `stopped after ${CHAT_LIMITS.steps} steps; say "go on" to continue`,
  length: "cut: the model's limit for one answer is reached",
  "content-filter": "cut: the model's provider filtered the answer",
};

export class View {
  private readonly io: Io;
  private readonly options: ViewOptions;
  /** Whether the cursor is within a line of the answer. */
  private isMidLine = false;

  constructor(io: Io, options: ViewOptions) {
    this.io = io;
    this.options = options;
  }

  show(event: ChatEvent): void {
    if (event.type === "prompt" && !this.options.showPrompt && this.options.hasModel()) return;
    if (this.io.json) this.io.data(event);
    else this.inWords(event);
  }

  private inWords(event: ChatEvent): void {
    const { colour } = this.io;
    switch (event.type) {
      case "recalled":
        for (const match of event.matches) this.aside(this.matchLine(match));
        if (event.matches.length === 0) this.aside(colour.dim("no further skill for this message"));
        break;
      case "prompt":
        this.prompt(event);
        break;
      case "text":
        this.text(event.text);
        break;
      case "tool":
        this.aside(colour.cyan(`→ ${oneLine(event.name)} ${this.short(JSON.stringify(event.input))}`));
        break;
      case "result":
        // A refusal says what to do next, so it is not cut.
        if (event.ok) this.aside(`${colour.green("✓")} ${colour.dim(this.short(headline(event.text)))}`);
        else this.aside(`${colour.yellow("✗")} ${oneLine(event.text)}`);
        break;
      case "error":
        this.aside(`${colour.red("error")} ${oneLine(event.message)}`);
        break;
      case "done":
        this.endLine();
        if (ENDS[event.end] !== undefined) this.aside(colour.dim(`(${ENDS[event.end]})`));
    }
  }

  private text(text: string): void {
    if (text === "") return;
    this.io.streams.out(text);
    this.isMidLine = !text.endsWith("\n");
  }

  private prompt({ section, fresh, expanded }: Extract<ChatEvent, { type: "prompt" }>): void {
    const { io, options } = this;
    const { style, tokens, shown, omitted } = section;
    const given = [options.showPrompt ? section.text : fresh, expanded ?? ""].filter((text) => text !== "");
    if (given.length === 0)
      this.aside("Nothing is for this message alone; --show-prompt shows what always goes along.");
    if (options.hasModel()) for (const text of given) this.aside(io.colour.dim(text));
    else for (const text of given) io.line(text);
    const account = `${style}: ${numberOf(shown.length, "skill")} shown, ${omitted} not, about ${numberOf(tokens, "token")}`;
    this.aside(io.colour.dim(account));
    if (!options.hasModel()) this.aside(io.colour.yellow(HOW_TO_SET_A_MODEL));
  }

  private matchLine({ name, score, reasons, via }: Match): string {
    const { colour, streams } = this.io;
    const best = reasons.slice(0, CHAT_LIMITS.reasons);
    const why =
      via === undefined ? best.map(({ signal, note }) => `${signal}: ${note}`) : [`see also of ${via}`];
    const head = `${score.toFixed(2)} ${oneLine(name)}`;
    const room = Math.max(CHAT_LIMITS.toolChars, streams.width) - head.length - 3;
    return `${colour.bold(head)}  ${colour.dim(clip(oneLine(why.join("; ")), room))}`;
  }

  /** A text beside the answer, on its own line. */
  private aside(text: string): void {
    this.endLine();
    this.io.note(text);
  }

  private endLine(): void {
    if (this.isMidLine) this.io.streams.out("\n");
    this.isMidLine = false;
  }

  private short(text: string): string {
    return clip(oneLine(text), CHAT_LIMITS.toolChars);
  }
}

/** The first line that is neither empty nor part of the envelope around a skill's text. */
function headline(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("<")) ?? text;
}
