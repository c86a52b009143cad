// Recalls the skills for a message: retrieves and ranks candidates, applies signals, and drops what is below the threshold.

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
import { combineClaim, type Judgement, type Query, type Signal } from "./signals/signal.ts";
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
  /** Whether the model may see a skill now. */
  readonly isVisible: (skill: Skill) => boolean;
  /** Position of a skill's source; decides between skills with equal scores. */
  readonly precedence: (skill: Skill) => number;
  /** Skills that the session has seen; recalled again only when the message names them. */
  readonly seen?: ReadonlySet<SkillName>;
}

export interface Recalled {
  readonly frame: FrameChoice;
  readonly matches: readonly Match[];
  /** Whether no skill fits the message well enough. */
  readonly abstained: boolean;
  /** How many skills were examined. */
  readonly considered: number;
}

/** The result for a message that was answered before. */
export const REPEATED: Recalled = {
  frame: { name: "conversation", confidence: 1 },
  matches: [],
  abstained: false,
  considered: 0,
};

/** One skill that was examined, with the reasons for and against it. */
interface Considered {
  readonly skill: Skill;
  readonly score: number;
  /** The score before boosts, in [0, 1], which is compared with the threshold. */
  readonly fit: number;
  readonly reasons: () => readonly Reason[];
  readonly mentioned: boolean;
  readonly lastUsedAt: number;
  readonly duplicates: readonly SkillName[];
}

export const RECALL = {
  /** Matches per message: more than most messages need, and they still fit into a prompt. */
  limit: 3,
  /** Ranked skills to which signals are applied: five times as many as are shown; 24 give the same figures. */
  judged: 16,
} as const;

/** Recalls skills for one turn. The result depends on library, session and message, not on the order of the scan. */
export async function recall(turn: Turn, options: RecallOptions): Promise<Recalled> {
  const { limit = RECALL.limit, threshold = ABSTAIN_BELOW, seen = new Set() } = options;
  const { frame, considered, examined } = await consider(turn, options);
  const fitting = considered.filter(({ fit, mentioned }) => mentioned || fit >= threshold);
  const fresh = fitting.filter(({ skill, mentioned }) => mentioned || !seen.has(skill.name)).slice(0, limit);
  const matches = fresh.map(toMatch);
  const related = seeAlso(fresh, { ...options, seen, limit });
  return { frame, matches: [...matches, ...related], abstained: fitting.length === 0, considered: examined };
}

/** Examines the candidates of a turn and the skills in `also`, and returns them, best first. */
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
  return { frame, considered, examined: candidates.length };
}

/** The signals, in the order in which their reasons are listed. */
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

/** Judges a skill and its copies, which share its rank, and returns the best visible one with the names of the others. */
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
  const judgements: { signal: string; judgement: Judgement }[] = [];
  let fit = ranked.score;
  let boosts = 0;
  for (const signal of signals) {
    const judgement = signal.judge(skill, query);
    if (judgement === undefined) continue;
    judgements.push({ signal: signal.name, judgement });
    if (judgement.kind === "claim") fit = combineClaim(fit, judgement);
    else boosts += judgement.value;
  }
  return {
    skill,
    score: Math.max(0, fit + boosts),
    fit,
    // A function, because only the few skills that are shown need their reasons.
    reasons: () => [
      ...judgements.map(({ signal, judgement }) => ({
        signal,
        value: judgement.value,
        note: judgement.note,
      })),
      ...textReasons(ranked),
    ],
    mentioned: judgements.some(({ signal, judgement }) => signal === "mention" && judgement.value === 1),
    lastUsedAt: options.effectiveness.of(skill.name, skill.digest).lastUsedAt,
    duplicates: [],
  };
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
  refused: ["lexical", "the message rejects the name"],
  notFor: ["lexical", "the description says it is not for this"],
};

/** The ranker's part of the score, split over its features. */
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

/** Mentioned skills first, then by score, then by precedence of the source, then by recent use, then by name. */
function inOrder(a: Considered, b: Considered, precedence: (skill: Skill) => number): number {
  return (
    Number(b.mentioned) - Number(a.mentioned) ||
    b.score - a.score ||
    precedence(b.skill) - precedence(a.skill) ||
    b.lastUsedAt - a.lastUsedAt ||
    (a.skill.name < b.skill.name ? -1 : 1)
  );
}

function toMatch({ skill, score, fit, duplicates, ...one }: Considered): Match {
  const reasons = one.reasons();
  const [signal, note] = FEATURE_NOTES.all;
  return {
    name: skill.name,
    score: Math.round(score * 1000) / 1000,
    // If no feature adds enough to be listed, the score still comes from the words that were found.
    reasons: reasons.length > 0 ? reasons : [{ signal, value: Math.round(fit * 1000) / 1000, note }],
    ...(duplicates.length > 0 && { duplicates }),
  };
}
