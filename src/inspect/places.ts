// Finds in one pass which texts contain which literals, so that an expression runs only on texts that it may match. The pass is an
// automaton of Aho and Corasick over the literals of all expressions: one step per character, whatever their number.

import { isWordCode, needlesOf, WORD_EDGE } from "./literals.ts";
import { finish, type Steps } from "./steps.ts";

/** A literal, where words begin or end in it, and the expressions that need it. */
interface Needle {
  readonly literal: string;
  readonly edges: readonly number[];
  readonly expressions: number[];
  /** Whether the automaton may take another text for it. */
  readonly approximate: boolean;
  /** The last text in which it was found, counted over all searches. */
  last: number;
}

const NOWHERE: readonly number[] = [];
/** Characters that are in no literal have class 0; those outside ASCII share the last classes. */
const CLASSES = 64;
const FOREIGN = 4;
/** States between two pauses while an automaton is built. */
const STATES = 2_000;
/** Expressions between two pauses while their literals are read. */
const EXPRESSIONS = 40;

/** The expressions that texts are searched for, in the order of their declaration. */
const watched = new Map<RegExp, number>();
let table: { readonly of: number; readonly automaton: Automaton } | undefined;

/** Declares an expression that `Places` can be asked for. */
export function watchFor(expression: RegExp): void {
  if (!watched.has(expression)) watched.set(expression, watched.size);
}

/** Builds the automaton for all declared expressions, in steps of a few milliseconds, if it is not there. */
export function* prepareSearch(): Steps<Automaton> {
  if (table?.of !== watched.size) {
    const of = watched.size;
    const automaton = new Automaton();
    yield* automaton.build([...watched.keys()]);
    table = { of, automaton };
  }
  return table.automaton;
}

/** Where the watched expressions may match in some texts. */
export class Places {
  readonly #lists: readonly (readonly number[] | undefined)[];

  /** The texts are in lower case. */
  constructor(texts: readonly string[]) {
    this.#lists = finish(prepareSearch()).search(texts);
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

/** Its table is filled in as texts need it: most states are never met, and a process that inspects one skill starts at once. */
class Automaton {
  /** An expression without needles may match anywhere, one with needles nowhere until one is found. */
  #initial: readonly (readonly number[] | undefined)[] = [];
  readonly #classes = new Uint8Array(128);
  #classCount = 0;
  /** The next state for each state and class. */
  #next = new Uint16Array(4_096 * CLASSES);
  /** The needles that end in a state. */
  readonly #ends: (Needle[] | undefined)[] = [undefined];
  /** 1 for each state in which a needle ends. */
  #final = new Uint8Array(0);
  /** Texts that were searched. */
  #searched = 0;

  *build(expressions: readonly RegExp[]): Steps<void> {
    const needles = new Map<string, Needle>();
    const initial: (readonly number[] | undefined)[] = [];
    for (const [index, expression] of expressions.entries()) {
      const literals = needlesOf(expression);
      for (const literal of literals ?? []) {
        const needle = needles.get(literal) ?? needleOf(literal);
        needle.expressions.push(index);
        needles.set(literal, needle);
      }
      initial.push(literals && NOWHERE);
      if (index % EXPRESSIONS === 0) yield;
    }
    this.#initial = initial;
    for (const needle of needles.values()) this.#insert(needle);
    yield;
    yield* this.#connect();
    this.#next = this.#next.slice(0, this.#ends.length * CLASSES);
    this.#final = Uint8Array.from(this.#ends, (list) => (list ? 1 : 0));
  }

  search(texts: readonly string[]): (readonly number[] | undefined)[] {
    const lists: (readonly number[] | undefined)[] = this.#initial.slice();
    const base = this.#searched;
    this.#searched += texts.length;
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
          if (needle.last === base + index || !isAt(needle, text, at + 1)) continue;
          needle.last = base + index;
          note(needle, index, lists);
        }
      }
    }
    return lists;
  }

  #insert(needle: Needle): void {
    const { literal } = needle;
    let state = 0;
    for (let at = 0; at < literal.length; at++) {
      const edge = state * CLASSES + this.#classOf(literal.charCodeAt(at));
      if (this.#next[edge] === 0) {
        const added = this.#addState();
        this.#next[edge] = added;
      }
      state = this.#next[edge]!;
    }
    const ended = this.#ends[state];
    if (ended) ended.push(needle);
    else this.#ends[state] = [needle];
  }

  #addState(): number {
    const state = this.#ends.push(undefined) - 1;
    if (state > 0xffff) throw new RangeError("The rules have too many literals for the automaton.");
    if ((state + 1) * CLASSES > this.#next.length) {
      const larger = new Uint16Array(this.#next.length * 2);
      larger.set(this.#next);
      this.#next = larger;
    }
    return state;
  }

  /** One class for each ASCII character of a literal; if there are too many, the last ones share a class. */
  #classOf(code: number): number {
    if (code >= 128) return foreignClass(code);
    if (this.#classes[code] === 0) this.#classes[code] = Math.min(++this.#classCount, CLASSES - FOREIGN - 1);
    return this.#classes[code]!;
  }

  /** Breadth first, so that the state to fall back to is complete when it is read. */
  *#connect(): Steps<void> {
    const next = this.#next;
    const ends = this.#ends;
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
        const inherited = ends[fallback];
        if (inherited) ends[child] = [...(ends[child] ?? []), ...inherited];
        queue.push(child);
      }
      if (head % STATES === 0) yield;
    }
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

function note({ expressions }: Needle, index: number, lists: (readonly number[] | undefined)[]): void {
  for (const expression of expressions) {
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
