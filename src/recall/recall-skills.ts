// Owns a recall from message to matches: candidates, their order, the signals on top, what is left unsaid. Front door
// of the stage. Does not own the session's memory (given and taken as data) nor how matches are shown.

import type { EffectivenessProvider } from "../journal/journal.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Match, Reason, Turn } from "../model/turn.ts";
import { ABSTAIN_BELOW } from "./calibrate.ts";
import { retrieve } from "./candidates.ts";
import type { Embedder } from "./embedder.ts";
import type { BackgroundIdf } from "./features-message.ts";
import { chooseFrame, type FrameChoice } from "./frames.ts";
import { leadText } from "./lead.ts";
import { type Contribution, type Ranked, rank } from "./rank.ts";
import type { RecallIndex } from "./recall-index.ts";
import { seeAlso } from "./see-also.ts";
import { effectivenessSignal } from "./signals/effectiveness.ts";
import { frameSignal } from "./signals/frame.ts";
import { mentionedNames, mentionSignal } from "./signals/mention.ts";
import { pathsSignal } from "./signals/paths.ts";
import { type Judgement, type Query, type Signal, together } from "./signals/signal.ts";
import { messageWords, readyPatterns, triggerSignal } from "./signals/triggers.ts";

/** The configured limits of a recall. */
export interface RecallSettings {
  readonly limit?: number | undefined;
  /** Matches below this score are not shown. */
  readonly threshold?: number | undefined;
}

export interface RecallOptions extends RecallSettings {
  readonly index: RecallIndex;
  readonly embedder: Embedder;
  readonly background: BackgroundIdf;
  readonly effectiveness: EffectivenessProvider;
  /** Which skills the model may see now. */
  readonly isVisible: (skill: Skill) => boolean;
  /** Position of a skill's source; settles conflicts between equals. */
  readonly precedence: (skill: Skill) => number;
  /** Skills that the session has seen; recalled again only when the message names them. */
  readonly seen?: ReadonlySet<SkillName>;
}

export interface Recalled {
  readonly frame: FrameChoice;
  readonly matches: readonly Match[];
  /** True when the message fits no skill well enough. */
  readonly abstained: boolean;
  /** How many skills were looked at closely. */
  readonly considered: number;
}

/** The answer to a message that was answered before. */
export const REPEATED: Recalled = {
  frame: { name: "conversation", confidence: 1 },
  matches: [],
  abstained: false,
  considered: 0,
};

/** One skill that was looked at, with everything that speaks for and against it. */
export interface Considered {
  readonly skill: Skill;
  readonly score: number;
  /** The evidence alone, in [0, 1], before boosts: what the threshold is held against. */
  readonly evidence: number;
  readonly reasons: () => readonly Reason[];
  readonly mentioned: boolean;
  readonly lastUsedAt: number;
  readonly duplicates: readonly SkillName[];
}

export const RECALL = {
  /** Three skills at once: more than any message needs, and they still fit into a prompt. */
  limit: 3,
  /** Ranked skills that signals look at: five times as many as are shown; 24 give the same figures. */
  judged: 16,
} as const;

/** Recalls for one turn. The same library, session and message give the same answer, in any scan order. */
export async function recall(turn: Turn, options: RecallOptions): Promise<Recalled> {
  const { limit = RECALL.limit, threshold = ABSTAIN_BELOW, seen = new Set() } = options;
  const { frame, considered, looked } = await consider(turn, options);
  const fitting = considered.filter(({ evidence, mentioned }) => mentioned || evidence >= threshold);
  const fresh = fitting.filter(({ skill, mentioned }) => mentioned || !seen.has(skill.name)).slice(0, limit);
  const matches = fresh.map(toMatch);
  const related = seeAlso(fresh, { ...options, seen, limit });
  return { frame, matches: [...matches, ...related], abstained: fitting.length === 0, considered: looked };
}

/** Every skill that was looked at closely, best first: what `recall` cuts and `why` explains. */
export async function consider(turn: Turn, options: RecallOptions, also: readonly SkillName[] = []) {
  const { index, embedder, background } = options;
  if (index.hasPatterns) await readyPatterns();
  const frame: FrameChoice = turn.frame ? { name: turn.frame, confidence: 1 } : chooseFrame(turn.message);
  const query: Query = { message: turn.message, frame, files: turn.files ?? [] };
  const [vector] = embedder.dimensions > 0 ? await embedder.embed([leadText(turn.message)]) : [];
  const named = [
    ...[...mentionedNames(turn.message), ...also].map((name) => index.find(name)),
    ...index.withinReach(messageWords(turn.message), query.files.length > 0),
  ].filter((doc) => doc !== undefined);
  const { probe, candidates } = retrieve({
    index,
    message: turn.message,
    vector,
    background,
    also: named,
  });
  const signals = signalsFor(turn.message, options.effectiveness);
  const must = new Set(named);
  const ranked = rank(probe, candidates).filter(
    ({ id, duplicates }, place) => place < RECALL.judged || [id, ...duplicates].some((doc) => must.has(doc)),
  );
  const considered = ranked
    .map((one) => judgeCopies(one, { query, signals, options }))
    .filter((one) => one !== undefined)
    .sort((a, b) => inOrder(a, b, options.precedence));
  return { frame, considered, looked: candidates.length };
}

