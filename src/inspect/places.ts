// Finds in one pass which texts contain which literals, so that an expression runs only on texts that it may match. The pass is an
// automaton of Aho and Corasick over the literals of all expressions: one step per character, whatever their number.

import { isWordCode, needlesOf, WORD_EDGE } from "./literals.ts";

/** A literal, where words begin or end in it, and the expressions that need it. */
interface Needle {
  readonly literal: string;
  readonly edges: readonly number[];
  readonly expressions: number[];
  /** Whether the automaton may take another text for it. */
  readonly approximate: boolean;
  /** The last text in which it was found. */
  last: number;
}

const NOWHERE: readonly number[] = [];
/** Characters that are in no literal have class 0; those outside ASCII share the last classes. */
const CLASSES = 64;
const FOREIGN = 4;

/** The expressions that texts are searched for, in the order of their declaration. */
const watched = new Map<RegExp, number>();
let table: { readonly of: number; readonly automaton: Automaton } | undefined;

/** Declares an expression that `Places` can be asked for. */
export function watchFor(expression: RegExp): void {
  if (!watched.has(expression)) watched.set(expression, watched.size);
}

/** Where the watched expressions may match in some texts. */
export class Places {
  readonly #lists: readonly (readonly number[] | undefined)[];

  /** The texts are in lower case. */
  constructor(texts: readonly string[]) {
    if (table?.of !== watched.size)
      table = { of: watched.size, automaton: new Automaton([...watched.keys()]) };
    this.#lists = table.automaton.search(texts);
  }

  /** The texts that the expression may match, by their index; undefined if every text may. */
  of(expression: RegExp): readonly number[] | undefined {
    return this.#lists[watched.get(expression)!];
  }

  /** Whether an expression may match the text with this index. */
  has(expression: RegExp, index: number): boolean {
    const list = this.of(expression);
    if (list === undefined) return true;
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle]! < index) low = middle + 1;
      else high = middle;
    }
    return list[low] === index;
  }
}

class Automaton {
  readonly #needles: readonly Needle[];
  /** An expression without needles may match anywhere, one with needles nowhere until one is found. */
  readonly #initial: readonly (readonly number[] | undefined)[];
  readonly #classes = new Uint8Array(128);
  /** The next state for each state and class. */
  #next = new Uint16Array(0);
  /** The needles that end in a state. */
  #ends: readonly (readonly Needle[])[] = [];
  /** 1 for each state in which a needle ends. */
  #final = new Uint8Array(0);

  constructor(expressions: readonly RegExp[]) {
    const needles = new Map<string, Needle>();
    this.#initial = expressions.map((expression, index) => {
      const literals = needlesOf(expression);
      for (const literal of literals ?? []) {
        const needle = needles.get(literal) ?? needleOf(literal);
        needle.expressions.push(index);
        needles.set(literal, needle);
      }
      return literals && NOWHERE;
    });
    this.#needles = [...needles.values()];
    this.#assignClasses();
    this.#build();
  }

  search(texts: readonly string[]): (readonly number[] | undefined)[] {
    const lists: (readonly number[] | undefined)[] = [...this.#initial];
    for (const needle of this.#needles) needle.last = -1;
    const next = this.#next;
    const classes = this.#classes;
    const final = this.#final;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index]!;
      let state = 0;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        state = next[state * CLASSES + (code < 128 ? classes[code]! : foreignClass(code))]!;
        if (final[state] === 0) continue;
        const ended = this.#ends[state]!;
        for (let each = 0; each < ended.length; each++) {
          const needle = ended[each]!;
          if (needle.last !== index && isAt(needle, text, at + 1)) note(needle, index, lists);
        }
      }
    }
    return lists;
  }

  /** One class for each ASCII character of a literal; if there are too many, the last ones share a class. */
  #assignClasses(): void {
    let count = 0;
    for (const { literal } of this.#needles)
      for (const char of literal) {
        const code = char.charCodeAt(0);
        if (code < 128 && this.#classes[code] === 0)
          this.#classes[code] = Math.min(++count, CLASSES - FOREIGN - 1);
      }
  }

  #classOf(code: number): number {
    return code < 128 ? this.#classes[code]! : foreignClass(code);
  }

  #build(): void {
    const most = 1 + this.#needles.reduce((sum, { literal }) => sum + literal.length, 0);
    const next = new Uint16Array(most * CLASSES);
    const ends: Needle[][] = [[]];
    for (const needle of this.#needles) {
      let state = 0;
      for (let at = 0; at < needle.literal.length; at++) {
        const edge = state * CLASSES + this.#classOf(needle.literal.charCodeAt(at));
        if (next[edge] === 0) next[edge] = ends.push([]) - 1;
        state = next[edge]!;
      }
      ends[state]!.push(needle);
    }
    if (ends.length > 0xffff) throw new RangeError("The rules have too many literals for the automaton.");
    // Breadth first, so that the state to fall back to is complete when it is read.
    const back = new Uint16Array(ends.length);
    const queue = [0];
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head]!;
      for (let kind = 0; kind < CLASSES; kind++) {
        const edge = state * CLASSES + kind;
        const fallback = state === 0 ? 0 : next[back[state]! * CLASSES + kind]!;
        const child = next[edge]!;
        if (child === 0 || (state !== 0 && child === fallback)) {
          next[edge] = fallback;
          continue;
        }
        back[child] = fallback;
        ends[child]!.push(...ends[fallback]!);
        queue.push(child);
      }
    }
    this.#next = next.slice(0, ends.length * CLASSES);
    this.#ends = ends;
    this.#final = Uint8Array.from(ends, (list) => (list.length > 0 ? 1 : 0));
  }
}

/** Whether a needle that may end before `end` is there. */
function isAt({ literal, edges, approximate }: Needle, text: string, end: number): boolean {
  const start = end - literal.length;
  if (approximate && !text.startsWith(literal, start)) return false;
  for (const edge of edges)
    if (isWordAt(text, start + edge - 1) === isWordAt(text, start + edge)) return false;
  return true;
}

function note(needle: Needle, index: number, lists: (readonly number[] | undefined)[]): void {
  needle.last = index;
  for (const expression of needle.expressions) {
    const list = lists[expression] as number[];
    if (list.length === 0) lists[expression] = [index];
    else if (list[list.length - 1] !== index) list.push(index);
  }
}

function foreignClass(code: number): number {
  return CLASSES - FOREIGN + (code % FOREIGN);
}

function needleOf(marked: string): Needle {
  const pieces = marked.split(WORD_EDGE);
  const literal = pieces.join("");
  const edges: number[] = [];
  let length = 0;
  for (const piece of pieces.slice(0, -1)) {
    length += piece.length;
    edges.push(length);
  }
  return { literal, edges, expressions: [], approximate: /[^\x00-\x7f]/.test(literal), last: -1 };
}

function isWordAt(text: string, at: number): boolean {
  return isWordCode(text.charCodeAt(at));
}
