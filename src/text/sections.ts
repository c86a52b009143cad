// Cuts a Markdown body into fields (headings, prose, fenced code) and sections, and a description into clauses.

interface BodyFields {
  headings: string;
  prose: string;
  code: string;
}

export interface BodySection {
  /** Whether the section lists what the skill is not for. */
  notFor: boolean;
  /** The text of the section's heading; empty before the first heading. */
  heading: string;
  /** Heading, prose and code of the section, as written. */
  text: string;
  /** The same text in runs of lines of one kind. */
  runs: readonly { kind: TextKind; text: string }[];
}

type TextKind = keyof BodyFields;

const SECTION_LIMITS = {
  /** A heading starts a new section only after this many words, so that a title and its first lines stay together. */
  minWords: 40,
  /** A section ends at the line that reaches this many words: about as many as one embedding can represent. */
  maxWords: 280,
} as const;

type LineKind = TextKind | "fence";

/** The body's text by field. */
export function bodyFields(body: string): BodyFields {
  const headings: string[] = [];
  const prose: string[] = [];
  const code: string[] = [];
  eachLine(body, (line, kind) => {
    if (kind === "headings") headings.push(headingText(line));
    else if (kind === "code") code.push(line);
    else if (kind === "prose") prose.push(line);
  });
  return { headings: headings.join("\n"), prose: prose.join("\n"), code: code.join("\n") };
}

// The heading of a section that lists what the skill is not for.
const NOT_FOR_HEADING =
  /\b(?:when not to|do not use|don['\u2019]t use|not for|not use|out[- ]of[- ]scope|non[- ]goals?|not in scope|not covered|what this (?:skill )?is not|anti[- ]triggers?)\b/iu;

/** The sections of a body in order, cut at a heading after `minWords` words, or at `maxWords`. */
export function bodySections(body: string): BodySection[] {
  const sections: BodySection[] = [];
  let heading = "";
  let notFor = false;
  let runs: { kind: TextKind; text: string }[] = [];
  let words = 0;
  const close = () => {
    if (words > 0) sections.push({ heading, notFor, text: runs.map(({ text }) => text).join("\n"), runs });
    runs = [];
    words = 0;
  };
  let from = 0;
  let before = -1;
  eachLine(body, (line, kind, start) => {
    if (kind === "fence") return;
    if (kind === "headings") {
      const turnsAway = NOT_FOR_HEADING.test(line);
      if (words >= SECTION_LIMITS.minWords || turnsAway || notFor) close();
      if (words === 0) {
        heading = headingText(line);
        notFor = turnsAway;
      }
    }
    const run = runs.at(-1);
    if (run?.kind !== kind || before + 1 !== start) from = start;
    before = body.indexOf("\n", start + line.length);
    const text = body.slice(from, start + line.length);
    if (from !== start) run!.text = text;
    else runs.push({ kind, text });
    words += countWords(line);
    if (words >= SECTION_LIMITS.maxWords) close();
  });
  close();
  return sections;
}

// Counts the starts of words: cheaper than tokenizing, and exact enough for cutting.
function countWords(line: string): number {
  let count = 0;
  let inside = false;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    const letter =
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code > 127;
    // In scripts without spaces, every second character counts as a word.
    if (letter && (!inside || (code >= 0x2e80 && i % 2 === 0))) count++;
    inside = letter;
  }
  return count;
}

function headingText(line: string): string {
  return line.replace(/^\s{0,3}#{1,6}\s*/, "").replace(/\s*#+\s*$/, "");
}

// Calls `visit` for each line with its kind. After a fence that is never closed, the rest of the body is code.
function eachLine(body: string, visit: (line: string, kind: LineKind, start: number) => void): void {
  let fence = "";
  let start = 0;
  while (start <= body.length) {
    let end = body.indexOf("\n", start);
    if (end === -1) end = body.length;
    const from = start;
    const line = body.slice(from, body.charCodeAt(end - 1) === 13 && end > from ? end - 1 : end);
    start = end + 1;
    const mark = fenceMark(line);
    if (fence === "") {
      if (mark !== "") fence = mark;
      visit(line, mark !== "" ? "fence" : isHeading(line) ? "headings" : "prose", from);
    } else if (mark.startsWith(fence) && line.trim() === mark) {
      fence = "";
      visit(line, "fence", from);
    } else visit(line, "code", from);
  }
}

function fenceMark(line: string): string {
  if (!line.includes("```") && !line.includes("~~~")) return "";
  const lead = line.slice(0, 64).trimStart();
  const char = lead[0];
  if (char !== "`" && char !== "~") return "";
  let length = 1;
  while (lead[length] === char) length++;
  return length >= 3 ? lead.slice(0, length) : "";
}

function isHeading(line: string): boolean {
  if (!line.includes("#")) return false;
  return /^\s{0,3}#{1,6}(?:\s|$)/.test(line.slice(0, 16));
}

export interface DescriptionClauses {
  /** What the skill is for. */
  positive: string;
  /** What the skill is not for, or refers to other skills. */
  negative: string;
}

// Starts a clause that says, until the end of its sentence, what the skill is not for.
const NEGATIVE_OPENING =
  /(?:\b(?:do not|don't|does not|doesn't|never|should not|shouldn't|must not|cannot|can't) (?:use|trigger|activate|invoke|apply|load|run|call|handle|cover|be used)\b|\bnot (?:for|intended|meant|suitable|needed|applicable|when|if|to be used)\b|\bskip (?:this|it|for|when|if|plain)\b|\bavoid (?:for|when|using|if)\b|\bunsuitable for\b|\brather than for\b)/iu;
// "For live streams, use that-skill instead." / "For X, see Y."
const REFERRAL =
  /^(?:for|if|when)\b[^.;]{3,200}?(?:,|\u2014|:| -)\s*(?:please\s+)?(?:see|use|prefer|refer to|try|go to|invoke)\b/iu;

/** Splits a description into what the skill is for and what it is not for. */
export function descriptionClauses(description: string): DescriptionClauses {
  const positive: string[] = [];
  const negative: string[] = [];
  for (const sentence of description.split(/(?<=[.!?;])\s+|\n+/)) {
    if (REFERRAL.test(sentence.trim())) {
      negative.push(sentence);
      continue;
    }
    const opening = NEGATIVE_OPENING.exec(sentence);
    if (opening === null) {
      positive.push(sentence);
      continue;
    }
    positive.push(sentence.slice(0, opening.index));
    negative.push(sentence.slice(opening.index + opening[0].length));
  }
  return { positive: positive.join(" ").trim(), negative: negative.join(" ").trim() };
}
