// Recalls the skills for a message: retrieves and ranks candidates, applies signals, and drops what is below the threshold.

import type { EffectivenessProvider } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match, NearSkill, Reason, RecallOrder, Scored, Turn } from "../model/turn.ts";
import { ABSTAIN_BELOW, BUNDLED_DOUBT } from "./calibrate.ts";
import { type Encoded, retrieve } from "./candidates.ts";
import type { Embedder } from "./embedder.ts";
import { type BackgroundIdf, clipMessage } from "./features-message.ts";
import { chooseFrame, type FrameChoice } from "./frames.ts";
import type { Glossary, Glossed } from "./glossary.ts";
import { INTENT_NOTES, type Intent, type IntentGuess, type IntentModel } from "./intent.ts";
import { leadText } from "./lead.ts";
import { type Contribution, fitAlone, type Ranked, rank } from "./rank.ts";
import type { RecallIndex } from "./recall-index.ts";
import { seeAlso } from "./see-also.ts";
import { effectivenessSignal } from "./signals/effectiveness.ts";
import { frameSignal } from "./signals/frame.ts";
import { mentionSignal, mentionsIn } from "./signals/mention.ts";
import { pathsSignal } from "./signals/paths.ts";
import { combineClaim, type Query, type Signal, WORTH } from "./signals/signal.ts";
import { phraseStarts, readyPatternsFor, triggerSignal } from "./signals/triggers.ts";
import { Precedents, type UseMemory, useSignal } from "./signals/use.ts";
import type { Topics } from "./topics.ts";

/** The configured limits of a recall. */
export interface RecallSettings {
  readonly limit?: number | undefined;
  /** Whether the limit counts related skills too; otherwise there may be as many of them again. */
  readonly limitsAll?: boolean | undefined;
  /** Matches with less evidence are not shown. */
  readonly threshold?: number | undefined;
  /** Which see-also are added: those that fit the message themselves, which is the default, or all. */
  readonly seeAlso?: "fitting" | "all" | undefined;
  /** The order of the skills; by score unless given. */
  readonly order?: RecallOrder | undefined;
  /** Related skills by name, besides those that a skill names itself. */
  readonly links?: Readonly<Record<SkillName, readonly SkillName[]>> | undefined;
  /** False if nothing that was learned from use counts. */
  readonly learn?: boolean | undefined;
}

export interface RecallOptions extends RecallSettings {
  readonly index: RecallIndex;
  readonly embedder: Embedder;
  readonly background: BackgroundIdf;
  /** Rewrites messages of other languages; absent, they are taken as they are. */
  readonly glossary?: Glossary | undefined;
  /** Tells whether a message asks for work; absent, every message does. */
  readonly intent?: IntentModel | undefined;
  /** What skills in general are about, as vectors of `embedder`; absent, nothing is known about it. */
  readonly topics?: Topics | undefined;
  /** What a trained encoder says of a message; undefined without one. */
  readonly encoded?: ((index: RecallIndex, message: Glossed) => Promise<Encoded | undefined>) | undefined;
  readonly effectiveness: EffectivenessProvider;
  /** What was learned from use; absent, nothing was. */
  readonly used?: UseMemory | undefined;
  /** Whether the model may see a skill now. */
  readonly isVisible: (skill: Skill) => boolean;
  /** Whether a skill ships with Repertoire: it is shown only if it is clearly best. */
  readonly isBundled?: ((skill: Skill) => boolean) | undefined;
  /** Position of a skill's source; decides between skills with equal scores. */
  readonly precedence: (skill: Skill) => number;
  /** Skills that the session has seen; recalled again only when the message names them. */
  readonly seen?: ReadonlySet<SkillName>;
}

