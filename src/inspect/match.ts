// The pattern language of the rules. All expressions have bounded repetition, so matching is linear on hostile text.

import { needlesOf, TextPieces } from "./literals.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  readonly find: (text: string) => Span | undefined;
  /** A cheap check of a text in lower case, or of several that are joined by line ends: false means that none matches. */
  readonly mayOccur: (text: string) => boolean;
  readonly expressions: readonly RegExp[];
}

/** The most matches of one step that are tried in a text. */
const MAX_SPANS = 2_000;
const interned = new Map<string, RegExp>();
const lastAnswers = new WeakMap<RegExp, { readonly text: string; readonly answer: boolean }>();
const needles = new WeakMap<RegExp, ReturnType<typeof needlesOf>>();
const lineExpressions = new WeakMap<RegExp, RegExp>();
let lastPieces: { readonly text: string; readonly pieces: TextPieces } | undefined;
const SENTENCE_END = /[.!?;] /;

/** One expression. */
export function pattern(expression: RegExp): Matcher {
  const global = asGlobal(expression);
  return {
    find: (text) => spansOf(global, text, 1)[0],
    mayOccur: (text) => mightMatch(global, text),
    expressions: [expression],
  };
}

/** Steps in order, with at most `gap` characters between them. */
export function chain(gap: number, ...steps: readonly RegExp[]): Matcher {
  return ordered(steps, (between) => between.length <= gap, gap);
}

/** As `chain`, but without the end of a sentence between the steps. */
export function sentence(gap: number, ...steps: readonly RegExp[]): Matcher {
  return ordered(steps, (between) => !SENTENCE_END.test(between), gap);
}

/** The first matcher that matches. */
export function anyOf(...matchers: readonly Matcher[]): Matcher {
  return {
    find: (text) => {
      for (const matcher of matchers) {
        const span = matcher.find(text);
        if (span) return span;
      }
      return undefined;
    },
    mayOccur: (text) => matchers.some((matcher) => matcher.mayOccur(text)),
    expressions: matchers.flatMap((matcher) => matcher.expressions),
  };
}

/** All matchers in the same text, in any order; the span is that of the first. */
export function allOf(...matchers: readonly Matcher[]): Matcher {
  return {
    find: (text) => {
      const spans = matchers.map((matcher) => matcher.find(text));
      return spans.every((span) => span !== undefined) ? spans[0] : undefined;
    },
    mayOccur: (text) => matchers.every((matcher) => matcher.mayOccur(text)),
    expressions: matchers.flatMap((matcher) => matcher.expressions),
  };
}

/** A match of `matcher` unless `excuse` occurs in the same text. */
export function unless(excuse: RegExp, matcher: Matcher): Matcher {
  const global = asGlobal(excuse);
  return {
    find: (text) => (occurs(global, text) ? undefined : matcher.find(text)),
    mayOccur: matcher.mayOccur,
    expressions: [excuse, ...matcher.expressions],
  };
}

function ordered(steps: readonly RegExp[], allowed: (between: string) => boolean, gap: number): Matcher {
  const globals = steps.map(asGlobal);
  return {
    find: (text) => {
      let reached: Span[] | undefined;
      for (const step of globals) {
        const next = spansOf(step, text, MAX_SPANS);
        reached = reached === undefined ? next : extend(reached, next, { text, gap, allowed });
        if (reached.length === 0) return undefined;
      }
      return reached?.[0];
    },
    mayOccur: (text) => globals.every((step) => mightMatch(step, text)),
    expressions: steps,
  };
}

interface Joint {
  readonly text: string;
  readonly gap: number;
  readonly allowed: (between: string) => boolean;
}

function extend(reached: readonly Span[], next: readonly Span[], joint: Joint): Span[] {
  const extended: Span[] = [];
  let index = -1;
  for (const span of next) {
    while (index + 1 < reached.length && reached[index + 1]!.end <= span.start) index++;
    const before = reached[index];
    if (!before || span.start - before.end > joint.gap) continue;
    if (joint.allowed(joint.text.slice(before.end, span.start)))
      extended.push({ start: before.start, end: span.end });
  }
  return extended;
}

function spansOf(global: RegExp, text: string, limit: number): Span[] {
  const spans: Span[] = [];
  global.lastIndex = 0;
  while (spans.length < limit) {
    const match = global.exec(text);
    if (!match) break;
    spans.push({ start: match.index, end: match.index + match[0].length });
    if (match[0].length === 0) global.lastIndex++;
  }
  return spans;
}

/** Whether an expression matches a text in lower case; quick if the text has none of the literals that a match needs. */
export function mightMatch(expression: RegExp, text: string): boolean {
  let needed = needles.get(expression);
  if (needed === undefined && !needles.has(expression)) {
    needed = needlesOf(expression);
    needles.set(expression, needed);
  }
  if (needed !== undefined) {
    if (lastPieces?.text !== text) lastPieces = { text, pieces: new TextPieces(text) };
    const { pieces } = lastPieces;
    if (!needed.some((needle) => pieces.includes(needle))) return false;
  }
  if (!/[$^]/.test(expression.source)) return occurs(expression, text);
  // What must not follow may be the end of a line: only then can the plain expression match more.
  return occurs(byLine(expression), text) || (/\(\?<?!/.test(expression.source) && occurs(expression, text));
}

/** The same expression for texts that are joined by line ends: each start of a line may be the start of a text. */
function byLine(expression: RegExp): RegExp {
  const known = lineExpressions.get(expression);
  if (known) return known;
  const made = new RegExp(expression.source, `${expression.flags.replace("m", "")}m`);
  lineExpressions.set(expression, made);
  return made;
}

/** Caches the last result per expression: many rules share one and test the same text in turn. */
function occurs(global: RegExp, text: string): boolean {
  const known = lastAnswers.get(global);
  if (known?.text === text) return known.answer;
  global.lastIndex = 0;
  const answer = global.test(text);
  lastAnswers.set(global, { text, answer });
  return answer;
}

function asGlobal(expression: RegExp): RegExp {
  const key = `${expression.flags}/${expression.source}`;
  const shared = interned.get(key) ?? new RegExp(expression.source, `${expression.flags.replace("g", "")}g`);
  interned.set(key, shared);
  return shared;
}
