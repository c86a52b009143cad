// The text that stands for a skill when the encoder makes its vector. The encoder was trained on the same text:
// `evals/train/skills.py` makes it for training, and both must agree.

/** Characters of each part, and how many headings; the encoder reads the first 96 word pieces of the whole. */
export const SKILL_TEXT = {
  description: 700,
  headings: 250,
  headingCount: 14,
  lead: 300,
  /** The lead is looked for in so many characters. */
  leadSource: 4000,
} as const;

/** Headings that say nothing about the skill. */
const GENERIC = new RegExp(
  "^(overview|introduction|usage|examples?|references?|notes?|resources|quick start|getting started|instructions" +
    "|workflow|steps?|output( format)?|prerequisites|requirements|installation|setup|see also|related( skills)?" +
    "|summary|table of contents|purpose|when to use.*|when not to.*|best practices|troubleshooting|checklist" +
    "|common (issues|mistakes|pitfalls)|additional resources|core (concepts|principles)|key (concepts|principles)" +
    "|description|how it works|limitations|version|license|inputs?|outputs?|context|goal|rules|guidelines|process" +
    "|tips|commands|configuration|features|important|critical|anti-patterns|success criteria|validation" +
    "|step [0-9]+.*|phase [0-9]+.*|[0-9]+\\.?)$",
  "i",
);
const SPACES = /[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/g;

interface SkillParts {
  readonly name: string;
  /** The description and, if there is one, when to use it. */
  readonly description: string;
  /** The file behind the front matter. */
  readonly body: string;
}

/** `name. description headings. lead`, each part cut to its length. */
export function encoderDocument({ name, description, body }: SkillParts): string {
  const prose = body.replaceAll("\r\n", "\n").replace(/```[\s\S]*?(?:```|$)/g, " ");
  const headings = prose
    .split("\n")
    .flatMap((line) => /^#{1,3}[ \t]+([\s\S]+)$/.exec(line)?.[1] ?? [])
    .map(plain);
  const telling = headings.filter((heading) => !GENERIC.test(heading)).slice(0, SKILL_TEXT.headingCount);
  const lines = first(prose, SKILL_TEXT.leadSource).split("\n");
  const lead = plain(lines.filter((line) => plain(line) !== "" && !line.startsWith("#")).join(" "));
  return (
    `${name.replace(/[-_/:]+/g, " ")}. ${first(plain(description), SKILL_TEXT.description)} ` +
    `${first(telling.join("; "), SKILL_TEXT.headings)}. ${first(lead, SKILL_TEXT.lead)}`
  );
}

/** Without Markdown's signs; links keep their text; white space becomes one space. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`#|>]+/g, " ")
    .replace(SPACES, " ")
    .replace(/^ +| +$/g, "");
}

/** The first `count` characters, counted as whole code points. */
function first(text: string, count: number): string {
  if (text.length <= count) return text;
  return [...text.slice(0, 2 * count)].slice(0, count).join("");
}
