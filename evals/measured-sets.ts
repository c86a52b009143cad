// Which messages are asked in which library, for the figures: the sets of a folder, and our own set.

import { join } from "node:path";
import { readSets } from "./data-sets.ts";
import { ALL } from "./engine.ts";
import { type EvalMessage, readLines } from "./harness.ts";
import { hashOf, seededRandom } from "./random.ts";

export interface MeasuredMessage {
  readonly query: string;
  /** Right answers; without them and without `not` nothing should be recalled. */
  readonly gold: readonly string[];
  /** Forbidden answers. */
  readonly not: readonly string[];
  /** Figures are means over sources. */
  readonly source: string;
  readonly library: string;
}

export interface MeasuredSet {
  readonly name: string;
  readonly messages: readonly MeasuredMessage[];
}

export interface MeasuredFolder {
  readonly sets: readonly MeasuredSet[];
  /** The ids of each library but `ALL`. */
  readonly libraries: ReadonlyMap<string, readonly string[]>;
  /** For each copy, the skill that it counts as. */
  readonly duplicates: Readonly<Record<string, string>>;
}

/** The size of the random libraries that paraphrases are asked in: more than most people have. */
const AMONG = 300;

/** The sets of a folder, in the order in which they are printed; `ids` are all skills. */
export function measuredSets(folder: string, ids: readonly string[]): MeasuredFolder {
  const sets = readSets(folder);
  const libraries = new Map<string, readonly string[]>(
    Object.entries({ ...sets.libraries, ...sets.everydayLibraries }),
  );
  const of = (group: string) => [...sets.messages, ...sets.forbidden].filter((m) => m.group === group);
  const asked = (message: EvalMessage, library: string, source = message.source): MeasuredMessage => ({
    query: message.query,
    gold: message.gold,
    not: message.not ?? [],
    source,
    library,
  });
  const overAll = (group: string) => of(group).map((m) => asked(m, ALL));
  const inOwn = (group: string) =>
    of(group)
      .filter(({ source }) => libraries.has(source))
      .map((m) => asked(m, m.source));
  const small = [...libraries.keys()];
  const inEach = (group: string) =>
    small.flatMap((library) => of(group).map((m) => asked(m, library, library)));
  const among = of("paraphrase").map((message) => {
    const library = `${AMONG} random for ${message.id}`;
    libraries.set(library, randomLibrary(message, ids));
    return asked(message, library);
  });
  const found: MeasuredSet[] = [
    { name: "queries in their libraries", messages: inOwn("queries") },
    { name: "queries over all", messages: overAll("queries") },
    { name: "everyday in their libraries", messages: inOwn("everyday") },
    { name: `paraphrase among ${Math.min(AMONG, ids.length)}`, messages: among },
    { name: "paraphrase in their libraries", messages: inOwn("paraphrase") },
    { name: "paraphrase over all", messages: overAll("paraphrase") },
    { name: "foreign in their libraries", messages: inOwn("foreign") },
    { name: "foreign over all", messages: overAll("foreign") },
    { name: "siblings over all", messages: overAll("siblings") },
    { name: "nothing in small libraries", messages: inEach("nothing") },
    { name: "nothing over all", messages: overAll("nothing") },
    { name: "smalltalk in small libraries", messages: inEach("smalltalk") },
    { name: "smalltalk over all", messages: overAll("smalltalk") },
    { name: "mentions in their libraries", messages: inOwn("mentions") },
    { name: "mentions over all", messages: overAll("mentions") },
    { name: "mentions-not in their libraries", messages: inOwn("mentions-not") },
    { name: "mentions-not over all", messages: overAll("mentions-not") },
    { name: "near-miss over all", messages: overAll("near-miss") },
    { name: "negatives in their libraries", messages: inOwn("negatives") },
    { name: "negatives over all", messages: overAll("negatives") },
  ];
  return {
    sets: found.filter(({ messages }) => messages.length > 0),
    libraries,
    duplicates: sets.duplicates,
  };
}

/** The right skills and random others; the same for a message in every run. */
function randomLibrary({ id, gold }: EvalMessage, ids: readonly string[]): string[] {
  const random = seededRandom(hashOf(id));
  const chosen = new Set(gold);
  while (chosen.size < Math.min(AMONG, ids.length)) chosen.add(ids[Math.floor(random() * ids.length)]!);
  return [...chosen];
}

/** Our own set in `evals/own`, one set for each kind of message. */
export function ownSets(folder: string): MeasuredFolder {
  const messages = [
    ...readLines<EvalMessage>(join(folder, "messages.jsonl")),
    ...readLines<EvalMessage>(join(folder, "mentions.jsonl")),
    ...readLines<EvalMessage>(join(folder, "smalltalk.jsonl")).map((m) => ({ ...m, kind: "small-talk" })),
  ];
  const kinds = [...new Set(messages.map(({ kind }) => kind!))];
  const sets = kinds.map((kind) => ({
    name: kind,
    messages: messages
      .filter((m) => m.kind === kind)
      .map(({ query, gold = [], not = [] }) => ({ query, gold, not, source: kind, library: ALL })),
  }));
  return { sets, libraries: new Map(), duplicates: {} };
}
