// Cuts a text file into units: logical lines, paragraphs, code blocks, and parts that are hidden from readers.

import { canonicalText } from "./canonical-text.ts";
import { isOrdered } from "./context.ts";
import { INSPECT_LIMITS } from "./limits.ts";
import { AGENT_FILES } from "./rules/words.ts";
import type { Unit, UnitKind, UnitScope } from "./types.ts";

interface SourceLine {
  readonly number: number;
  readonly text: string;
  /** The canonical text, kept for the units that have the line. */
  canonical?: string;
}

const HEADING = /^ {0,3}#{1,6} (.{0,200})/;
const FENCE = /^ {0,12}(?:[-*>] )?(```|~~~)/;
const NEW_PARAGRAPH = /^(?:[-*+>|] |[0-9]{1,3}[.)] |\||#)/;
const SCRIPT_COMMENT = /^(?:#(?!!)|\/\/|\*|--|;|rem |""")/i;
/** Words in a row, as in a message: code has none. */
const ASCII_SENTENCE = /[a-z]{2,30}(?:[ ,]{1,2}[a-z']{1,30}){3}/i;
const SENTENCE = /\p{L}{2,30}(?:[ ,]{1,2}[\p{L}']{1,30}){3}|[\u3040-\u9fff\uac00-\ud7af]{6}/u;
const NOT_ASCII = /[^\x00-\x7f]/;
const CONTINUES = /(?:\\|`|\||&&|[+])$/;
const CONTINUATION = /^(?:\||&&|[+] )/;
const REFERENCE_COMMENT = /^\[(?:\/\/|comment|_|\.|#)?\]: ?(?:#|<>|<\/>|\/) ?["'(]/i;
const UNSEEN_STYLE =
  /display ?: ?none|visibility ?: ?hidden|font-size ?: ?[01](?:px|pt|em|%)?\b|opacity ?: ?0\b|color ?: ?(?:white|#fff\b|#ffffff|transparent)|<[a-z]{1,10} [^>]{0,80}\bhidden\b/i;

/** The units of a document: prose, front matter, fenced code and comments. */
export function documentUnits(lines: readonly string[]): Unit[] {
  const units: Unit[] = [];
  let kind: UnitKind = "prose";
  let heading = "";
  let paragraph: SourceLine[] = [];
  let fence: { mark: string; lines: SourceLine[]; ordered: boolean; obeyed: boolean } | undefined;
  let lead = "";
  const flush = (): void => {
    if (paragraph.length > 0) units.push(unitOf("paragraph", kind, paragraph, heading));
    paragraph = [];
  };
  const shown = withoutComments(lines, (comment) => {
    units.push(unitOf("line", "hidden", comment, heading), unitOf("paragraph", "hidden", comment, heading));
  });
  let index = 0;
  if (shown[0]?.text.trim() === "---") {
    index = 1;
    for (; index < shown.length && shown[index]!.text.trim() !== "---"; index++) {
      const line = [shown[index]!];
      units.push(unitOf("line", "frontmatter", line, ""), unitOf("paragraph", "frontmatter", line, ""));
    }
  }
  for (; index < shown.length; index++) {
    const line = shown[index]!;
    const mark = FENCE.exec(line.text)?.[1];
    if (fence) {
      if (mark === fence.mark) {
        for (const unit of codeUnits(fence.lines, heading, fence.ordered)) units.push(unit);
        if (fence.obeyed) for (const unit of obeyedUnits(fence.lines, heading)) units.push(unit);
        fence = undefined;
        lead = "";
      } else fence.lines.push(line);
      continue;
    }
    if (mark) {
      flush();
      fence = { mark, lines: [], ordered: isOrdered(heading, lead), obeyed: isForAgents(lead) };
      continue;
    }
    const trimmed = line.text.trim();
    if (trimmed === "" || NEW_PARAGRAPH.test(trimmed)) flush();
    if (trimmed === "") continue;
    const title = HEADING.exec(line.text)?.[1];
    if (title !== undefined) heading = canonicalText(title).toLowerCase();
    lead = title === undefined ? trimmed.toLowerCase() : "";
    const unseen = UNSEEN_STYLE.test(line.text) || REFERENCE_COMMENT.test(trimmed);
    const lineKind = unseen ? "hidden" : "prose";
    if (lineKind !== kind) flush();
    kind = lineKind;
    paragraph.push(line);
    if (paragraph.length > 40) flush();
  }
  flush();
  // Not as arguments of one call, of which a file with many lines would be too many.
  const all = fence ? units.concat(codeUnits(fence.lines, heading, fence.ordered)) : units;
  return all.concat(proseLines(shown, all));
}

/** Whether a sentence says that the text below it goes into a file that agents obey. */
function isForAgents(lead: string): boolean {
  return (
    AGENT_FILES.test(lead) &&
    /\b(?:create|append|add|write|put|insert|install|copy|save|paste|place)/.test(lead)
  );
}

/** The lines of such a text as prose: an agent will read them as its instructions. */
function obeyedUnits(lines: readonly SourceLine[], heading: string): Unit[] {
  return lines
    .filter(({ text }) => text.trim() !== "")
    .map((line) =>
      unitOf("paragraph", line.text.trim().startsWith("<!--") ? "hidden" : "prose", [line], heading),
    );
}

/** The units of a script. */
export function scriptUnits(lines: readonly string[]): Unit[] {
  return codeUnits(
    lines.map((text, index) => ({ number: index + 1, text })),
    "",
    false,
  );
}

/** The comments and the sentences of code as paragraphs, because an agent reads them. */
function codeParagraphs(lines: readonly SourceLine[], heading: string, ordered: boolean): Unit[] {
  const units: Unit[] = [];
  let comment: SourceLine[] = [];
  const flush = (): void => {
    if (comment.length > 0) units.push(unitOf("paragraph", "code", comment, heading, ordered));
    comment = [];
  };
  for (const line of lines) {
    const trimmed = line.text.trim();
    if (SCRIPT_COMMENT.test(trimmed)) {
      comment.push({ number: line.number, text: trimmed.replace(/^(?:#|\/\/|\*|--|;)+ ?/, "") });
      continue;
    }
    flush();
    if (ASCII_SENTENCE.test(trimmed) || (NOT_ASCII.test(trimmed) && SENTENCE.test(trimmed)))
      units.push(unitOf("paragraph", "code", [line], heading, ordered));
  }
  flush();
  return units;
}

/** The units of a text that was derived from another: one for each scope. */
export function derivedUnits(
  text: string,
  parent: Pick<Unit, "kind" | "heading" | "lineAt">,
  disguise: Unit["disguise"],
): Unit[] {
  const clean = canonicalText(text);
  const line = parent.lineAt(0);
  const scopes: readonly UnitScope[] = ["line", "paragraph", "block"];
  return scopes.map((scope) => ({
    scope,
    kind: parent.kind,
    clean,
    text: clean.toLowerCase(),
    lineAt: () => line,
    heading: parent.heading,
    disguise,
  }));
}

function codeUnits(lines: readonly SourceLine[], heading: string, ordered: boolean): Unit[] {
  const units: Unit[] = [];
  let command: SourceLine[] = [];
  for (const line of lines) {
    const trimmed = line.text.trim();
    const last = command.at(-1)?.text.trim();
    const joins =
      last !== undefined && trimmed !== "" && (CONTINUES.test(last) || CONTINUATION.test(trimmed));
    if (command.length > 0 && (!joins || command.length > 200)) {
      units.push(unitOf("line", "code", command, heading, ordered));
      command = [];
    }
    if (trimmed !== "") command.push(line);
  }
  if (command.length > 0) units.push(unitOf("line", "code", command, heading, ordered));
  if (lines.length > 0) units.push(unitOf("block", "code", lines, heading, ordered));
  return units.concat(codeParagraphs(lines, heading, ordered));
}

/** The lines of prose, which may contain commands. */
function proseLines(lines: readonly SourceLine[], units: readonly Unit[]): Unit[] {
  const covered = new Set<number>();
  for (const unit of units) if (unit.scope === "line" && unit.kind !== "hidden") covered.add(unit.lineAt(0));
  const blocks = units.filter((unit) => unit.scope === "block");
  for (const block of blocks) {
    for (let line = block.lineAt(0); line <= block.lineAt(block.text.length); line++) covered.add(line);
  }
  const found: Unit[] = [];
  let heading = "";
  for (const line of lines) {
    if (covered.has(line.number) || line.text.trim() === "") continue;
    const title = HEADING.exec(line.text)?.[1];
    if (title !== undefined) heading = canonicalText(title).toLowerCase();
    found.push(unitOf("line", "prose", [line], heading));
  }
  return found;
}

function unitOf(
  scope: UnitScope,
  kind: UnitKind,
  lines: readonly SourceLine[],
  heading: string,
  ordered?: boolean,
): Unit {
  return new SourceUnit(scope, kind, lines, heading, ordered);
}

class SourceUnit implements Unit {
  readonly scope: UnitScope;
  readonly kind: UnitKind;
  readonly clean: string;
  readonly text: string;
  readonly heading: string;
  readonly ordered: boolean | undefined;
  readonly disguise = undefined;
  readonly #lines: readonly SourceLine[];
  readonly #starts: readonly number[];

  constructor(
    scope: UnitScope,
    kind: UnitKind,
    lines: readonly SourceLine[],
    heading: string,
    ordered: boolean | undefined,
  ) {
    const starts: number[] = [];
    const pieces: string[] = [];
    let length = 0;
    for (const line of lines) {
      starts.push(length);
      const piece = pieceOf(line, scope);
      if (piece === "") continue;
      pieces.push(piece);
      length += piece.length + 1;
    }
    this.scope = scope;
    this.kind = kind;
    this.clean = pieces.length === 1 ? pieces[0]! : pieces.join(scope === "block" ? "\n" : " ");
    this.text = this.clean.toLowerCase();
    this.heading = heading;
    this.ordered = ordered;
    this.#lines = lines;
    this.#starts = starts;
  }

  lineAt(offset: number): number {
    let index = this.#starts.length - 1;
    while (index > 0 && this.#starts[index]! > offset) index--;
    return this.#lines[index]?.number ?? 1;
  }
}

/** What a line adds to a unit. */
function pieceOf(line: SourceLine, scope: UnitScope): string {
  const trimmed = line.text.trim();
  const text =
    scope === "line" && /[\\`]$/.test(trimmed)
      ? trimmed.slice(0, -1)
      : scope === "paragraph" && /[*_"`]/.test(trimmed)
        ? trimmed.replace(/\*\*|__|[*]/g, "").replace(/["`]{1,3}/g, '"')
        : trimmed;
  if (text !== trimmed) return canonicalText(text).trim();
  line.canonical ??= canonicalText(trimmed).trim();
  return line.canonical;
}

/** Where a comment starts in a line; inside inline code it is text that readers see. */
function commentStart(text: string): number {
  const at = text.indexOf("<!--");
  if (at < 0 || !text.includes("`")) return at;
  return text.replace(/(`{1,3})(?!`)[^`]{1,400}\1/g, (code) => " ".repeat(code.length)).indexOf("<!--");
}

/** Removes HTML comments from the lines, keeps line numbers, and calls `hand` with each comment. */
function withoutComments(lines: readonly string[], hand: (comment: SourceLine[]) => void): SourceLine[] {
  let comment: SourceLine[] | undefined;
  let size = 0;
  let fenced = false;
  const shown = lines.map((raw, index) => {
    const number = index + 1;
    if (!comment && FENCE.test(raw)) fenced = !fenced;
    let rest = raw;
    let kept = "";
    while (rest !== "") {
      const edge = fenced ? -1 : comment ? rest.indexOf("-->") : commentStart(rest);
      const piece = edge < 0 ? rest : rest.slice(0, edge);
      if (comment) {
        comment.push({ number, text: piece });
        size += piece.length;
      } else kept += piece;
      rest = edge < 0 ? "" : rest.slice(edge + (comment ? 3 : 4));
      if (comment && (edge >= 0 || size > INSPECT_LIMITS.paragraph)) {
        hand(comment);
        comment = edge >= 0 ? undefined : [];
        size = 0;
      } else if (edge >= 0) comment = [];
    }
    return { number, text: kept };
  });
  if (comment) hand(comment);
  return shown;
}
