// Finds, without a model, what the history and the library say: gaps, overlaps, skills at risk and more. Pure, and with
// pauses, because a month of a busy library has millions of events.

import { compareNames, parentName, type SkillName } from "../model/name.ts";
import { fold } from "../text/fold.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";
import { EVIDENCE_LIMITS, SIMILARITY } from "./limits.ts";
import {
  type DreamSkill,
  guideOf,
  isGuide,
  isNamespaced,
  type Material,
  type PrefixKind,
} from "./material.ts";
import { findNeglected, type NeglectedSkill } from "./neglected.ts";
import { type DreamSession, type DreamTurn, isPoor } from "./sessions.ts";
import { findWishes, type Wish } from "./wishes.ts";

export interface Term {
  readonly term: string;
  readonly sessions: readonly string[];
}

/** Requests that come again and again and that no skill answers. */
export interface Gap {
  /** Words that the messages share, the most telling first. */
  readonly topic: readonly string[];
  readonly messages: readonly string[];
  readonly sessions: readonly string[];
}

/** Two skills, and the sessions that say something about them. */
export interface CoUsePair {
  readonly a: SkillName;
  readonly b: SkillName;
  readonly sessions: readonly string[];
}

/** Its sessions used one of the two. */
export interface Overlap extends CoUsePair {
  /** By words, between 0 and 1. */
  readonly words: number;
  /** By meaning, between 0 and 1; 0 when unknown. */
  readonly meaning: number;
}

export interface Conflict extends CoUsePair {
  readonly messages: readonly string[];
}

export interface PrefixCluster {
  readonly prefix: string;
  readonly kind: PrefixKind;
  readonly members: readonly SkillName[];
  readonly guide?: SkillName;
}

export interface SparseSkill {
  readonly name: SkillName;
  readonly chars: number;
  readonly sessions: readonly string[];
}

export interface AtRiskSkill {
  readonly name: SkillName;
  readonly sessions: readonly string[];
  /** What was said about it, in the user's words. */
  readonly corrections: readonly string[];
  /** What was asked for after it in several sessions, although nobody said that something was wrong. */
  readonly wishes: readonly string[];
  readonly ratings: readonly string[];
  /** Messages that it was used for and that ended badly. */
  readonly messages: readonly string[];
}

export interface UnusedSkill {
  readonly name: SkillName;
  /** 0 when never. */
  readonly lastUsedAt: number;
}

export interface DreamEvidence {
  readonly sessions: number;
  readonly skills: number;
  readonly terms: readonly Term[];
  readonly gaps: readonly Gap[];
  readonly overlaps: readonly Overlap[];
  readonly prefixes: readonly PrefixCluster[];
  readonly coUse: readonly CoUsePair[];
  readonly sparse: readonly SparseSkill[];
  readonly atRisk: readonly AtRiskSkill[];
  readonly neverUsed: readonly UnusedSkill[];
  readonly idle: readonly UnusedSkill[];
  readonly conflicts: readonly Conflict[];
  /** Skills that nobody learned here and that do not help. */
  readonly neglected: readonly NeglectedSkill[];
}

/** Work with pauses. */
type Steps<T> = Generator<undefined, T>;

/** The ids of the sessions that used a skill. */
type Uses = ReadonlyMap<SkillName, ReadonlySet<string>>;

export function* evidenceSteps(material: Material): Steps<DreamEvidence> {
  const uses = yield* findUses(material);
  const overlaps = yield* findOverlaps(material, uses);
  const terms = yield* recurringTerms(material.sessions);
  const gaps = yield* findGaps(material);
  const coUse = yield* findCoUse(material);
  const atRisk = yield* findAtRisk(material);
  const conflicts = yield* findConflicts(material);
  const prefixes = findPrefixes(material);
  yield;
  const sparse = findSparse(material, uses);
  yield;
  const unused = findUnused(material);
  const neglected = yield* findNeglected(material, overlaps);
  return {
    sessions: material.sessions.length,
    skills: material.skills.length,
    terms,
    gaps,
    overlaps,
    prefixes,
    coUse,
    sparse,
    atRisk,
    ...unused,
    conflicts,
    neglected,
  };
}

