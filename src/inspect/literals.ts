// Finds literals in a regular expression, such that each match of it contains at least one of them.

/** Literals of which every match contains one; undefined if there are none. */
type Literals = readonly string[] | undefined;

/** What a part of an expression matches. */
interface Part {
  /** All texts that it matches, if they are few. */
  readonly exact?: readonly string[] | undefined;
  readonly needs: Literals;
}

/** Stands for the edge of a word in a literal, as `\\b` does in an expression. */
export const WORD_EDGE = "\ue000";

const MOST_EXACT = 24;
const MOST_LITERALS = 160;
/** Literals that are worth less are in every text: one letter. */
const LEAST_WORTH = 2;
const RARE = 6;
/** Characters that match themselves; the last one may be repeated, so it is left out if a quantifier follows. */
const PLAIN = /[^\\^$.*+?()[\]{}|]{2,}(?![*+?{])/y;
const ANYTHING: Part = { needs: undefined };
const NOTHING: Part = { exact: [""], needs: undefined };
const EDGE: Part = { exact: [WORD_EDGE], needs: undefined };

/** The literals, in lower case and with edges of words, of which one is in every lower-case text that the expression matches. */
export function needlesOf({ source, flags }: RegExp): Literals {
  // Case folding of Unicode equates letters outside ASCII with letters inside.
  if (flags.includes("i") && /[uv]/.test(flags)) return undefined;
  const found = new ExpressionReader(source).alternatives();
  const literals = better(found.needs, found.exact);
  return literals && [...new Set(literals.map((literal) => literal.toLowerCase()))];
}

/** The worth of each set that was compared: it is compared again with each part that follows. */
const worths = new WeakMap<readonly string[], number>();

/** How rare the least literal of a set is; 0 if the set cannot be used. */
function leastWorthOf(set: Literals): number {
  if (set === undefined || set.length === 0 || set.length > MOST_LITERALS) return 0;
  const known = worths.get(set);
  if (known !== undefined) return known;
  let least = RARE;
  for (const literal of set) least = Math.min(least, worthOf(literal));
  worths.set(set, least);
  return least;
}

/** The set that excludes more texts: its least literal is rarer. */
function better(a: Literals, b: Literals): Literals {
  const [left, right] = [leastWorthOf(a), leastWorthOf(b)];
  if (Math.max(left, right) < LEAST_WORTH) return undefined;
  if (left === right) return a!.length <= b!.length ? a : b;
  return left > right ? a : b;
}

/** How rare a literal is: a sign counts as two letters, a character outside ASCII as three. What is rarer than `RARE` is no better. */
function worthOf(literal: string): number {
  let worth = 0;
  let blank = true;
  for (let at = 0; at < literal.length; at++) {
    const code = literal.charCodeAt(at);
    const edge = code === 0xe000;
    if (!edge && code !== 0x20) blank = false;
    worth += edge || code === 0x20 || isWordCode(code) ? 1 : code > 0x7f ? 3 : 2;
    if (worth >= RARE && !blank) return RARE;
  }
  return blank ? 0 : Math.min(worth, RARE);
}

/** Whether a character is a letter or digit of ASCII, or `_`. */
export function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95
  );
}

function joined(starts: readonly string[], ends: readonly string[]): string[] {
  const found: string[] = [];
  for (const start of starts) for (const end of ends) found.push(start + end);
  return found;
}

/** Reads the source of an expression. What it does not know, it takes for something that matches anything. */
class ExpressionReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      parts.push(this.#sequence());
    }
    if (parts.length === 1) return parts[0]!;
    const exact = parts.every((part) => part.exact) ? parts.flatMap((part) => part.exact!) : undefined;
    const needs = parts.map((part) => better(part.needs, part.exact));
    return {
      exact: exact && exact.length <= MOST_EXACT ? exact : undefined,
      needs: needs.every((set) => set !== undefined) ? needs.flat() : undefined,
    };
  }

  #sequence(): Part {
    let exact: readonly string[] = [""];
    let whole = true;
    let needs: Literals;
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      const part = this.#repeated();
      if (part.exact && exact.length * part.exact.length <= MOST_EXACT) {
        exact = joined(exact, part.exact);
        continue;
      }
      needs = better(better(needs, exact), better(part.needs, part.exact));
      exact = part.exact && part.exact.length <= MOST_EXACT ? part.exact : [""];
      whole = false;
    }
    return whole ? { exact, needs: undefined } : { needs: better(needs, exact) };
  }

  #repeated(): Part {
    const part = this.#atom();
    const times = /^(?:[*+?]|\{(\d+)(,\d*)?\})\??/.exec(this.#source.slice(this.#at, this.#at + 16));
    if (!times) return part;
    this.#at += times[0].length;
    const once = times[1] === "1" && times[2] === undefined;
    if (once) return part;
    if (times[0][0] === "?") return part.exact ? { exact: ["", ...part.exact], needs: undefined } : ANYTHING;
    const least = times[0][0] === "*" ? 0 : times[0][0] === "+" ? 1 : Number(times[1]);
    return least === 0 ? ANYTHING : { needs: better(part.needs, part.exact) };
  }

  #atom(): Part {
    PLAIN.lastIndex = this.#at;
    const plain = PLAIN.exec(this.#source)?.[0];
    if (plain !== undefined) {
      this.#at += plain.length;
      return { exact: [plain], needs: undefined };
    }
    const char = this.#source[this.#at++]!;
    if (char === "(") return this.#group();
    if (char === "[") return this.#class();
    if (char === "\\") return this.#escape();
    if (char === "^" || char === "$") return NOTHING;
    return char === "." ? ANYTHING : { exact: [char], needs: undefined };
  }

  #group(): Part {
    const opening = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(this.#source.slice(this.#at, this.#at + 40))?.[0] ?? "";
    this.#at += opening.length;
    const inner = this.alternatives();
    this.#at++;
    return /[=!]$/.test(opening) ? NOTHING : inner;
  }

  #class(): Part {
    const start = this.#at;
    let end = start;
    for (; this.#source[end] !== "]" || end === start; end++) if (this.#source[end] === "\\") end++;
    this.#at = end + 1;
    const inside = this.#source.slice(start, end);
    return /^[^\\^-]{1,4}$/.test(inside) ? { exact: [...inside], needs: undefined } : ANYTHING;
  }

  #escape(): Part {
    const char = this.#source[this.#at++]!;
    if (char === "b") return EDGE;
    if (char === "B") return NOTHING;
    const code = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i.exec(this.#source.slice(this.#at - 1, this.#at + 5));
    if (code) {
      this.#at += code[0].length - 1;
      return { exact: [String.fromCharCode(Number.parseInt(code[1] ?? code[2]!, 16))], needs: undefined };
    }
    if (/[a-z0-9]/i.test(char)) {
      this.#at += /^(?:\{[^}]{1,40}\}|<\w{1,40}>)/.exec(this.#source.slice(this.#at))?.[0].length ?? 0;
      return ANYTHING;
    }
    return { exact: [char], needs: undefined };
  }
}