/** In the order in which reasons are listed. */
function signalsFor(message: string, effectiveness: EffectivenessProvider): Signal[] {
  return [
    mentionSignal(message),
    triggerSignal(message),
    pathsSignal,
    frameSignal,
    effectivenessSignal(effectiveness),
  ];
}

interface JudgeContext {
  readonly query: Query;
  readonly signals: readonly Signal[];
  readonly options: RecallOptions;
}

/** Copies of one skill share its text and its place; the best of those that may be seen stands for the others. */
function judgeCopies(ranked: Ranked, context: JudgeContext): Considered | undefined {
  const { index, isVisible, precedence } = context.options;
  if (ranked.duplicates.length === 0) {
    const skill = index.skill(ranked.id);
    return isVisible(skill) ? judge(skill, ranked, context) : undefined;
  }
  const [best, ...others] = [ranked.id, ...ranked.duplicates]
    .map((doc) => index.skill(doc))
    .filter(isVisible)
    .map((skill) => judge(skill, ranked, context))
    .sort((a, b) => inOrder(a, b, precedence));
  return best && { ...best, duplicates: others.map(({ skill }) => skill.name).sort() };
}

function judge(skill: Skill, ranked: Ranked, { query, signals, options }: JudgeContext): Considered {
  const said: { signal: string; judgement: Judgement }[] = [];
  let evidence = ranked.score;
  let boosts = 0;
  for (const signal of signals) {
    const judgement = signal.judge(skill, query);
    if (judgement === undefined) continue;
    said.push({ signal: signal.name, judgement });
    if (judgement.kind === "claim") evidence = together(evidence, judgement);
    else boosts += judgement.value;
  }
  return {
    skill,
    score: Math.max(0, evidence + boosts),
    evidence,
    // Made for the few that are shown, not for all that are looked at.
    reasons: () => [
      ...said.map(({ signal, judgement }) => ({ signal, value: judgement.value, note: judgement.note })),
      ...textReasons(ranked),
    ],
    mentioned: said.some(({ signal, judgement }) => signal === "mention" && judgement.value === 1),
    lastUsedAt: options.effectiveness.of(skill.name, skill.digest).lastUsedAt,
    duplicates: [],
  };
}

/** Which features of the text are words and which are meaning, in words for a person. */
const FEATURE_NOTES: Readonly<Record<Contribution["feature"], readonly [signal: string, note: string]>> = {
  lexical: ["lexical", "words of the message, weighed by rarity"],
  name: ["lexical", "words of the name"],
  head: ["lexical", "words of name and description"],
  claim: ["lexical", "one claim of the description"],
  section: ["lexical", "one section of the instructions"],
  heading: ["lexical", "one heading of the instructions"],
  all: ["lexical", "share of the message found anywhere"],
  bodyPairs: ["lexical", "word pairs kept together"],
  meaning: ["semantic", "close in meaning to the description"],
  sectionMeaning: ["semantic", "close in meaning to a section"],
  refused: ["lexical", "the message turns the name down"],
  notFor: ["lexical", "the description says it is not for this"],
};

/** The ranker's share of the score, split over the features that made it. */
function textReasons({ score, contributions }: Ranked): Reason[] {
  const whole = contributions.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  return contributions
    .map(({ feature, value }) => {
      const [signal, note] = FEATURE_NOTES[feature];
      return { signal, value: whole > 0 ? (value / whole) * score : 0, note };
    })
    .filter(({ value }) => Math.abs(value) >= 0.005)
    .sort((a, b) => b.value - a.value)
    .map((reason) => ({ ...reason, value: Math.round(reason.value * 1000) / 1000 }));
}

/** Better first; between equals the mentioned, then the higher source, then the more recently used, then the name. */
function inOrder(a: Considered, b: Considered, precedence: (skill: Skill) => number): number {
  return (
    Number(b.mentioned) - Number(a.mentioned) ||
    b.score - a.score ||
    precedence(b.skill) - precedence(a.skill) ||
    b.lastUsedAt - a.lastUsedAt ||
    (a.skill.name < b.skill.name ? -1 : 1)
  );
}

function toMatch({ skill, score, evidence, duplicates, ...one }: Considered): Match {
  const reasons = one.reasons();
  const [signal, note] = FEATURE_NOTES.all;
  return {
    name: skill.name,
    score: Math.round(score * 1000) / 1000,
    // Where too few words were found to order by, what was found is still what the score rests on.
    reasons: reasons.length > 0 ? reasons : [{ signal, value: Math.round(evidence * 1000) / 1000, note }],
    ...(duplicates.length > 0 && { duplicates }),
  };
}
