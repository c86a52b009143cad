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
}

/** A needle of the expressions that one kind of search is about. */
interface Sought {
  readonly needle: Needle;
  readonly expressions: readonly number[];
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
/** What ends in a state: nothing that is sought, needles, only needles that end a word, or nobody has looked. */
const NOTHING = 0;
const ENDS = 1;
const ENDS_WORD = 2;
const UNKNOWN = 3;

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

  /** The texts are in lower case; of `expressions` and no others can be asked. */
  constructor(texts: readonly string[], expressions: ReadonlySet<RegExp>) {
    this.#lists = finish(prepareSearch()).searchFor(expressions).search(texts);
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

/** Its states are numbered breadth first, so that those in which a text mostly is are side by side in memory. */
class Automaton {
  /** An expression without needles may match anywhere, one with needles nowhere until one is found. */
  initial: readonly (readonly number[] | undefined)[] = [];
  /** The class of each character. */
  readonly classes = new Uint8Array(0x10000);
  /** The next state for each state and class. */
  next = new Uint16Array(0);
  /** The needles that end in a state. */
  ends: readonly (readonly Needle[] | undefined)[] = [];
  readonly #searches = new Map<ReadonlySet<RegExp>, Search>();

  searchFor(expressions: ReadonlySet<RegExp>): Search {
    const known = this.#searches.get(expressions);
    if (known) return known;
    const search = new Search(this, new Set([...expressions].map((each) => watched.get(each)!)));
    this.#searches.set(expressions, search);
    return search;
  }

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
    this.initial = initial;
    for (let code = 128; code < this.classes.length; code++) this.classes[code] = foreignClass(code);
    const trie = this.#trieOf([...needles.values()]);
    yield;
    yield* this.#connect(trie);
  }

  #trieOf(needles: readonly Needle[]): Trie {
    const most = 1 + needles.reduce((sum, { literal }) => sum + literal.length, 0);
    const trie: Trie = {
      kind: new Uint8Array(most),
      child: new Uint32Array(most),
      sibling: new Uint32Array(most),
      ends: [undefined],
    };
    let classCount = 0;
    // One class for each ASCII character of a literal; if there are too many, the last ones share a class.
    const classOf = (code: number): number => {
      if (this.classes[code] === 0) this.classes[code] = Math.min(++classCount, CLASSES - FOREIGN - 1);
      return this.classes[code]!;
    };
    for (const needle of needles) {
      let state = 0;
      for (let at = 0; at < needle.literal.length; at++)
        state = childOf(trie, state, classOf(needle.literal.charCodeAt(at)));
      const ended = trie.ends[state];
      if (ended) ended.push(needle);
      else trie.ends[state] = [needle];
    }
    if (trie.ends.length > 0xffff)
      throw new RangeError("The rules have too many literals for the automaton.");
    return trie;
  }

  /** Gives each state its number and where it leads: as the state to fall back to, which has a lower number, but for its own children. */
  *#connect(trie: Trie): Steps<void> {
    const count = trie.ends.length;
    const next = new Uint16Array(count * CLASSES);
    const ends: (readonly Needle[] | undefined)[] = [];
    const back = new Uint16Array(count);
    const queue = new Uint16Array(count);
    let queued = 1;
    for (let state = 0; state < queued; state++) {
      const from = queue[state]!;
      const row = state * CLASSES;
      const own = trie.ends[from];
      const inherited = state === 0 ? undefined : ends[back[state]!];
      ends.push(own && inherited ? [...own, ...inherited] : (own ?? inherited));
      if (state !== 0) next.copyWithin(row, back[state]! * CLASSES, (back[state]! + 1) * CLASSES);
      for (let child = trie.child[from]!; child !== 0; child = trie.sibling[child]!) {
        const edge = row + trie.kind[child]!;
        back[queued] = state === 0 ? 0 : next[edge]!;
        next[edge] = queued;
        queue[queued++] = child;
      }
      if (state % STATES === 0) yield;
    }
    this.next = next;
    this.ends = ends;
  }
}

/** The literals of all needles by their characters' classes. A state has its class, its first child and its next sibling; 0 is none. */
interface Trie {
  readonly kind: Uint8Array;
  readonly child: Uint32Array;
  readonly sibling: Uint32Array;
  readonly ends: (Needle[] | undefined)[];
}

