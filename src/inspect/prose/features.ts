// The features of a clause: which signs it has, and which of them occur together.

import { Places, watchFor } from "../places.ts";
import type { FindingSeverity } from "../types.ts";
import { SIGNS, type Sign } from "./words.ts";

/** Signs that mean something else together than alone. */
const TOGETHER: readonly (readonly Sign[])[] = [
  ["send", "key"],
  ["send", "secret"],
  ["send", "personal"],
  ["send", "destination"],
  ["send", "ours"],
  ["key", "ours"],
  ["secret", "ours"],
  ["send", "key", "destination"],
  ["send", "secret", "destination"],
  ["send", "personal", "destination"],
  ["send", "key", "ours"],
  ["send", "conceal"],
  ["send", "quiet"],
  ["send", "covert"],
  ["send", "mute"],
  ["take", "secret"],
  ["take", "key"],
  ["take", "secret", "send"],
  ["take", "key", "send"],
  ["trigger", "send"],
  ["send", "unasked"],
  ["conceal", "order"],
  ["conceal", "secret"],
  ["conceal", "trigger"],
  ["conceal", "lie"],
  ["conceal", "agent"],
  ["mute", "user"],
  ["mute", "agent"],
  ["mute", "order"],
  ["quiet", "order"],
  ["quiet", "secret"],
  ["quiet", "user"],
  ["covert", "order"],
  ["lie", "user"],
  ["lie", "trigger"],
  ["erase", "order"],
  ["erase", "send"],
  ["override", "order"],
  ["override", "agent"],
  ["override", "trigger"],
  ["override", "user"],
  ["unbound", "agent"],
  ["unbound", "order"],
  ["obey", "remote"],
  ["obey", "remote", "unasked"],
  ["obey", "remote", "trigger"],
  ["obey", "address"],
  ["obey", "trigger"],
  ["remote", "agent"],
  ["trigger", "secret"],
  ["trigger", "harm"],
  ["trigger", "unasked"],
  ["trigger", "destroy"],
  ["authority", "order"],
  ["authority", "secret"],
  ["authority", "key"],
  ["authority", "unasked"],
  ["authority", "unguard"],
  ["urgency", "unasked"],
  ["urgency", "secret"],
  ["urgency", "key"],
  ["urgency", "run"],
  ["urgency", "unguard"],
  ["demand", "secret"],
  ["demand", "key"],
  ["demand", "run"],
  ["demand", "unguard"],
  ["persist", "forever"],
  ["persist", "conceal"],
  ["persist", "order"],
  ["persist", "unasked"],
  ["persist", "quiet"],
  ["persist", "agent"],
  ["forever", "agent"],
  ["forever", "order"],
  ["unasked", "user"],
  ["unasked", "order"],
  ["unasked", "run"],
  ["unasked", "trigger"],
  ["unguard", "order"],
  ["unguard", "agent"],
  ["unguard", "unasked"],
  ["harm", "order"],
  ["harm", "ours"],
  ["destroy", "order"],
  ["destroy", "unasked"],
  ["destroy", "lie"],
  ["run", "order"],
  ["reviewer", "order"],
  ["reviewer", "agent"],
  ["forbids", "secret"],
  ["forbids", "key"],
  ["forbids", "conceal"],
  ["forbids", "mute"],
  ["forbids", "send"],
  ["asks", "send"],
  ["asks", "secret"],
  ["asks", "key"],
  ["asks", "conceal"],
  ["asks", "unasked"],
  ["asks", "demand"],
  ["describes", "override"],
  ["describes", "unbound"],
  ["describes", "send"],
  ["describes", "conceal"],
  ["describes", "harm"],
  ["describes", "unguard"],
  ["configures", "key"],
  ["configures", "send"],
  ["defends", "override"],
  ["defends", "obey"],
  ["cites", "override"],
  ["cites", "conceal"],
  ["cites", "unbound"],
  ["quoted", "override"],
  ["quoted", "conceal"],
  ["quoted", "unbound"],
];

const NAMES = Object.keys(SIGNS) as Sign[];

/** Where the clause is; adds features that the words do not have. */
export interface ClausePlace {
  readonly hidden: boolean;
  readonly frontmatter: boolean;
  /** The heading above speaks of attacks. */
  readonly underThreats: boolean;
  /** The heading above forbids what follows: `Never`, `Don't`, `Avoid`. */
  readonly underNever: boolean;
  /** In a fence: an example, or an order in disguise. */
  readonly fenced: boolean;
}

