// The pattern language of the rules. All expressions have bounded repetition, so matching is linear on hostile text.

import { type Places, watchFor } from "./places.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  readonly find: (text: string) => Span | undefined;
  /** Which of several texts may match; undefined if any of them may. */
  readonly among: (places: Places) => readonly number[] | undefined;
  readonly expressions: readonly RegExp[];
  /** The expressions that `among` asks for. */
  readonly watched: readonly RegExp[];
}

/** The most matches of one step that are tried in a text. */
const MAX_SPANS = 2_000;
const interned = new Map<string, RegExp>();
const SENTENCE_END = /[.!?;] /;

/** One expression. */
export function pattern(expression: RegExp): Matcher {
  const global = asGlobal(expression);
  return {
    find: (text) => spansOf(global, text, 1)[0],
    among: (places) => places.of(global),
    expressions: [expression],
    watched: [global],
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
    among: (places) => united(matchers.map((matcher) => matcher.among(places))),
    expressions: matchers.flatMap((matcher) => matcher.expressions),
    watched: matchers.flatMap((matcher) => matcher.watched),
  };
}

/** All matchers in the same text, in any order; the span is that of the first. */
export function allOf(...matchers: readonly Matcher[]): Matcher {
  return {
    find: (text) => {
      const spans = matchers.map((matcher) => matcher.find(text));
      return spans.every((span) => span !== undefined) ? spans[0] : undefined;
    },
    among: (places) => shared(matchers.map((matcher) => matcher.among(places))),
    expressions: matchers.flatMap((matcher) => matcher.expressions),
    watched: matchers.flatMap((matcher) => matcher.watched),
  };
}

/** A match of `matcher` unless `excuse` occurs in the same text. */
export function unless(excuse: RegExp, matcher: Matcher): Matcher {
  return {
    find: (text) => {
      const span = matcher.find(text);
      return span && !excuse.test(text) ? span : undefined;
    },
    among: matcher.among,
    expressions: [excuse, ...matcher.expressions],
    watched: matcher.watched,
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
    among: (places) => shared(globals.map((step) => places.of(step))),
    expressions: steps,
    watched: globals,
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

/** The texts that are in one of the lists; undefined if one of them is unknown. */
function united(lists: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  const known: number[] = [];
  for (const list of lists) {
    if (list === undefined) return undefined;
    for (const index of list) known.push(index);
  }
  return lists.length < 2 ? known : [...new Set(known)].sort((a, b) => a - b);
}

/** The texts that are in all lists; a list that is unknown excludes nothing. */
function shared(lists: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  let common: readonly number[] | undefined;
  for (const list of lists) {
    if (list === undefined) continue;
    if (list.length === 0) return list;
    if (common === undefined) common = list;
    else {
      const also = new Set(list);
      common = common.filter((index) => also.has(index));
    }
  }
  return common;
}

function asGlobal(expression: RegExp): RegExp {
  const key = `${expression.flags}/${expression.source}`;
  const known = interned.get(key);
  if (known) return known;
  const global = new RegExp(expression.source, `${expression.flags.replace("g", "")}g`);
  interned.set(key, global);
  watchFor(global);
  return global;
}
