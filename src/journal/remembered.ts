// Remembered messages: what people asked when a skill went well or badly. Recall compares new messages with them. Defines
// what they weigh, which are kept, and the packed form that a hook reads.

import type { SkillName } from "../model/name.ts";
import { jsonIn } from "../text/json.ts";
import type { Outcome } from "./events.ts";
import { decay } from "./tally.ts";

/** A message that counts for or against a skill. */
export interface RememberedMessage {
  /** The name at that time; a book has the name that redirects lead to. */
  readonly skill: SkillName;
  /** The content that the skill had. */
  readonly digest: string;
  /** The turn of the message, if it had a session. */
  readonly session?: string | undefined;
  readonly turn?: number | undefined;
  readonly at: number;
  /** Above 0 it counts for the skill, below 0 against it. */
  readonly weight: number;
  /** The beginning of the message, for explanations. */
  readonly text: string;
  /** Its terms as recall compares them: a hash of 24 bits and a weight of 8 bits each. */
  readonly terms: readonly number[];
}

/** What each event weighs. */
export const USE_WEIGHT = {
  /** An activation that ended well. */
  success: 1,
  /** An activation that ended badly. */
  failure: -1,
  neutral: 0,
  /** Somebody said that it should have been this skill: as much as three successes. */
  meant: 3,
  /** It was activated, and somebody said that it should have been another skill. */
  mistaken: -1,
  /** It was only recalled before the skill that was meant. */
  inFront: -0.5,
} as const satisfies Readonly<Record<Outcome, number> & Record<string, number>>;

export const REMEMBERED = {
  /** A message loses half its weight in this time: habits last longer than the quality of a version. */
  halfLifeMs: 90 * 24 * 60 * 60 * 1000,
  /** What a message counts for a skill whose content has changed since. */
  otherContent: 0.5,
  /** Messages kept for one skill, and in all: a hook reads them in a fraction of a millisecond. */
  perSkill: 20,
  inAll: 2000,
  /** Messages dropped at a time beyond `inAll`, so that not every further one has to drop one. */
  dropped: 100,
  /** What an older message with the same terms is worth when some must be dropped. */
  repeated: 0.1,
  /** Characters of the text that are kept. */
  chars: 120,
} as const;

/** What a message counts now for a skill with this content. */
export function weightNow(
  { weight, at, digest }: Pick<RememberedMessage, "weight" | "at" | "digest">,
  { now, content }: { readonly now: number; readonly content?: string | undefined },
): number {
  const same = content === undefined || content === digest;
  return weight * decay(now - at, REMEMBERED.halfLifeMs) * (same ? 1 : REMEMBERED.otherContent);
}

/**
 * The messages of one skill with one more. A message of the same turn is replaced, unless the earlier one says the same
 * more strongly; a weight of 0 removes it.
 */
export function withRemembered(
  known: readonly RememberedMessage[],
  added: RememberedMessage,
): readonly RememberedMessage[] {
  const earlier = known.find((one) => turnKey(one) === turnKey(added));
  if (earlier && earlier.weight * added.weight > 0 && Math.abs(earlier.weight) > Math.abs(added.weight))
    return known;
  const others = known.filter((one) => one !== earlier);
  if (added.weight === 0) return others;
  return strongest([...others, added], { limit: REMEMBERED.perSkill, now: added.at });
}

/** The messages that count most, in their order. */
export function strongest(
  messages: readonly RememberedMessage[],
  { limit, now }: { readonly limit: number; readonly now: number },
): readonly RememberedMessage[] {
  if (messages.length <= limit) return messages;
  const said = new Set<string>();
  const worth = new Map<RememberedMessage, number>();
  for (const one of messages.toReversed()) {
    const key = `${one.skill}\n${one.terms.join()}`;
    worth.set(one, Math.abs(weightNow(one, { now })) * (said.has(key) ? REMEMBERED.repeated : 1));
    said.add(key);
  }
  // The newest first, so that of equal ones the oldest is dropped.
  const kept = new Set([...worth.keys()].sort((a, b) => worth.get(b)! - worth.get(a)!).slice(0, limit));
  return messages.filter((one) => kept.has(one));
}

/** Names the turn of a message; without a session, its text. */
export function turnKey({
  session,
  turn,
  text,
}: Pick<RememberedMessage, "session" | "turn" | "text">): string {
  return session === undefined || turn === undefined ? `\n${text}` : `${session}\n${turn}`;
}

/** A remembered message with how much it resembles the one that is asked about. */
export interface SimilarMessage {
  readonly message: Omit<RememberedMessage, "terms">;
  /** The cosine of their terms, 0 to 1. */
  readonly likeness: number;
  /** The sum of the weights of the terms that both have. */
  readonly shared: number;
  readonly sharedTerms: number;
}

/** Raised when the packed form changes; one of another format counts as absent. */
const FORMAT = 1;

/** The columns of the packed form, each a list of numbers, in their order. */
const COLUMNS = ["squares", "lineEnds", "hashes", "postingEnds", "postings"] as const;
type Columns = Readonly<Record<(typeof COLUMNS)[number], Uint32Array>>;

/** Numbers before the columns: the format, then how many messages, different terms and postings there are. */
const HEADER = 4;

function columnLengths([, messages = 0, terms = 0, postings = 0]: Uint32Array): readonly number[] {
  return [messages, messages, terms, terms, postings];
}

/** Greater than every posting; with a hash of 24 bits before it, a number still fits a double. */
const POSTINGS = 2 ** 28;