/** All features, in a fixed order: `send`, `send+secret`, `hidden`. */
export const CLAUSE_FEATURES: readonly string[] = [
  ...NAMES,
  ...TOGETHER.map((signs) => signs.join("+")),
  "hidden",
  "frontmatter",
  "underThreats",
  "underNever",
  "fenced",
  "long",
];

/** A clause of more characters says many things, so that signs meet by chance. */
const LONG = 220;

/** Signs without which a clause is not worth a closer look: one of them must occur. */
const CORE: readonly Sign[] = [
  "send",
  "conceal",
  "mute",
  "covert",
  "erase",
  "lie",
  "override",
  "unbound",
  "obey",
  "authority",
  "demand",
  "persist",
  "forever",
  "unasked",
  "unguard",
  "reviewer",
  "harm",
  "destroy",
  "run",
  "urgency",
];

const CORE_SIGNS: ReadonlySet<RegExp> = new Set(CORE.map((name) => SIGNS[name]));
for (const expression of CORE_SIGNS) watchFor(expression);

/** For each text the core signs that may occur in it. */
export function possibleSigns(texts: readonly string[]): readonly (readonly Sign[])[] {
  const places = new Places(texts, CORE_SIGNS);
  const possible: Sign[][] = texts.map(() => []);
  for (const name of CORE) {
    const among = places.of(SIGNS[name]);
    if (among) for (const index of among) possible[index]!.push(name);
    else for (const signs of possible) signs.push(name);
  }
  return possible;
}

/** Actions: with a negation before them, the clause forbids them. */
const ACTIONS: ReadonlySet<Sign> = new Set([
  "send",
  "take",
  "override",
  "unbound",
  "obey",
  "demand",
  "unguard",
  "destroy",
  "harm",
  "erase",
  "run",
]);
const NEGATED =
  /\b(?:never|do not|don't|must not|should not|shouldn't|cannot|can't|may not|avoid|refuse to|not to|without)(?: ever| simply| blindly| attempt to| try to| be asked to)? ?$/;

/** The signs of a clause; empty if none of the core signs in `possible` occurs. */
export function signsOf(clause: string, possible: readonly Sign[]): ReadonlySet<Sign> {
  const found = new Set<Sign>();
  for (const name of possible) if (occurs(name, clause)) found.add(name);
  if (found.size === 0) return found;
  for (const name of NAMES)
    if (!found.has(name) && !CORE.includes(name) && occurs(name, clause)) found.add(name);
  return found;
}

/** Whether a sign occurs; an action only if it is not forbidden wherever it occurs first. */
function occurs(name: Sign, clause: string): boolean {
  const match = SIGNS[name].exec(clause);
  if (!match) return false;
  if (!ACTIONS.has(name) || !NEGATED.test(clause.slice(Math.max(0, match.index - 24), match.index)))
    return true;
  return SIGNS[name].test(clause.slice(match.index + match[0].length));
}

/** The features that are present. */
export function featuresOf(clause: string, signs: ReadonlySet<Sign>, place: ClausePlace): string[] {
  const features: string[] = [...signs];
  for (const together of TOGETHER)
    if (together.every((sign) => signs.has(sign))) features.push(together.join("+"));
  if (place.hidden) features.push("hidden");
  if (place.frontmatter) features.push("frontmatter");
  if (place.underThreats) features.push("underThreats");
  if (place.underNever) features.push("underNever");
  if (place.fenced) features.push("fenced");
  if (clause.length > LONG) features.push("long");
  return features;
}

/** Without one of these a clause may be careless, but it is not an attack. */
const GRAVE: ReadonlySet<string> = new Set([
  "send+secret",
  "send+key",
  "send+personal",
  "conceal",
  "covert",
  "erase",
  "lie",
  "override",
  "unbound",
  "obey+remote",
  "harm",
  "reviewer",
  "authority",
]);

/** Real skills say these too, but each is worth a look. Acting without asking is not among them: most of it is about small steps. */
const SERIOUS: ReadonlySet<string> = new Set([
  "persist+forever",
  "persist+unasked",
  "persist+quiet",
  "demand+secret",
  "unasked+run",
  "unguard",
  "run",
  "send+ours",
  "destroy+unasked",
  "obey+address",
]);

/** The most severe finding that a clause with these features can be, whatever its probability. */
export function worstSeverity(features: readonly string[]): FindingSeverity {
  if (features.some((feature) => GRAVE.has(feature))) return "high";
  return features.some((feature) => SERIOUS.has(feature)) ? "medium" : "low";
}
