// Reads the parts of Markdown that prompts need, in linear time: headings, the first H2 section, cut points, sentences.

interface Heading {
  readonly level: number;
  readonly text: string;
  /** 0-based line of the heading. */
  readonly line: number;
  /** 0-based line of the first line below the heading. */
  readonly below: number;
}

interface ScannedLine {
  readonly text: string;
  /** Whether the line belongs to a fenced block, fences included. */
  readonly fenced: boolean;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
/** Lines that are not a heading despite an underline: lists, quotes, tables, indented code, other headings. */
const NOT_TITLE = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d{1,9}[.)][ \t]))/;

/** The headings of a text, in order, outside fenced blocks. */
export function headings(markdown: string): Heading[] {
  return headingsOf(scan(markdown).lines);
}

/** The first H2 section, up to the next H1 or H2, or undefined if there is none. */
export function firstH2Section(markdown: string): string | undefined {
  const { lines } = scan(markdown);
  const all = headingsOf(lines);
  const start = all.find((heading) => heading.level === 2);
  if (start === undefined) return undefined;
  const end = all.find((heading) => heading.line > start.line && heading.level <= 2)?.line ?? lines.length;
  return joinLines(lines.slice(start.line, end));
}

/** The text before the first H2, without the title. */
export function opening(markdown: string): string {
  const { lines } = scan(markdown);
  const all = headingsOf(lines);
  const title = all.find((heading) => heading.level === 1);
  const start = title?.below ?? 0;
  const end = all.find((heading) => heading.line >= start && heading.level <= 2)?.line ?? lines.length;
  return joinLines(lines.slice(start, end));
}

/** Closes a fenced block that the text leaves open, so that text appended to it is not code. */
export function closeFence(markdown: string): string {
  const { open } = scan(markdown);
  return open === undefined ? markdown : `${markdown}\n${open.mark.repeat(open.length)}`;
}

/** Ascending offsets at which the text may be cut: after a line or a sentence, never inside a fenced block. */
export function cutPoints(markdown: string): number[] {
  const { lines } = scan(markdown);
  const points: number[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.fenced) {
      for (const sentence of line.text.matchAll(SENTENCE_END)) {
        const end = offset + sentence.index + sentence[0].trimEnd().length;
        if (end < offset + line.text.length) points.push(end);
      }
    }
    offset += line.text.length;
    const next = lines[index + 1];
    const insideFence = line.fenced && next?.fenced === true;
    if (line.text.trim() !== "" && !insideFence) points.push(offset);
    offset += 1;
  }
  return points;
}

const SENTENCE_END = /[.!?](?:["')\]]{0,3})\s|[。！？]\s?/gu;
/** Abbreviations: their full stop does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|dr|mr|mrs|ms|st|z\.b|d\.h|bzw|p\.ex)\.$/i;

/** The first sentence of a text if it fits `max` characters, else the words that fit, with an ellipsis. */
export function firstSentence(text: string, max: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  for (const found of flat.matchAll(SENTENCE_END)) {
    const sentence = flat.slice(0, found.index + found[0].trimEnd().length);
    if (sentence.length > max) break;
    if (!ABBREVIATION.test(sentence)) return sentence;
  }
  return clip(flat, max);
}

/** Cuts a text to `max` characters with an ellipsis, between words if possible, never inside a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = Math.max(0, max - 1);
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code <= 0xdbff) end -= 1;
  const space = text.lastIndexOf(" ", end);
  if (space > end / 2) end = space;
  return `${text.slice(0, end).trimEnd()}…`;
}

function scan(markdown: string): { lines: ScannedLine[]; open: Fence | undefined } {
  const lines: ScannedLine[] = [];
  let open: Fence | undefined;
  for (const raw of markdown.split("\n")) {
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const found = FENCE.exec(text);
    const run = found?.[1] ?? "";
    const rest = found?.[2] ?? "";
    if (open === undefined) {
      const opens = run !== "" && !(run.startsWith("`") && rest.includes("`"));
      if (opens) open = { mark: run.charAt(0), length: run.length };
      lines.push({ text: raw, fenced: opens });
      continue;
    }
    lines.push({ text: raw, fenced: true });
    if (run.startsWith(open.mark) && run.length >= open.length && rest.trim() === "") open = undefined;
  }
  return { lines, open };
}

function headingsOf(lines: readonly ScannedLine[]): Heading[] {
  const found: Heading[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.fenced) continue;
    const text = line.text.trimEnd();
    const atx = ATX.exec(text);
    if (atx) {
      found.push({
        level: atx[1]!.length,
        text: withoutClosing(atx[2] ?? ""),
        line: index,
        below: index + 1,
      });
      continue;
    }
    const underline = SETEXT.exec(lines[index + 1]?.text.trimEnd() ?? "");
    if (underline && lines[index + 1]?.fenced === false && text !== "" && !NOT_TITLE.test(text)) {
      if (SETEXT.test(text)) continue;
      const level = underline[1]!.startsWith("=") ? 1 : 2;
      found.push({ level, text: text.trim(), line: index, below: index + 2 });
    }
  }
  return found;
}

/** Removes the closing `##` of a heading. A regular expression would be quadratic in the number of marks. */
function withoutClosing(title: string): string {
  const text = title.trim();
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === "#") end -= 1;
  if (end > 0 && !/\s/.test(text.charAt(end - 1))) return text;
  return text.slice(0, end).trimEnd();
}

function joinLines(lines: readonly ScannedLine[]): string {
  const texts = lines.map((line) => line.text.trimEnd());
  const first = texts.findIndex((text) => text !== "");
  if (first < 0) return "";
  return texts.slice(first).join("\n").trimEnd();
}