type Line = readonly [string, string, number, number, string, string | null, number | null];

/**
 * Packs messages for a search that reads little: for each message the sum of its squared weights and the end of its line;
 * the hashes of all terms, ascending, and for each one the end of its postings (a message's number and the term's weight
 * in it); then one line of JSON per message, which is parsed only if the message is found.
 */
export function packRemembered(messages: readonly RememberedMessage[]): Uint8Array {
  const lines = messages.map(({ skill, digest, at, weight, text, session = null, turn = null }) => {
    const line: Line = [skill, digest, at, weight, text, session, turn];
    return Buffer.from(JSON.stringify(line));
  });
  const found = Float64Array.from(
    messages.flatMap(({ terms }, number) =>
      terms.map((term) => (term >>> 8) * POSTINGS + number * 256 + (term & 255)),
    ),
  ).sort();
  const postingEnds = new Map<number, number>();
  found.forEach((one, i) => {
    postingEnds.set(Math.floor(one / POSTINGS), i + 1);
  });
  let end = 0;
  const columns: Record<(typeof COLUMNS)[number], number[]> = {
    squares: messages.map(({ terms }) => terms.reduce((sum, term) => sum + (term & 255) ** 2, 0)),
    lineEnds: lines.map(({ length }) => {
      end += length;
      return end;
    }),
    hashes: [...postingEnds.keys()],
    postingEnds: [...postingEnds.values()],
    postings: Array.from(found, (one) => one % POSTINGS),
  };
  const head = [FORMAT, messages.length, postingEnds.size, found.length];
  const numbers = Uint32Array.from([...head, ...COLUMNS.flatMap((column) => columns[column])]);
  return Buffer.concat([new Uint8Array(numbers.buffer), ...lines]);
}

/** Remembered messages to be searched. Damaged bytes make an empty book. */
export class RememberedBook {
  private readonly columns: Columns;
  private readonly lines: Uint8Array;

  constructor(packed: Uint8Array) {
    const head = aligned(packed, HEADER);
    const length = columnLengths(head).reduce((sum, each) => sum + each, HEADER);
    const bytes = length * Uint32Array.BYTES_PER_ELEMENT;
    const isWhole = head[0] === FORMAT && packed.length >= bytes;
    this.columns = columnsOf(isWhole ? aligned(packed, length) : new Uint32Array(HEADER));
    this.lines = packed.subarray(bytes);
  }

  get size(): number {
    return this.columns.squares.length;
  }

  /**
   * The messages that share a term and have at least this cosine with the given ones, oldest first.
   *
   * @example
   * const book = await memoryStore().rememberedBook();
   * console.log(book.similarTo([], 0.5)); // []
   */
  similarTo(terms: readonly number[], least: number): SimilarMessage[] {
    const { squares, postings, postingEnds } = this.columns;
    const asked = new Map(terms.map((term) => [term >>> 8, term & 255]));
    const found = new Map<number, { dot: number; shared: number; sharedTerms: number }>();
    let square = 0;
    for (const [hash, weight] of asked) {
      square += weight * weight;
      const at = this.find(hash);
      if (at < 0) continue;
      for (let i = at === 0 ? 0 : postingEnds[at - 1]!; i < postingEnds[at]!; i++) {
        const number = postings[i]! >>> 8;
        const other = postings[i]! & 255;
        const sums = found.get(number) ?? { dot: 0, shared: 0, sharedTerms: 0 };
        sums.dot += weight * other;
        sums.shared += Math.min(weight, other);
        sums.sharedTerms++;
        found.set(number, sums);
      }
    }
    return [...found]
      .map(([number, { dot, ...sums }]) => ({
        number,
        likeness: dot / Math.sqrt(squares[number]! * square),
        sums,
      }))
      .filter(({ likeness }) => likeness >= least)
      .sort((a, b) => a.number - b.number)
      .flatMap(({ number, likeness, sums }) => {
        const message = this.read(number);
        return message ? [{ message, likeness, ...sums }] : [];
      });
  }

  /** The place of a hash; -1 if no message has it. */
  private find(hash: number): number {
    const { hashes } = this.columns;
    let [from, to] = [0, hashes.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (hashes[middle]! < hash) from = middle + 1;
      else to = middle;
    }
    return hashes[from] === hash ? from : -1;
  }

  private read(number: number): SimilarMessage["message"] | undefined {
    const { lineEnds } = this.columns;
    const bytes = this.lines.subarray(number === 0 ? 0 : lineEnds[number - 1], lineEnds[number]);
    const line = jsonIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    if (!Array.isArray(line)) return undefined;
    const [skill, digest, at, weight, text, session, turn] = line as unknown as Line;
    return { skill, digest, at, weight, text, session: session ?? undefined, turn: turn ?? undefined };
  }
}

export const NOTHING_REMEMBERED = new RememberedBook(new Uint8Array(0));

function columnsOf(numbers: Uint32Array): Columns {
  let at = HEADER;
  const lengths = columnLengths(numbers);
  return Object.fromEntries(
    COLUMNS.map((column, i) => {
      const from = at;
      at += lengths[i]!;
      return [column, numbers.subarray(from, at)];
    }),
  ) as Columns;
}

/** The first numbers of the bytes, which may begin anywhere in their buffer; zeros if there are too few. */
function aligned(bytes: Uint8Array, numbers: number): Uint32Array {
  const copy = new Uint32Array(numbers);
  new Uint8Array(copy.buffer).set(bytes.subarray(0, copy.byteLength));
  return copy;
}