/** What kind of message it is. */
export interface IntentChoice {
  readonly name: Intent;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface Recalled {
  readonly frame: FrameChoice;
  /** What kind of message it is, if a model tells it. */
  readonly intent?: IntentChoice | undefined;
  readonly matches: readonly Match[];
  /** The next best skills, for a model to choose from: below the threshold, or beyond the limit. */
  readonly near: readonly NearSkill[];
  /** Whether no skill fits the message well enough. */
  readonly abstained: boolean;
  /** How many skills were examined. */
  readonly considered: number;
}

/** The result for a message that was answered before. */
export const REPEATED: Recalled = {
  frame: { name: "conversation", confidence: 1 },
  matches: [],
  near: [],
  abstained: false,
  considered: 0,
};

/** One skill that was examined, with the reasons for and against it. */
interface Considered {
  readonly skill: Skill;
  readonly score: number;
  /** The score before boosts, in [0, 1], which is compared with the threshold. */
  readonly fit: number;
  /** What a match says of it; a function, because only the few skills that are shown need it. */
  readonly scored: () => Scored;
  readonly mentioned: boolean;
  /** Whether the message has a whole phrase that the skill declares. */
  readonly phrased: boolean;
  /** Whether it may be shown in a conversation: named, triggered, or made for conversations. */
  readonly called: boolean;
  readonly bundled: boolean;
  readonly lastUsedAt: number;
  readonly duplicates: readonly SkillName[];
}

export const RECALL = {
  /** Matches per message: more than most messages need, and they still fit into a prompt. */
  limit: 3,
  /** Ranked skills to which signals are applied: five times as many as are shown; 24 give the same figures. */
  judged: 16,
  /** Near skills: with the matches the right skill is among them nineteen times in twenty, for about 15 tokens each. */
  near: 8,
  /** If more skills have a word, one of them that declares it is not recalled for it alone ("which model are you"). */
  commonWord: 400,
  /** Below this score even the best skill is not near: the message needs none. */
  nearLeast: 0.05,
  /** A see-also must fit the message this well by itself: about half as well as a match. */
  seeAlsoLeast: 0.15,
} as const;

/** Recalls skills for one turn. The result depends on library, session and message, not on the order of the scan. */
export async function recall(turn: Turn, options: RecallOptions): Promise<Recalled> {
  const { limit = RECALL.limit, threshold = ABSTAIN_BELOW, seen = new Set() } = options;
  const { frame, intent, considered, examined, fitOf } = await consider(turn, options);
  const isLight = frame.name === "conversation";
  const fitting = considered.filter((one, place) => isShown(one, place, { threshold, isLight }));
  const fresh = fitting.filter(({ skill, mentioned }) => mentioned || !seen.has(skill.name)).slice(0, limit);
  const least = options.seeAlso === "all" ? 0 : RECALL.seeAlsoLeast;
  const room = options.limitsAll ? limit - fresh.length : limit;
  const related = seeAlso(fresh, { ...options, seen, limit: room, fitOf, least });
  const matches = [...fresh.map(toMatch), ...related];
  return {
    frame,
    intent: intent && { name: intent.intent, confidence: rounded(intent.chances[intent.intent]) },
    matches,
    near: isLight ? [] : nearOf(considered, new Set(matches.map(({ name }) => name))),
    abstained: fitting.length === 0,
    considered: examined,
  };
}

/** Whether a skill is shown: named, or fitting well enough. A bundled one must also be the best. A conversation is light. */
export function isShown(
  { mentioned, called, fit, bundled }: Considered,
  place: number,
  { threshold, isLight }: { readonly threshold: number; readonly isLight: boolean },
): boolean {
  if (isLight && !called) return false;
  return mentioned || (fit > 0 && fit >= threshold && (!bundled || place === 0));
}

function nearOf(considered: readonly Considered[], taken: ReadonlySet<SkillName>): NearSkill[] {
  if ((considered[0]?.fit ?? 0) < RECALL.nearLeast) return [];
  return considered
    .filter(({ skill, fit }) => fit > 0 && !taken.has(skill.name))
    .slice(0, RECALL.near)
    .map(({ skill, score }) => ({ name: skill.name, score: rounded(score) }));
}

/** Examines the candidates of a turn and the skills in `also`, and returns them, best first. */
export async function consider(turn: Turn, options: RecallOptions, also: readonly SkillName[] = []) {
  const { index, embedder, background } = options;
  await readyPatternsFor(turn.message, index.patterned());
  const message = options.glossary?.toEnglish(clipMessage(turn.message)) ?? { text: turn.message };
  const intent = options.intent?.(message);
  const frame = frameOf(turn, intent);
  const query: Query = { message: turn.message, frame, files: turn.files ?? [] };
  const [vector] = embedder.dimensions > 0 ? await embedder.embed([leadText(message.text)]) : [];
  const precedents = options.used && new Precedents(message, options.used, background);
  const mentions = mentionsIn(turn.message);
  const known = [...mentions.names.keys(), ...also, ...(precedents?.names ?? [])];
  const encoded = await options.encoded?.(index, message);
  // After the last pause: an update of the index makes numbers of documents void.
  const named = [
    ...known.map((name) => index.find(name)),
    ...index.withinReach(phraseStarts(turn.message), query.files.length > 0),
  ].filter((doc) => doc !== undefined);
  const input = { index, message, vector, encoded, background, topics: options.topics, also: named };
  const { probe, candidates, candidateOf, skillsWith } = retrieve(input);
  const isCommon = (word: string) => skillsWith(word) > RECALL.commonWord;
  const signals = signalsFor(turn.message, { mentions, isCommon, precedents, options });
  const context = { query, intent, signals, options };
  const must = new Set(named);
  const ranked = rank(probe, candidates, intent).filter(
    ({ id, duplicates }, place) => place < RECALL.judged || [id, ...duplicates].some((doc) => must.has(doc)),
  );
  const considered = ranked
    .map((one) => judgeCopies(one, context))
    .filter((one) => one !== undefined)
    .sort((a, b) => inOrder(a, b, options));
  const fitOf = (doc: number) => {
    const fit = fitAlone(probe, [candidateOf(doc), ...candidates], 0);
    return options.isBundled?.(index.skill(doc)) ? doubted(fit) : fit;
  };
  return { frame, intent, considered, examined: candidates.length, fitOf };
}

/** The host's frame, or one from the message. Words after a greeting that ask for work are a task, not a conversation. */
function frameOf({ frame, message }: Turn, intent: IntentGuess | undefined): FrameChoice {
  if (frame) return { name: frame, confidence: 1 };
  const chosen = chooseFrame(message);
  const isWork = chosen.name === "conversation" && intent?.intent === "work";
  return isWork ? { name: "task", confidence: 0.5 } : chosen;
}

/** The signals, in the order in which their reasons are listed. */
function signalsFor(
  message: string,
  {
    mentions,
    isCommon,
    precedents,
    options: { background, effectiveness },
  }: {
    readonly mentions: ReturnType<typeof mentionsIn>;
    readonly isCommon: (word: string) => boolean;
    readonly precedents: Precedents | undefined;
    readonly options: RecallOptions;
  },
): Signal[] {
  return [
    mentionSignal(mentions, background),
    triggerSignal(message, isCommon),
    pathsSignal,
    ...(precedents ? [useSignal(precedents)] : []),
    frameSignal,
    effectivenessSignal(effectiveness),
  ];
}

interface JudgeContext {
  readonly query: Query;
  readonly intent: IntentGuess | undefined;
  readonly signals: readonly Signal[];
  readonly options: RecallOptions;
}

/** Judges a skill and its copies, which share its rank, and returns the best visible one with the names of the others. */
function judgeCopies(ranked: Ranked, context: JudgeContext): Considered | undefined {
  const { index, isVisible } = context.options;
  if (ranked.duplicates.length === 0) {
    const skill = index.skill(ranked.id);
    return isVisible(skill) ? judge(skill, ranked, context) : undefined;
  }
  const [best, ...others] = [ranked.id, ...ranked.duplicates]
    .map((doc) => index.skill(doc))
    .filter(isVisible)
    .map((skill) => judge(skill, ranked, context))
    .sort((a, b) => inOrder(a, b, context.options));
  return best && { ...best, duplicates: others.map(({ skill }) => skill.name).sort() };
}

/** Applies the signals. Each reason is what its signal adds to the evidence or to the boosts, so that they add up. */
function judge(skill: Skill, ranked: Ranked, { query, intent, signals, options }: JudgeContext): Considered {
  const steps: Reason[] = [];
  const raised: Reason[] = [];
  let fit = ranked.score;
  let boosts = 0;
  let mentioned = false;
  let phrased = false;
  let called = skill.manifest.frames.includes("conversation");
  const move = (signal: string, to: number, note: string) => {
    steps.push({ signal, value: to - fit, note });
    fit = to;
  };
  const boost = (signal: string, by: number, note: string) => {
    const value = Math.max(-fit - boosts, by);
    raised.push({ signal, value, note, boost: true });
    boosts += value;
  };
  const bundled = options.isBundled?.(skill) ?? false;
  if (bundled) move("bundled", doubted(fit), "ships with Repertoire, so it must be clearly best");
  for (const signal of signals) {
    const judgement = signal.judge(skill, query);
    if (judgement === undefined) continue;
    if (judgement.named) boost("named", WORTH.named, "the message names it, so it comes first");
    mentioned ||= judgement.named === true;
    phrased ||= judgement.phrase === true;
    called ||= judgement.named === true || judgement.spelled === true || signal.name === "triggers";
    if (judgement.kind === "claim") move(signal.name, combineClaim(fit, judgement), judgement.note);
    else if (judgement.kind === "doubt") move(signal.name, fit * (1 - judgement.value), judgement.note);
    else boost(signal.name, judgement.value * raisable(judgement.value, fit), judgement.note);
  }
  return {
    skill,
    score: fit + boosts,
    fit,
    scored: () => scoredOf(addedUp([...steps, ...textReasons(ranked, intent)], fit), raised),
    mentioned,
    phrased,
    called,
    bundled,
    lastUsedAt: options.effectiveness.of(skill).lastUsedAt,
    duplicates: [],
  };
}

/** A skill is raised as far as it fits, so that a boost decides between skills that fit and never for one that does not. */
function raisable(boost: number, fit: number): number {
  return boost > 0 ? Math.min(1, fit / ABSTAIN_BELOW) : 1;
}

/** The score with `BUNDLED_DOUBT` less evidence. */
function doubted(score: number): number {
  const odds = (score / Math.max(1e-9, 1 - score)) * Math.exp(-BUNDLED_DOUBT);
  return odds / (1 + odds);
}

/** The signal and the note under which each feature of the text is explained. */
const FEATURE_NOTES: Readonly<Record<Contribution["feature"], readonly [signal: string, note: string]>> = {
  lexical: ["lexical", "words of the message, weighted by rarity"],
  name: ["lexical", "words of the name"],
  head: ["lexical", "words of name and description"],
  claim: ["lexical", "one claim of the description"],
  section: ["lexical", "one section of the instructions"],
  heading: ["lexical", "one heading of the instructions"],
  all: ["lexical", "share of the message found anywhere"],
  bodyPairs: ["lexical", "word pairs kept together"],
  meaning: ["semantic", "close in meaning to the description"],
  sectionMeaning: ["semantic", "close in meaning to a section"],
  encoded: ["semantic", "close in meaning by the trained encoder"],
  refused: ["lexical", "the message rejects the name"],
  pointed: ["lexical", "the message has the name as that of a path, a branch, a package or code"],
  rival: ["lexical", "made for another product than the message names"],
  otherTask: ["lexical", "made for another task than the message asks for"],
  notFor: ["lexical", "the description says it is not for this"],
};

/** The ranker's part of the score, split over its features. */
function textReasons({ score, points, contributions }: Ranked, intent: IntentGuess | undefined): Reason[] {
  if (score === 0) return [];
  if (points <= 0) {
    const [signal, note] = FEATURE_NOTES.all;
    return [{ signal, value: score, note }];
  }
  const reasons = contributions.map(({ feature, value }) => {
    const [signal, note] = FEATURE_NOTES[feature];
    return { signal, value: (value / points) * score, note };
  });
  if (intent === undefined || intent.intent === "work") return reasons;
  return [...reasons, { signal: "intent", value: 0, note: INTENT_NOTES[intent.intent] }];
}

function scoredOf(steps: readonly Reason[], raised: readonly Reason[]): Scored {
  const up = raised.map((reason) => ({ ...reason, value: rounded(reason.value) }));
  const [evidence, boosts] = [sum(steps), sum(up)];
  const reasons = [...steps, ...up.sort((a, b) => b.value - a.value)];
  return { score: rounded(evidence + boosts), evidence, boosts, reasons };
}

function sum(reasons: readonly Reason[]): number {
  return rounded(reasons.reduce((total, { value }) => total + value, 0));
}

/** The reasons that count, largest first, rounded so that they add up to the rounded evidence. */
function addedUp(reasons: readonly Reason[], evidence: number): Reason[] {
  const kept = reasons
    .filter(({ signal, value }) => Math.abs(value) >= 0.005 || signal === "intent" || signal === "mention")
    .map((reason) => ({ ...reason, value: rounded(reason.value) }))
    .sort((a, b) => b.value - a.value);
  const [first, ...others] = kept.length > 0 ? kept : reasons.slice(0, 1);
  if (first === undefined) return [];
  return [{ ...first, value: rounded(rounded(evidence) - sum(others)) }, ...others];
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/**
 * By score, then by precedence of the source, then by recent use, then by name. In the order of triggers a named skill, an
 * exact phrase and recent use come before the score.
 */
function inOrder(
  a: Considered,
  b: Considered,
  { order, precedence }: Pick<RecallOptions, "order" | "precedence">,
): number {
  return (
    (order === "triggers" ? byTriggers(a, b) : 0) ||
    b.score - a.score ||
    precedence(b.skill) - precedence(a.skill) ||
    b.lastUsedAt - a.lastUsedAt ||
    (a.skill.name < b.skill.name ? -1 : 1)
  );
}

function byTriggers(a: Considered, b: Considered): number {
  return (
    Number(b.mentioned) - Number(a.mentioned) ||
    Number(b.phrased) - Number(a.phrased) ||
    b.lastUsedAt - a.lastUsedAt
  );
}

function toMatch({ skill, mentioned, duplicates, scored }: Considered): Match {
  return {
    name: skill.name,
    ...scored(),
    ...(mentioned && { named: true }),
    ...(duplicates.length > 0 && { duplicates }),
  };
}
