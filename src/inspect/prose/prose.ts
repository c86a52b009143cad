// Classifies the clauses of prose: instructions to an agent are code too. A logistic model adds up the signs of a clause; a finding names
// the signs that decided.

import { excerptOf } from "../excerpt.ts";
import { INSPECT_LIMITS } from "../limits.ts";
import type { Steps } from "../steps.ts";
import type { FindingSeverity, RuleFinding, Unit } from "../types.ts";
import { type ClausePlace, featuresOf, possibleSigns, signsOf, worstSeverity } from "./features.ts";
import { BIAS, THRESHOLDS, WEIGHTS } from "./weights.ts";
import { SIGNS, type Sign } from "./words.ts";

interface Topic {
  readonly code: string;
  readonly why: string;
  readonly fix: string;
  readonly signs: readonly Sign[];
}

const REMOVE = "Remove the sentence, or do not install the skill.";

/** What a hostile clause is about, by the sign that weighs most. */
const TOPICS: readonly Topic[] = [
  {
    code: "prose-exfiltrate",
    why: "Tells the agent to pass on secrets or private data.",
    fix: "Remove the sentence, or do not install the skill; if it ever ran, replace the secrets it could reach.",
    signs: ["send", "take", "key", "secret", "personal", "destination", "ours"],
  },
  {
    code: "prose-conceal",
    why: "Tells the agent to hide something from the user.",
    fix: REMOVE,
    signs: ["conceal", "mute", "quiet", "covert", "erase", "lie"],
  },
  {
    code: "prose-override",
    why: "Tells the agent to set its other instructions aside.",
    fix: REMOVE,
    signs: ["override", "unbound"],
  },
  {
    code: "prose-remote",
    why: "Makes the agent follow instructions from outside the package; they can change after you have read the skill.",
    fix: "Put the instructions into the package, so that they can be read first.",
    signs: ["obey", "remote", "address"],
  },
  {
    code: "prose-credential",
    why: "Makes the agent ask the user for a secret.",
    fix: "Never give a secret to a skill; enter it where it belongs.",
    signs: ["demand"],
  },
  {
    code: "prose-persist",
    why: "Makes the agent write instructions to where later sessions follow them.",
    fix: "Show the exact text to the user and let them decide.",
    signs: ["persist", "forever"],
  },
  {
    code: "prose-consent",
    why: "Makes the agent act without asking the user.",
    fix: "Let the user confirm.",
    signs: ["unasked", "unguard", "urgency"],
  },
  {
    code: "prose-authority",
    why: "Claims an authority that a skill does not have.",
    fix: REMOVE,
    signs: ["authority"],
  },
  { code: "prose-reviewer", why: "Tells reviewers what to conclude.", fix: REMOVE, signs: ["reviewer"] },
  {
    code: "prose-harm",
    why: "Makes the agent harm its user.",
    fix: REMOVE,
    signs: ["harm", "destroy", "trigger"],
  },
  {
    code: "prose-run",
    why: "Makes somebody run a program that nobody has read.",
    fix: "Read the program first, or do without it.",
    signs: ["run"],
  },
];

/** How a sign is named in a finding. */
const IN_WORDS: Readonly<Partial<Record<Sign, string>>> = {
  send: "sends",
  take: "collects",
  key: "a key or token",
  secret: "a secret",
  personal: "private data",
  destination: "an outside address",
  ours: "somebody's own server",
  conceal: "hides it from the user",
  mute: "does not mention it",
  quiet: "quietly",
  covert: "covertly",
  erase: "removes traces",
  lie: "gives a false account",
  override: "sets instructions aside",
  unbound: "claims to be above all limits",
  obey: "obeys",
  remote: "text from outside",
  address: "an address",
  trigger: "on a trigger",
  authority: "borrowed authority",
  urgency: "urgency",
  demand: "asks the user for it",
  persist: "writes to a file that is read by itself",
  forever: "for all later sessions",
  unasked: "without asking",
  unguard: "switches a protection off",
  reviewer: "addresses reviewers",
  harm: "works against the user",
  destroy: "destroys data",
  run: "runs something unread",
};

/** Longer clauses are cut: signs that are far apart have nothing to do with each other. */
const MAX_CLAUSE = 500;
const CLAUSE_END = /[.!?;] |[。！？]/g;
const THREATS =
  /\b(?:injections?|attacks?|malicious|malware|red flags?|detect\w{0,5}|vulnerab\w{0,8}|anti-?patterns?|threats?|exploit\w{0,5}|security|risks?)\b/;