/** The child of a state for a class, added if it is not there. */
function childOf({ kind, child, sibling, ends }: Trie, state: number, wanted: number): number {
  let known = child[state]!;
  while (known !== 0 && kind[known] !== wanted) known = sibling[known]!;
  if (known !== 0) return known;
  const added = ends.push(undefined) - 1;
  kind[added] = wanted;
  sibling[added] = child[state]!;
  child[state] = added;
  return added;
}

/**
 * The automaton for some of its expressions. Most hits are of needles that were found in the same text before, or of short words inside
 * others: both are told before a needle is looked at.
 */
class Search {
  readonly #automaton: Automaton;
  readonly #expressions: ReadonlySet<number>;
  readonly #sought = new Map<Needle, Sought | undefined>();
  /** What ends in a state, looked at when a text first comes there. */
  readonly #kinds: Uint8Array;
  readonly #ends: (readonly Sought[] | undefined)[];
  /** The last text in which all needles of a state were found, counted over all searches. */
  readonly #done: Float64Array;
  /** Texts that were searched. */
  #searched = 0;

  constructor(automaton: Automaton, expressions: ReadonlySet<number>) {
    this.#automaton = automaton;
    this.#expressions = expressions;
    this.#kinds = new Uint8Array(automaton.ends.length).fill(UNKNOWN);
    this.#ends = new Array(automaton.ends.length);
    this.#done = new Float64Array(automaton.ends.length);
  }

  search(texts: readonly string[]): (readonly number[] | undefined)[] {
    const lists: (readonly number[] | undefined)[] = this.#automaton.initial.slice();
    for (let index = 0; index < texts.length; index++) this.#scan(texts[index]!, index, lists);
    return lists;
  }

  /** One text; short, so that V8 compiles the loop alone and only once. */
  #scan(text: string, index: number, lists: (readonly number[] | undefined)[]): void {
    const { next, classes } = this.#automaton;
    const [kinds, done] = [this.#kinds, this.#done];
    const searched = ++this.#searched;
    const length = text.length;
    let state = 0;
    for (let at = 0; at < length; at++) {
      state = next[state * CLASSES + classes[text.charCodeAt(at)]!]!;
      if (kinds[state] !== NOTHING && done[state] !== searched)
        this.#arrive(state, text, at + 1, index, lists);
    }
  }

  #arrive(
    state: number,
    text: string,
    end: number,
    index: number,
    lists: (readonly number[] | undefined)[],
  ): void {
    if (this.#kinds[state] === ENDS_WORD && end < text.length && isWordCode(text.charCodeAt(end))) return;
    const searched = this.#searched;
    let missing = false;
    for (const sought of this.#endsOf(state)) {
      if (sought.last === searched) continue;
      if (isAt(sought.needle, text, end)) {
        sought.last = searched;
        note(sought, index, lists);
      } else missing = true;
    }
    if (!missing) this.#done[state] = searched;
  }

  #endsOf(state: number): readonly Sought[] {
    if (this.#kinds[state] !== UNKNOWN) return this.#ends[state]!;
    const ends = (this.#automaton.ends[state] ?? []).flatMap((needle) => this.#soughtOf(needle) ?? []);
    if (ends.length > 0) this.#ends[state] = ends;
    this.#kinds[state] = ends.length === 0 ? NOTHING : ends.every(endsWord) ? ENDS_WORD : ENDS;
    return ends;
  }

  #soughtOf(needle: Needle): Sought | undefined {
    if (!this.#sought.has(needle)) {
      const expressions = needle.expressions.filter((each) => this.#expressions.has(each));
      this.#sought.set(needle, expressions.length === 0 ? undefined : { needle, expressions, last: 0 });
    }
    return this.#sought.get(needle);
  }
}

/** Whether a needle is only there where a word ends with it. */
function endsWord({ needle: { literal, edges } }: Sought): boolean {
  return edges.includes(literal.length) && isWordAt(literal, literal.length - 1);
}

/** Whether a needle that may end before `end` is there. */
function isAt({ literal, edges, approximate }: Needle, text: string, end: number): boolean {
  const start = end - literal.length;
  if (approximate && !text.startsWith(literal, start)) return false;
  for (const edge of edges)
    if (isWordAt(text, start + edge - 1) === isWordAt(text, start + edge)) return false;
  return true;
}

function note({ expressions }: Sought, index: number, lists: (readonly number[] | undefined)[]): void {
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
  return { literal, edges, expressions: [], approximate: /[^\x00-\x7f]/.test(literal) };
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && isWordCode(text.charCodeAt(at));
}