function* findUses({ sessions }: Material): Steps<Uses> {
  const uses = new Map<SkillName, Set<string>>();
  for (const { id, used } of sessions) {
    for (const name of used) {
      const known = uses.get(name);
      if (known) known.add(id);
      else uses.set(name, new Set([id]));
    }
    yield;
  }
  return uses;
}

/** The sessions that used one of these skills, in their order. */
function usedIn(uses: Uses, { sessions }: Material, names: readonly SkillName[]): string[] {
  const sets = names.flatMap((name) => uses.get(name) ?? []);
  if (sets.length < 2) return [...(sets[0] ?? [])];
  return sessions.filter(({ id }) => sets.some((set) => set.has(id))).map(({ id }) => id);
}

interface MissedTurn extends DreamTurn {
  readonly bag: Bag;
  readonly vector?: Float32Array | undefined;
}

/**
 * Requests that recur and that no skill answers, most sessions first. If a skill was used for half of a group, that is
 * the skill's failure and not a gap; `findAtRisk` reports it.
 */
function* findGaps(material: Material): Steps<Gap[]> {
  const all: DreamTurn[] = [];
  for (const session of material.sessions) {
    for (const turn of session.turns) if (isMissed(turn, material)) all.push(turn);
    yield;
  }
  const turns = all.slice(-EVIDENCE_LIMITS.messages);
  const bags = yield* bagsOf(turns.map(({ message }) => message));
  const missed = turns.map(
    (turn, at): MissedTurn => ({ ...turn, bag: bags[at]!, vector: material.meaning.get(turn.message) }),
  );
  const long = missed.filter(({ bag }) => bag.size >= SIMILARITY.messageWords);
  const least = material.meaning.size > 0 ? SIMILARITY.message : SIMILARITY.messageWordsOnly;
  const groups = yield* clusters(long, alike, least);
  return (yield* joined(groups, missed, least))
    .filter((group) => isGap(group))
    .map(toGap)
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(a.messages[0]!, b.messages[0]!))
    .slice(0, EVIDENCE_LIMITS.items);
}

function isMissed(turn: DreamTurn, { isUnmet }: Material): boolean {
  if (turn.endedBadly) return true;
  return turn.recalled !== undefined && turn.used.length === 0 && isUnmet(turn);
}

/** What was recalled and not used may still be what was shown and followed. It is a miss if many sessions got other skills each. */
function isDoubtful(group: readonly MissedTurn[]): boolean {
  const recalled = group.flatMap((turn) => (turn.endedBadly ? [] : [...new Set(turn.recalled)]));
  const most = Math.max(0, ...recalled.map((name) => recalled.filter((each) => each === name).length));
  const sessions = new Set(group.map(({ session }) => session)).size;
  return recalled.length > 0 && (most * 2 > group.length || sessions < EVIDENCE_LIMITS.draftSessions);
}

/**
 * Adds to each group of two or more the messages that belong to none: those with two words that half of the group has, and
 * those with one that are not far from it. Short ones such as "weekly report please" are too short to begin a group.
 */
function* joined(
  groups: readonly MissedTurn[][],
  missed: readonly MissedTurn[],
  least: number,
): Steps<readonly MissedTurn[][]> {
  const found = groups.filter((group) => group.length > 1).map((group) => ({ group, words: coreOf(group) }));
  const grouped = new Set(found.flatMap(({ group }) => group));
  for (const turn of missed) {
    yield;
    if (grouped.has(turn)) continue;
    const fitting = found
      .map(({ group, words }) => ({
        group,
        shared: [...turn.bag.keys()].filter((word) => words.has(word)).length,
        value: group.reduce((sum, other) => sum + alike(turn, other), 0) / group.length,
      }))
      .filter(({ shared, value }) => shared > 1 || (shared === 1 && value >= least * SIMILARITY.joining))
      .sort((a, b) => b.shared - a.shared || b.value - a.value);
    fitting[0]?.group.push(turn);
  }
  return found.map(({ group }) => group.sort((a, b) => a.at - b.at));
}