const FORBIDS =
  /\b(?:never|don'?ts?|do not|avoid|must not|forbidden|prohibited|not allowed|out of scope|anti-?patterns?|boundaries|bad examples?|mistakes|pitfalls)\b/;

interface Clause {
  /** In lower case. */
  readonly text: string;
  readonly start: number;
  readonly unit: Unit;
  readonly features: readonly string[];
}

/** The clauses of a document's prose that have a core sign, with their features. */
export function* clausesOf(units: readonly Unit[]): Generator<Clause> {
  const prose = units.filter(({ scope }) => scope === "paragraph");
  const sentences = prose.flatMap(sentencesOf);
  const possible = possibleSigns(sentences.map(({ text }) => text));
  for (const [index, { text, start, unit }] of sentences.entries()) {
    if (possible[index]!.length === 0) continue;
    const signs = signsOf(text, possible[index]!);
    if (signs.size === 0) continue;
    const place: ClausePlace = {
      hidden: unit.kind === "hidden" || unit.disguise !== undefined,
      frontmatter: unit.kind === "frontmatter",
      underThreats: THREATS.test(unit.heading),
      underNever: FORBIDS.test(unit.heading),
      fenced: unit.kind === "code",
    };
    yield { text, start, unit, features: featuresOf(text, signs, place) };
  }
}

type Sentence = Pick<Clause, "text" | "start" | "unit">;

function sentencesOf(unit: Unit): Sentence[] {
  const found: Sentence[] = [];
  let start = 0;
  const cut = (end: number): void => {
    for (let at = start; at < end; at += MAX_CLAUSE) {
      const text = unit.text.slice(at, Math.min(end, at + MAX_CLAUSE)).trim();
      if (text.length > 8) found.push({ start: at, text, unit });
    }
    start = end;
  };
  for (const match of unit.text.matchAll(CLAUSE_END)) cut(match.index + match[0].length);
  cut(unit.text.length);
  return found;
}

/** How likely a clause with these features is hostile, between 0 and 1. */
function probabilityOf(features: readonly string[]): number {
  let sum = BIAS;
  for (const feature of features) sum += WEIGHTS[feature] ?? 0;
  return 1 / (1 + Math.exp(-sum));
}

/** The hostile clauses of a document, worst first, a limited number of each topic. Pauses after each clause that may be one. */
export function* proseFindings(units: readonly Unit[], path: string): Steps<RuleFinding[]> {
  const findings: { readonly finding: RuleFinding; readonly probability: number }[] = [];
  for (const { text, start, unit, features } of clausesOf(units)) {
    yield;
    const probability = probabilityOf(features);
    const severity = severityOf(probability, worstSeverity(features));
    if (severity === undefined) continue;
    const { code, why, fix } = topicOf(features);
    const shown = unit.clean.length === unit.text.length ? unit.clean : unit.text;
    findings.push({
      probability,
      finding: {
        code,
        severity,
        path,
        line: unit.lineAt(start),
        excerpt: excerptOf(shown.slice(start, start + text.length)),
        message: `${why} ${explained(features, text)}`,
        fix,
      },
    });
  }
  const counts = new Map<string, number>();
  return findings
    .toSorted((a, b) => b.probability - a.probability)
    .map(({ finding }) => finding)
    .filter(({ code }) => {
      counts.set(code, (counts.get(code) ?? 0) + 1);
      return counts.get(code)! <= INSPECT_LIMITS.sameCodePerFile;
    });
}

function severityOf(probability: number, most: FindingSeverity): FindingSeverity | undefined {
  if (probability >= THRESHOLDS.high && most === "high") return "high";
  if (probability >= THRESHOLDS.medium && most !== "low") return "medium";
  return probability >= THRESHOLDS.low ? "low" : undefined;
}

/** The topic whose signs weigh most in this clause. */
function topicOf(features: readonly string[]): Topic {
  const weightOf = ({ signs }: Topic) => {
    let sum = 0;
    for (const feature of features) {
      const parts = feature.split("+");
      const share = parts.filter((part) => signs.includes(part as Sign)).length / parts.length;
      sum += share * Math.max(0, WEIGHTS[feature] ?? 0);
    }
    return sum;
  };
  return TOPICS.toSorted((a, b) => weightOf(b) - weightOf(a))[0]!;
}

/** `Signs: sends ("upload"), a secret ("api key").` */
function explained(features: readonly string[], text: string): string {
  const weighty = new Map<Sign, number>();
  for (const feature of features)
    for (const part of feature.split("+")) {
      const sign = part as Sign;
      if (sign in IN_WORDS) weighty.set(sign, (weighty.get(sign) ?? 0) + (WEIGHTS[feature] ?? 0));
    }
  const named = [...weighty]
    .filter(([, weight]) => weight > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([sign]) => `${IN_WORDS[sign]} ("${excerptOf(SIGNS[sign].exec(text)?.[0] ?? "").slice(0, 40)}")`);
  return `Signs: ${named.join(", ")}.`;
}
