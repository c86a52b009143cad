// Measures how much of one text is found again in another: headings, code, commands, names, numbers and words. Each kind
// is counted by itself, so that a good average cannot hide a kind that is lost.

import { headings } from "../text/markdown.ts";
import { bodyFields } from "../text/sections.ts";
import { tokenize } from "../text/tokens.ts";
import { GUARD } from "./limits.ts";

const FACT_KINDS = ["headings", "code", "commands", "names", "numbers", "words"] as const;
type FactKind = (typeof FACT_KINDS)[number];

/** Missing facts quoted in a refusal. */
const QUOTED = 5;

/** What `after` keeps of `before`, for each kind of fact that `before` has. */
export function coverageOf(before: string, after: string) {
  const facts = factsOf(before);
  const target = { flat: flatten(after), words: new Set(tokenize(after, { partsOnly: true })) };
  return FACT_KINDS.filter((kind) => facts[kind].length > 0).map((kind) => {
    const missing = facts[kind].filter((fact) => !isKept(kind, fact, target));
    const share = 1 - missing.length / facts[kind].length;
    return {
      kind,
      share: Math.round(share * 100) / 100,
      enough: share >= (kind === "words" ? GUARD.wordCoverage : GUARD.coverage),
      missing: missing.slice(0, QUOTED),
    };
  });
}

function factsOf(text: string): Record<FactKind, string[]> {
  const { code, prose } = bodyFields(text);
  const spans = [...prose.matchAll(/`([^`\n]{2,200})`/g)].map(([, span]) => span!);
  const plain = prose.replace(/`[^`\n]*`/g, " ");
  return {
    // The title only repeats the name, which goes by design.
    headings: headings(text)
      .filter(({ level, text: title }, at) => (at > 0 || level > 1) && tokenize(title).length > 0)
      .map((heading) => heading.text),
    code: unique(
      code
        .split("\n")
        .map(flatten)
        .filter((line) => line.length > 1),
    ),
    commands: unique(spans.map(flatten)),
    names: properNouns(plain),
    numbers: unique(plain.match(/\d[\d.,:%]*\d|\d/g) ?? []),
    words: unique(tokenize(prose, { partsOnly: true })),
  };
}

/** Words with a capital inside a sentence, or in capitals throughout, or of mixed case. */
function properNouns(prose: string): string[] {
  const found: string[] = [];
  for (const match of prose.matchAll(/(?<before>^|[^\p{L}\p{N}_])(?<word>\p{Lu}[\p{L}\p{N}]+)/gmu)) {
    const { word = "" } = match.groups ?? {};
    const lead = prose.slice(Math.max(0, match.index - 4), match.index + match[0].length - word.length);
    const opensSentence = /(?:^|[.!?:\n]|[-*#>|]|\d[.)])["'(*_\s]*$/u.test(lead) || match.index === 0;
    const isMarked = /^\p{Lu}{2,}\d*$/u.test(word) || /\p{Ll}\p{Lu}/u.test(word);
    if (isMarked || !opensSentence) found.push(word);
  }
  return unique(found);
}

function isKept(kind: FactKind, fact: string, target: { flat: string; words: ReadonlySet<string> }): boolean {
  if (kind === "headings") return tokenize(fact, { partsOnly: true }).every((word) => target.words.has(word));
  if (kind === "words") return target.words.has(fact);
  if (kind === "numbers") return new RegExp(`(?<![\\d])${escaped(fact)}(?!\\d)`).test(target.flat);
  return target.flat.includes(flatten(fact));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function flatten(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
