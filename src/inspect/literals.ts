// Tells quickly that an expression cannot match a text: every match needs one of a few literals, and none of them is there.

/** A literal with its pieces of three letters. */
interface Needle {
  readonly literal: string;
  readonly pieces: Uint16Array;
}

/** Literals of which every match contains one; undefined if there are none. */
type Literals = readonly string[] | undefined;

/** What a part of an expression matches. */
interface Part {
  /** All texts that it matches, if they are few. */
  readonly exact?: readonly string[] | undefined;
  readonly needs: Literals;
}

const MOST_EXACT = 24;
const MOST_LITERALS = 160;
/** Shorter literals are in every text; a character outside ASCII is as rare as three inside. */
const SHORTEST = 3;
const NOT_ASCII = /[^\x00-\x7f]/g;
const ANYTHING: Part = { needs: undefined };
const NOTHING: Part = { exact: [""], needs: undefined };

/** The literals, in lower case, of which one is in every lower-case text that the expression matches. */
export function needlesOf({ source, flags }: RegExp): readonly Needle[] | undefined {
  // Case folding of Unicode equates letters outside ASCII with letters inside.
  if (flags.includes("i") && /[uv]/.test(flags)) return undefined;
  const found = new ExpressionReader(source).alternatives();
  const literals = better(found.needs, found.exact);
  return literals && [...new Set(literals.map((literal) => literal.toLowerCase()))].map(needleOf);
}

function needleOf(literal: string): Needle {
  const pieces = new Uint16Array(Math.max(0, literal.length - 2));
  for (let at = 0; at < pieces.length; at++) pieces[at] = pieceAt(literal, at);
  return { literal, pieces };
}

/** The three-letter pieces of a text, for a first answer to whether a literal may be in it. */
export class TextPieces {
  readonly #text: string;
  readonly #pieces = new Uint8Array(1 << 15);
  readonly #answers = new Map<string, boolean>();

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at + 2 < text.length; at++) this.#pieces[pieceAt(text, at)] = 1;
  }

  includes({ literal, pieces }: Needle): boolean {
    for (let at = 0; at < pieces.length; at++) if (this.#pieces[pieces[at]!] === 0) return false;
    const known = this.#answers.get(literal);
    if (known !== undefined) return known;
    const answer = this.#text.includes(literal);
    this.#answers.set(literal, answer);
    return answer;
  }
}

function pieceAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & 0x7fff;
}

/** The set that excludes more texts: its shortest literal is longer. */
function better(a: Literals, b: Literals): Literals {
  const usable = (set: Literals): number =>
    set === undefined || set.length === 0 || set.length > MOST_LITERALS
      ? 0
      : Math.min(...set.map((literal) => literal.replace(NOT_ASCII, "...").length));
  const [left, right] = [usable(a), usable(b)];
  if (Math.max(left, right) < SHORTEST) return undefined;
  if (Math.min(left, 6) === Math.min(right, 6)) return a!.length <= b!.length ? a : b;
  return left > right ? a : b;
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
        exact = exact.flatMap((start) => part.exact!.map((end) => start + end));
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
    if (char === "b" || char === "B") return NOTHING;
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
