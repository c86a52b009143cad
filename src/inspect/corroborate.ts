// Weighs findings by what else is in the package: the prose classifier alone, or a document beside the skill alone, is weak evidence.

import { isSkillFile } from "../package/package.ts";
import { isTestFile } from "./context.ts";
import type { FindingSeverity, RuleFinding } from "./types.ts";

const LOWER = { high: "medium", medium: "low", low: "low" } as const satisfies Record<
  FindingSeverity,
  FindingSeverity
>;

const DOCUMENT = /\.(?:md|mdx|markdown|txt|rst|adoc|html?)$/i;
/** Documents that people or agents follow without being sent there. */
const FOLLOWED =
  /(?:^|\/)[^/]*(?:readme|install|set-?up|quick-?start|getting-?started|prerequisite|requirement|bootstrap|claude\.md|agents\.md|gemini\.md|soul\.md|memory\.md|heartbeat\.md)[^/]*$/i;
/** What a file is, or hides, does not depend on who reads it. */
const ABOUT_THE_FILE = /^(?:file-|characters-smuggled$)/;
/** Words before the name of a file that send the reader there in order to do what it says. */
const SENDS =
  /\b(?:run|execute|follow|install|set ?up|do (?:everything|what|as)|obey|apply|carry out|commands?|steps?|instructions?|procedure)\b[^.;|]{0,60}$/;

/**
 * The findings with the severity that the whole package gives them. A finding stays as it is if something else of at least medium
 * severity has another weakness or none; otherwise it goes down one step for each weakness.
 *
 * @param told The text of the skill in lower case: it may send the agent to a document, which then counts as the skill itself.
 */
export function corroborated(findings: readonly RuleFinding[], told: string): RuleFinding[] {
  const lines = told.split("\n");
  const places = new Map<string, boolean>();
  const isAside = ({ code, path }: RuleFinding): boolean => {
    if (ABOUT_THE_FILE.test(code)) return false;
    const known = places.get(path) ?? liesAside(path, lines);
    places.set(path, known);
    return known;
  };
  const grave = findings.filter(({ severity }) => severity !== "low");
  const beyondProse = grave.some((finding) => !isClassified(finding));
  const beyondAside = grave.some((finding) => !isAside(finding));
  if (beyondProse && beyondAside) return [...findings];
  return findings.map((finding) => {
    let { severity } = finding;
    if (!beyondProse && isClassified(finding)) severity = LOWER[severity];
    if (!beyondAside && isAside(finding)) severity = LOWER[severity];
    return { ...finding, severity };
  });
}

/** The classifier judges words by how often they are hostile; a rule names the very phrase or command. */
function isClassified({ code }: RuleFinding): boolean {
  return code.startsWith("prose-");
}

/** Whether a file is a test, or a document that nothing in the skill tells to follow. */
function liesAside(path: string, skill: readonly string[]): boolean {
  if (isSkillFile(path) || FOLLOWED.test(path)) return false;
  if (!DOCUMENT.test(path) && !isTestFile(path)) return false;
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return !skill.some((line) => {
    const at = line.indexOf(name);
    return at >= 0 && SENDS.test(line.slice(Math.max(0, at - 120), at));
  });
}