/** The words that half of a group has. */
function coreOf(group: readonly MissedTurn[]): ReadonlySet<string> {
  const words = group.flatMap(({ bag }) => [...bag.keys()]);
  return new Set(words.filter((word) => group.filter(({ bag }) => bag.has(word)).length * 2 >= group.length));
}

function alike(a: MissedTurn, b: MissedTurn): number {
  const words = bagLikeness(a.bag, b.bag);
  return a.vector && b.vector ? (words + nearness(a.vector, b.vector)) / 2 : words;
}

function isGap(group: readonly MissedTurn[]): boolean {
  if (new Set(group.map(({ session }) => session)).size < EVIDENCE_LIMITS.minSessions) return false;
  const served = group.filter(({ used }) => used.length > 0).length;
  if (served * 2 >= group.length || isDoubtful(group)) return false;
  return group.length > 2 || alike(group[0]!, group[1]!) >= SIMILARITY.messagePair;
}

function toGap(group: readonly MissedTurn[]): Gap {
  const weight = new Map<string, { count: number; sum: number }>();
  for (const { bag } of group) {
    for (const [word, value] of bag) {
      const known = weight.get(word) ?? { count: 0, sum: 0 };
      weight.set(word, { count: known.count + 1, sum: known.sum + value });
    }
  }
  const topic = [...weight]
    .filter(([, { count }]) => count > 1)
    .sort(([a, m], [b, n]) => n.count - m.count || n.sum - m.sum || compareNames(a, b))
    .slice(0, 5)
    .map(([word]) => spellingOf(word, group));
  return {
    topic,
    messages: [...new Set(group.map(({ message }) => message))].slice(-EVIDENCE_LIMITS.quotes),
    sessions: [...new Set(group.map(({ session }) => session))],
  };
}

