// What recall learns from use: a message that resembles one for which a skill went well claims that skill, one that
// resembles a message for which it went badly makes it doubtful.

import {
  type RememberedBook,
  type SimilarMessage,
  turnKey,
  USE_WEIGHT,
  weightNow,
} from "../../journal/journal.ts";
import type { SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import { oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { termHash } from "../evidence.ts";
import {
  type BackgroundIdf,
  backgroundOfTerms,
  clipMessage,
  MESSAGE,
  readMessage,
} from "../features-message.ts";
import type { Glossed } from "../glossary.ts";
import { type Judgement, type Signal, WORTH } from "./signal.ts";

const USE = {
  /** Terms of a message that are compared, the rarest first: a pasted task is known by its first words. */
  terms: 32,
  /** Rarity in general prose, in nats, from which on a word counts: "use", "file" and "code" say next to nothing. */
  commonIdf: 3,
  /** The most that one word counts, in nats beyond `commonIdf`: one rare word must not decide alone. */
  mostOfWord: 5,
  /** Steps per nat in the byte that holds a term's weight. */
  steps: 16,
  /** Cosines from which and to which messages count as similar: of short pairs, a third and two thirds have one skill. */
  similarFrom: 0.35,
  similarTo: 0.75,
  /** The cosine of long messages counts this many times: of long pairs with 0.4, 98 in 100 have one skill. */
  long: 1.5,
  /** Shared rarity, in nats beyond `commonIdf`, from which and to which messages count as long. */
  longFrom: 20,
  longTo: 50,
  /** Shared rarity and terms for which messages count in full: with two terms 8 of 14 pairs have one skill, with three 73 of 86. */
  shared: 10,
  sharedTerms: 3,
  /** From this cosine on they are the same message, however few words they have. */
  same: 0.9,
  /** Shared rarity that the same message needs: "ship it" has 3.4, "do this" less than 1. */
  sharedOfSame: 2,
  /** Skills that are examined although their text was not found. */
  examined: 5,
  /** Characters of a message in a reason. */
  quoted: 40,
} as const;

/** The terms of a message as remembered messages keep them: a hash of 24 bits and a weight of 8 bits each. */
export function rememberedTerms(message: Glossed, background: BackgroundIdf): number[] {
  const { terms, factors } = readMessage(message);
  const idf = backgroundOfTerms(clipMessage(message.text), background);
  return terms
    .map((term, i) => {
      const rarity = Math.max(0, (idf.get(term) ?? MESSAGE.unseenIdf) - USE.commonIdf);
      const weight = Math.min(USE.mostOfWord, factors[i]! * rarity);
      return { hash: termHash(term), weight: Math.round(weight * USE.steps) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, USE.terms)
    .map(({ hash, weight }) => ((hash << 8) | weight) >>> 0);
}

/** The remembered messages and the time, as a recall gets them. */
export interface UseMemory {
  readonly book: RememberedBook;
  readonly now: number;
}

/** A similar message with how much it counts, 0 to 1, before its own weight. */
interface Precedent {
  readonly message: SimilarMessage["message"];
  readonly closeness: number;
}

/** What is remembered of messages similar to this one. */
export class Precedents {
  private readonly now: number;
  private readonly bySkill = new Map<SkillName, Precedent[]>();
  private readonly inAll: number;

  constructor(message: Glossed, { book, now }: UseMemory, background: BackgroundIdf) {
    this.now = now;
    const terms = book.size === 0 ? [] : rememberedTerms(message, background);
    const bestOfTurn = new Map<string, number>();
    for (const similar of terms.length === 0 ? [] : book.similarTo(terms, USE.similarFrom / USE.long)) {
      const closeness = closenessOf(similar);
      if (closeness === 0) continue;
      const { message: found } = similar;
      const own = this.bySkill.get(found.skill) ?? [];
      this.bySkill.set(found.skill, [...own, { message: found, closeness }]);
      const key = turnKey(found);
      const support = closeness * Math.max(0, weightNow(found, { now }));
      bestOfTurn.set(key, Math.max(bestOfTurn.get(key) ?? 0, support));
    }
    this.inAll = [...bestOfTurn.values()].reduce((sum, support) => sum + support, 0);
  }

  /** The skills that such messages led to, the most likely first, to be examined whatever their text says. */
  get names(): readonly SkillName[] {
    const supported = [...this.bySkill.keys()].map((name) => ({ name, support: this.supportOf(name) }));
    return supported
      .filter(({ support }) => support > 0)
      .sort((a, b) => b.support - a.support || (a.name < b.name ? -1 : 1))
      .slice(0, USE.examined)
      .map(({ name }) => name);
  }

  judge({ name, digest }: Skill): Judgement | undefined {
    const own = this.bySkill.get(name);
    if (own === undefined) return undefined;
    const support = this.supportOf(name, digest);
    if (support === 0) return undefined;
    const speaksFor = support > 0;
    const telling = own
      .filter(({ message }) => message.weight > 0 === speaksFor)
      .sort((a, b) => this.worthOf(b) - this.worthOf(a) || b.message.at - a.message.at);
    const note = noteOf(telling.map(({ message }) => message));
    if (!speaksFor) return { kind: "doubt", value: 1 - WORTH.useAgainst ** -support, note };
    const closest = Math.max(...telling.map(({ closeness }) => closeness));
    // If messages like this led to several skills, none of them is sure.
    const share = Math.min(1, this.supportOf(name) / this.inAll);
    const counts = 1 - WORTH.useFor ** (support * share);
    return { kind: "claim", value: counts * closest, beside: counts, needsFit: true, note };
  }

  /** Successes and failures with similar messages, each by its closeness: below 0 if failures prevail. */
  private supportOf(name: SkillName, content?: string): number {
    const own = this.bySkill.get(name) ?? [];
    return own.reduce(
      (sum, { message, closeness }) => sum + closeness * weightNow(message, { now: this.now, content }),
      0,
    );
  }

  private worthOf({ message, closeness }: Precedent): number {
    return closeness * Math.abs(weightNow(message, { now: this.now }));
  }
}

/** 1 for the same message, 0 for one that only shares common words. */
function closenessOf({ likeness, shared, sharedTerms }: SimilarMessage): number {
  const nats = shared / USE.steps;
  const gain = 1 + (USE.long - 1) * ramp(nats, USE.longFrom, USE.longTo);
  const enough = Math.min(1, nats / USE.shared) * Math.min(1, sharedTerms / USE.sharedTerms);
  const similar = enough * ramp(gain * likeness, USE.similarFrom, USE.similarTo);
  return likeness >= USE.same ? Math.max(similar, Math.min(1, nats / USE.sharedOfSame)) : similar;
}

export function useSignal(precedents: Precedents): Signal {
  return { name: "use", judge: (skill) => precedents.judge(skill) };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** For example: used for "ship it" on 3 Nov, and 2 more. */
function noteOf([first, ...others]: readonly Precedent["message"][]): string {
  const { text, at, weight } = first!;
  const date = new Date(at);
  const verb = weight >= USE_WEIGHT.meant ? "meant by" : weight > 0 ? "used for" : "went badly with";
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `${verb} "${clip(oneLine(text), USE.quoted)}" on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${more}`;
}

/** 0 at `from` and before it, 1 at `to` and beyond. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}
