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
  readonly classes = Uint8Array.from({ length: 0x10000 }, (_, code) => (code < 128 ? 0 : foreignClass(code)));
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
    const trie = this.#trieOf([...needles.values()]);
    yield;
    yield* this.#connect(trie);
  }

  #trieOf(needles: readonly Needle[]): Trie {
    let next = new Uint16Array(4_096 * CLASSES);
    const ends: (Needle[] | undefined)[] = [undefined];
    let classCount = 0;
    // One class for each ASCII character of a literal; if there are too many, the last ones share a class.
    const classOf = (code: number): number => {
      if (this.classes[code] === 0) this.classes[code] = Math.min(++classCount, CLASSES - FOREIGN - 1);
      return this.classes[code]!;
    };
    for (const needle of needles) {
      let state = 0;
      for (let at = 0; at < needle.literal.length; at++) {
        const edge = state * CLASSES + classOf(needle.literal.charCodeAt(at));
        if (next[edge] === 0) next[edge] = ends.push(undefined) - 1;
        state = next[edge]!;
        if (ends.length > 0xffff) throw new RangeError("The rules have too many literals for the automaton.");
        if ((ends.length + 1) * CLASSES > next.length) {
          const larger = new Uint16Array(next.length * 2);
          larger.set(next);
          next = larger;
        }
      }
      const ended = ends[state];
      if (ended) ended.push(needle);
      else ends[state] = [needle];
    }
    return { next, ends };
  }

  /** Gives each state its number and where to go without a child: breadth first, so that the state to fall back to is complete. */
  *#connect(trie: Trie): Steps<void> {
    const count = trie.ends.length;
    const next = new Uint16Array(count * CLASSES);
    const ends: (readonly Needle[] | undefined)[] = [];
    const back = new Uint16Array(count);
    const queue = [0];
    for (let state = 0; state < queue.length; state++) {
      const from = queue[state]!;
      const inherited = state === 0 ? undefined : ends[back[state]!];
      const own = trie.ends[from];
      ends.push(own && inherited ? [...own, ...inherited] : (own ?? inherited));
      for (let kind = 0; kind < CLASSES; kind++) {
        const child = trie.next[from * CLASSES + kind]!;
        const fallback = state === 0 ? 0 : next[back[state]! * CLASSES + kind]!;
        next[state * CLASSES + kind] = child === 0 ? fallback : queue.length;
        if (child === 0) continue;
        back[queue.length] = fallback;
        queue.push(child);
      }
      if (state % STATES === 0) yield;
    }
    this.next = next;
    this.ends = ends;
  }
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
  readonly #ends: Sought[][] = [];
  /** The last text in which all needles of a state were found, counted over all searches. */
  readonly #done: Float64Array;
  /** Texts that were searched. */
  #searched = 0;

  constructor(automaton: Automaton, expressions: ReadonlySet<number>) {
    this.#automaton = automaton;
    this.#expressions = expressions;
    this.#kinds = Uint8Array.from(automaton.ends, (list) => (list ? UNKNOWN : NOTHING));
    this.#done = new Float64Array(automaton.ends.length);
  }

  search(texts: readonly string[]): (readonly number[] | undefined)[] {
    const { initial, next, classes } = this.#automaton;
    const lists: (readonly number[] | undefined)[] = initial.slice();
    const [kinds, done] = [this.#kinds, this.#done];
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index]!;
      const searched = ++this.#searched;
      let state = 0;
      for (let at = 0; at < text.length; at++) {
        state = next[state * CLASSES + classes[text.charCodeAt(at)]!]!;
        const kind = kinds[state]!;
        if (kind === NOTHING || done[state] === searched) continue;
        if (kind === ENDS_WORD && isWordAt(text, at + 1)) continue;
        let missing = false;
        for (const sought of this.#endsOf(state)) {
          if (sought.last === searched) continue;
          if (isAt(sought.needle, text, at + 1)) {
            sought.last = searched;
            note(sought, index, lists);
          } else missing = true;
        }
        if (!missing) done[state] = searched;
      }
    }
    return lists;
  }

  #endsOf(state: number): readonly Sought[] {
    if (this.#kinds[state] !== UNKNOWN) return this.#ends[state]!;
    const ends = this.#automaton.ends[state]!.flatMap((needle) => this.#soughtOf(needle) ?? []);
    this.#ends[state] = ends;
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

/** The literals of all needles by their characters' classes, before texts can be searched. */
interface Trie {
  readonly next: Uint16Array;
  readonly ends: readonly (readonly Needle[] | undefined)[];
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
  return isWordCode(text.charCodeAt(at));
}