/** The first word of the messages that has this stem. */
function spellingOf(term: string, group: readonly MissedTurn[]): string {
  const words = group.flatMap(({ message }) => message.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  return words.map(fold).find((word) => stem(word) === term) ?? term;
}

/** Skills that say the same, the most alike first. Children of a namespaced prefix are alike by design and are not compared. */
function* findOverlaps(material: Material, uses: Uses): Steps<Overlap[]> {
  const skills = [...material.skills]
    .filter(({ name }) => !isNamespaced(material.prefixes, parentName(name)))
    .sort((a, b) => Number(b.editable) - Number(a.editable) || compareNames(a.name, b.name))
    .slice(0, EVIDENCE_LIMITS.skills);
  const bags = yield* bagsOf(skills.map(textOf));
  const found: Omit<Overlap, "sessions">[] = [];
  for (const pair of yield* similarPairs(bags, SIMILARITY.skill)) {
    yield;
    const [x, y] = [skills[pair.a]!, skills[pair.b]!];
    const meaning = nearness(x.vector, y.vector);
    if (x.vector && y.vector && meaning < SIMILARITY.skillMeaning) continue;
    const [a, b] = [x.name, y.name].sort(compareNames) as [SkillName, SkillName];
    found.push({ a, b, words: round(pair.value), meaning: round(meaning) });
  }
  const overlaps: Overlap[] = [];
  found.sort((a, b) => b.words - a.words || compareNames(a.a, b.a));
  for (const pair of found.slice(0, EVIDENCE_LIMITS.items)) {
    overlaps.push({ ...pair, sessions: usedIn(uses, material, [pair.a, pair.b]) });
    yield;
  }
  return overlaps;
}

function textOf({ name, description, body }: DreamSkill): string {
  return `${name.replace(/[/-]/g, " ")}\n${description}\n${body}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Prefixes with two members or more, guides not counted. A skill that is the prefix itself guides as well. */
function findPrefixes({ skills, prefixes }: Material): PrefixCluster[] {
  const members = new Map<string, string[]>();
  const names = new Set(skills.map(({ name }) => name));
  for (const { name } of skills) {
    const prefix = parentName(name);
    if (prefix !== undefined && !isGuide(name)) members.set(prefix, [...(members.get(prefix) ?? []), name]);
  }
  return [...members]
    .filter(([, children]) => children.length >= 2)
    .map(([prefix, children]): PrefixCluster => {
      const kind = isNamespaced(prefixes, prefix) ? "namespaced" : "topical";
      const guide = [guideOf(prefix), prefix].find((name) => names.has(name));
      return { prefix, kind, members: children.sort(compareNames), ...(guide !== undefined && { guide }) };
    })
    .sort((a, b) => compareNames(a.prefix, b.prefix))
    .slice(0, EVIDENCE_LIMITS.items);
}

/** Learned skills without any use, and those whose last use is long ago. Other sources are left out. */
function findUnused({ skills, now }: Material): { neverUsed: UnusedSkill[]; idle: UnusedSkill[] } {
  const learned = skills.filter((skill) => skill.learned && !isGuide(skill.name));
  const { items, idleMs, unusedAgeMs } = EVIDENCE_LIMITS;
  const oldestFirst = (fits: (skill: DreamSkill) => boolean) =>
    learned
      .filter(fits)
      .map(({ name, lastUsedAt }) => ({ name, lastUsedAt }))
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt || compareNames(a.name, b.name))
      .slice(0, items);
  return {
    neverUsed: oldestFirst(({ lastUsedAt, createdAt }) => lastUsedAt === 0 && now - createdAt > unusedAgeMs),
    idle: oldestFirst(({ lastUsedAt }) => lastUsedAt > 0 && now - lastUsedAt > idleMs),
  };
}

/** Pairs that several sessions used, most sessions first. */
function* findCoUse({ sessions, skills }: Material): Steps<CoUsePair[]> {
  const known = new Set(skills.map(({ name }) => name));
  const pairs = new Map<string, CoUsePair & { sessions: string[] }>();
  for (const { id, used } of sessions) {
    for (const [a, b] of pairsOf(used, known)) {
      const pair = pairs.get(`${a}\n${b}`) ?? { a, b, sessions: [] };
      pair.sessions.push(id);
      pairs.set(`${a}\n${b}`, pair);
    }
    yield;
  }
  const several = [...pairs.values()].filter((pair) => pair.sessions.length >= EVIDENCE_LIMITS.minSessions);
  yield;
  // Of many thousands only those that may be among the first are put in order.
  const sizes = Float64Array.from(several, (pair) => -pair.sessions.length).sort();
  const least = -(sizes[EVIDENCE_LIMITS.pairs - 1] ?? 0);
  return several
    .filter((pair) => pair.sessions.length >= least)
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(`${a.a} ${a.b}`, `${b.a} ${b.b}`))
    .slice(0, EVIDENCE_LIMITS.pairs);
}

/** Every two of these names that are known, each pair once and in order. */
function pairsOf(names: readonly SkillName[], known: ReadonlySet<SkillName>): [SkillName, SkillName][] {
  const sorted = names.filter((name) => known.has(name)).sort(compareNames);
  return sorted.flatMap((a, at) => sorted.slice(at + 1).map((b): [SkillName, SkillName] => [a, b]));
}

/**
 * Used where it failed, where the person corrected the answer, in a session with a low rating, or where several sessions went on
 * with the same wish; most sessions first.
 */
function* findAtRisk({ sessions, skills }: Material): Steps<AtRiskSkill[]> {
  const known = new Set(skills.map(({ name }) => name));
  const found = new Map<SkillName, DreamSession[]>();
  for (const session of sessions) {
    for (const name of blamed(session)) {
      if (!known.has(name)) continue;
      const bad = found.get(name);
      if (bad) bad.push(session);
      else found.set(name, [session]);
    }
    yield;
  }
  const about = new Map(skills.map(({ name, description }) => [name, `${name} ${description}`]));
  const wishes = yield* findWishes(sessions, about);
  return [...new Set([...found.keys(), ...wishes.keys()])]
    .map((name) => toAtRisk(name, found.get(name) ?? [], wishes.get(name) ?? []))
    .sort((a, b) => b.sessions.length - a.sessions.length || compareNames(a.name, b.name))
    .slice(0, EVIDENCE_LIMITS.items);
}

/** The skills of the bad turns; all skills of the session if it went badly as a whole. */
function blamed(session: DreamSession): ReadonlySet<SkillName> {
  const inTurns = new Set(session.turns.flatMap((turn) => turn.blamed));
  const wasBad = isPoor(session.rating) || (inTurns.size === 0 && session.remarks.length > 0);
  return wasBad ? new Set(session.used) : inTurns;
}

function toAtRisk(name: SkillName, bad: readonly DreamSession[], wishes: readonly Wish[]): AtRiskSkill {
  const turns = bad.flatMap((session) => session.turns).filter(({ used }) => used.includes(name));
  const said = bad.flatMap(({ remarks, turns: all }) => [
    ...all.filter((turn) => turn.blamed.includes(name)).flatMap(({ corrections }) => corrections),
    ...remarks,
  ]);
  const corrections = [...new Set(said)].slice(-EVIDENCE_LIMITS.quotes);
  const asked = new Set(wishes.map(({ text }) => text));
  for (const text of corrections) asked.delete(text);
  return {
    name,
    sessions: [...new Set([...bad.map(({ id }) => id), ...wishes.map(({ session }) => session)])],
    corrections,
    wishes: [...asked].slice(-EVIDENCE_LIMITS.quotes),
    ratings: bad.flatMap(({ rating }) => (rating && isPoor(rating) ? [rating] : [])),
    messages: turns.map(({ message }) => message).slice(-EVIDENCE_LIMITS.quotes),
  };
}

/** Learned skills with hardly any text, a week after they were made. */
function findSparse(material: Material, uses: Uses): SparseSkill[] {
  const { skills, now } = material;
  return skills
    .filter(({ learned, createdAt }) => learned && now - createdAt > EVIDENCE_LIMITS.sparseAgeMs)
    .map(({ name, body }) => ({ name, chars: body.trim().length }))
    .filter(({ chars }) => chars < EVIDENCE_LIMITS.sparseChars)
    .map((each) => ({ ...each, sessions: usedIn(uses, material, [each.name]) }))
    .sort((a, b) => a.chars - b.chars || compareNames(a.name, b.name))
    .slice(0, EVIDENCE_LIMITS.items);
}

/** Two skills that were recalled for the same messages and took turns in being used. */
function* findConflicts({ sessions, skills }: Material): Steps<Conflict[]> {
  const known = new Set(skills.map(({ name }) => name));
  const pairs = new Map<
    string,
    { a: SkillName; b: SkillName; chosen: Set<SkillName>; messages: string[]; sessions: Set<string> }
  >();
  for (const turn of turnsOf(sessions)) {
    yield;
    for (const [a, b] of pairsOf(turn.recalled ?? [], known)) {
      const used = turn.used.filter((name) => name === a || name === b);
      if (used.length !== 1) continue;
      const pair = pairs.get(`${a}\n${b}`) ?? { a, b, chosen: new Set(), messages: [], sessions: new Set() };
      pair.chosen.add(used[0]!);
      pair.messages.push(turn.message);
      pair.sessions.add(turn.session);
      pairs.set(`${a}\n${b}`, pair);
    }
  }
  return [...pairs.values()]
    .filter(
      ({ chosen, messages, sessions: where }) =>
        chosen.size === 2 &&
        messages.length >= EVIDENCE_LIMITS.conflictTurns &&
        where.size >= EVIDENCE_LIMITS.minSessions,
    )
    .map(({ a, b, messages, sessions: where }) => ({
      a,
      b,
      messages: messages.slice(-EVIDENCE_LIMITS.quotes),
      sessions: [...where],
    }))
    .sort((x, y) => y.sessions.length - x.sessions.length || compareNames(`${x.a} ${x.b}`, `${y.a} ${y.b}`))
    .slice(0, EVIDENCE_LIMITS.items);
}

function* turnsOf(sessions: readonly DreamSession[]): Generator<DreamTurn, void> {
  for (const { turns } of sessions) yield* turns;
}

/** Words that come up in the first messages of several sessions, in their most frequent spelling. */
function* recurringTerms(sessions: readonly DreamSession[]): Steps<Term[]> {
  const found = new Map<string, { spellings: Map<string, number>; sessions: Set<string> }>();
  for (const { id, turns } of sessions) {
    yield;
    for (const word of wordsOf(turns[0]?.message ?? "")) {
      const entry = found.get(stem(word)) ?? { spellings: new Map(), sessions: new Set() };
      entry.spellings.set(word, (entry.spellings.get(word) ?? 0) + 1);
      entry.sessions.add(id);
      found.set(stem(word), entry);
    }
  }
  return [...found.values()]
    .filter((entry) => entry.sessions.size >= EVIDENCE_LIMITS.minSessions)
    .map((entry) => ({ term: commonest(entry.spellings), sessions: [...entry.sessions] }))
    .sort((a, b) => b.sessions.length - a.sessions.length || (a.term < b.term ? -1 : 1))
    .slice(0, EVIDENCE_LIMITS.terms);
}

function wordsOf(message: string): string[] {
  const words = message.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words
    .map(fold)
    .filter((word) => [...word].length >= EVIDENCE_LIMITS.termLetters && !isStopWord(word));
}

function commonest(spellings: ReadonlyMap<string, number>): string {
  return [...spellings].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]![0];
}

/** A text as a bag of weighed words of length 1. */
type Bag = ReadonlyMap<string, number>;

/** One bag per text; a word that every text has weighs little. */
function* bagsOf(texts: readonly string[]): Steps<Bag[]> {
  const words: Set<string>[] = [];
  const spread = new Map<string, number>();
  for (const text of texts) {
    const set = new Set(tokenize(text, { partsOnly: true }));
    for (const word of set) spread.set(word, (spread.get(word) ?? 0) + 1);
    words.push(set);
    yield;
  }
  const bags: Bag[] = [];
  for (const set of words) {
    const weights = [...set].map((word) => [word, Math.log(1 + texts.length / spread.get(word)!)] as const);
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    bags.push(new Map(weights.map(([word, weight]) => [word, weight / length])));
    yield;
  }
  return bags;
}

function bagLikeness(a: Bag, b: Bag): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [word, weight] of small) sum += weight * (large.get(word) ?? 0);
  return sum;
}

/** Every pair that is at least so alike. Adds up word by word, because most pairs share next to nothing. */
function* similarPairs(
  bags: readonly Bag[],
  least: number,
): Steps<{ a: number; b: number; value: number }[]> {
  const found: { a: number; b: number; value: number }[] = [];
  const holders = new Map<string, { rows: number[]; weights: number[] }>();
  const sums = new Float64Array(bags.length);
  for (const [row, bag] of bags.entries()) {
    sums.fill(0);
    for (const [word, weight] of bag) {
      const earlier = holders.get(word) ?? { rows: [], weights: [] };
      const { rows, weights } = earlier;
      for (let at = 0; at < rows.length; at++) sums[rows[at]!]! += weight * weights[at]!;
      rows.push(row);
      weights.push(weight);
      holders.set(word, earlier);
    }
    for (let other = 0; other < row; other++)
      if (sums[other]! >= least) found.push({ a: other, b: row, value: sums[other]! });
    yield;
  }
  return found;
}

/** 0 when one of them is unknown. */
function nearness(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b || a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Groups whose members are alike on average, so that a chain of neighbours does not become one group. */
function* clusters<T>(items: readonly T[], alike: (a: T, b: T) => number, least: number): Steps<T[][]> {
  const groups: T[][] = [];
  for (const item of items) {
    let best: { group: T[]; value: number } | undefined;
    for (const group of groups) {
      const value = group.reduce((sum, other) => sum + alike(item, other), 0) / group.length;
      if (value >= least && value > (best?.value ?? 0)) best = { group, value };
    }
    if (best) best.group.push(item);
    else groups.push([item]);
    yield;
  }
  return groups;
}
