// Finds what people ask for again and again right after a skill was followed: "the date goes at the top", "shorter, please". Such a
// message does not say that something is wrong, and once it is only a request. When it comes again in another session, the skill
// lacks it. Pure; it compares words, and of each language it has only the stop words.

import type { SkillName } from "../model/name.ts";
import { fold } from "../text/fold.ts";
import { stem } from "../text/stem.ts";
import { tokenize } from "../text/tokens.ts";
import { isCorrection } from "./corrections.ts";
import { EVIDENCE_LIMITS, WISHES } from "./limits.ts";
import { type DreamSession, FOLLOWED_TURNS } from "./sessions.ts";

export interface Wish {
  readonly session: string;
  readonly text: string;
}

/** Answers and praise: they come after every skill and ask for nothing. */
const ANSWERS = new Set(
  `absolutely agreed alright amazing awesome bit bye commit continue cool correct do done excellent exactly fantastic fine finish go good
  great happy ahead hmm job lgtm little looks love merge nice next ok perfect proceed push right sounds start stop super thanks
  thx wonderful work works yep yup danke super perfekt weiter gut genau merci parfait gracias perfecto obrigado grazie perfetto spasibo
  спасибо 谢谢 继续 好的 ありがとう`
    .split(/\s+/)
    .map((word) => stem(fold(word))),
);

/** For each skill, the messages after it that share what they ask for with one of another session, oldest first. */
export function* findWishes(
  sessions: readonly DreamSession[],
  about: ReadonlyMap<SkillName, string>,
): Generator<undefined, ReadonlyMap<SkillName, readonly Wish[]>> {
  const said = new Map<SkillName, (Wish & { readonly keys: readonly string[] })[]>();
  for (const session of sessions) {
    for (const { skills, asked, text } of afterSkills(session)) {
      for (const name of skills) {
        const subject = about.get(name);
        if (subject === undefined) continue;
        const keys = keysOf(wordsOf(text, `${asked}\n${subject}`));
        if (keys.length > 0) said.set(name, [...(said.get(name) ?? []), { session: session.id, text, keys }]);
      }
    }
    yield;
  }
  const wishes = new Map<SkillName, readonly Wish[]>();
  for (const [name, all] of said) {
    const where = new Map<string, Set<string>>();
    for (const { session, keys } of all)
      for (const key of keys) where.set(key, (where.get(key) ?? new Set()).add(session));
    const repeated = all.filter(({ keys }) =>
      keys.some((key) => where.get(key)!.size >= EVIDENCE_LIMITS.minSessions),
    );
    if (repeated.length > 0)
      wishes.set(
        name,
        repeated.map(({ session, text }) => ({ session, text })),
      );
    yield;
  }
  return wishes;
}

/** What was said in the turns after a skill was loaded, until another one was, and what it had been loaded for. */
function* afterSkills({ turns }: DreamSession) {
  let last: DreamSession["turns"][number] | undefined;
  for (const turn of turns) {
    if (turn.used.length > 0) last = turn;
    else if (last && turn.turn - last.turn <= FOLLOWED_TURNS && isWish(turn.message))
      yield { skills: last.used, asked: last.message, text: turn.message };
  }
}

/** A long message is a request of its own, or a text to work on. */
function isWish(message: string): boolean {
  return message.length <= WISHES.chars && !isCorrection(message);
}

/** The words of a message that say what is asked for; those of the request and of the skill itself say only what it is about. */
function wordsOf(message: string, known: string): string[] {
  const subject = new Set(tokenize(known, { partsOnly: true }));
  const own = new Set(tokenize(message, { partsOnly: true }));
  return [...own].filter((word) => !subject.has(word) && !ANSWERS.has(word)).sort();
}

/** Two messages ask for the same if they share two words, or if each has one word only and it is the same. */
function keysOf(words: readonly string[]): string[] {
  const few = words.slice(0, WISHES.words);
  return few.length === 1
    ? [...few]
    : few.flatMap((one, at) => few.slice(at + 1).map((other) => `${one} ${other}`));
}
