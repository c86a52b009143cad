// Reads the evaluation sets of a folder and says which messages are asked in which library.
//
// The folder has `queries.jsonl` with `libraries.json`, `everyday.jsonl` with `everyday-libraries.json`, and optionally
// `paraphrase`, `foreign`, `siblings`, `mentions`, `mentions-not`, `nothing`, `smalltalk`, `near-miss` and `negatives` as JSON lines, `duplicates.json`.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Skill } from "../src/model/skill.ts";
import { bundledSkills, type EvalMessage, type EvalSkill, readLines, readSkills } from "./harness.ts";
import type { IntentMessage } from "./intent-model.ts";

export interface SetMessage extends EvalMessage {
  /** The file that the message is from. */
  readonly group: string;
}

export interface Sets {
  readonly messages: readonly SetMessage[];
  /** Messages that must not recall the skills in `not`. */
  readonly forbidden: readonly SetMessage[];
  readonly duplicates: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, readonly string[]>>;
  readonly everydayLibraries: Readonly<Record<string, readonly string[]>>;
}

const GROUPS = [
  "queries",
  "everyday",
  "paraphrase",
  "foreign",
  "siblings",
  "mentions",
  "nothing",
  "smalltalk",
] as const;
const FORBIDDEN = ["mentions-not", "near-miss", "negatives"] as const;

export function readSets(folder: string): Sets {
  const json = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  };
  const read = (group: string): SetMessage[] => {
    const path = join(folder, `${group}.jsonl`);
    if (!existsSync(path)) return [];
    return readLines<EvalMessage>(path).map((m) => ({
      ...m,
      gold: m.gold ?? [],
      source: m.source ?? group,
      group,
    }));
  };
  return {
    messages: GROUPS.flatMap(read),
    forbidden: FORBIDDEN.flatMap(read).filter(({ not = [] }) => not.length > 0),
    duplicates: json("duplicates.json"),
    libraries: json("libraries.json"),
    everydayLibraries: json("everyday-libraries.json"),
  };
}

export interface FittingLibrary {
  readonly name: string;
  readonly family: "everyday" | "small" | "all";
  readonly skills: readonly EvalSkill[];
}

/** The libraries whose messages are in the sets, each with the skills that ship with Repertoire, then all skills together. */
export function fittingLibraries(
  { messages, libraries, everydayLibraries }: Sets,
  skillsRoot: string,
): FittingLibrary[] {
  const skills = readSkills(skillsRoot);
  const byId = new Map(skills.map((one) => [one.skill.name, one]));
  const bundled = bundledSkills();
  const sources = new Set(messages.map(({ source }) => source));
  const small = (family: "everyday" | "small", table: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(table)
      .filter(([name]) => sources.has(name))
      .map(([name, ids]) => ({
        name,
        family,
        skills: [...ids.flatMap((id) => byId.get(id) ?? []), ...bundled],
      }));
  return [
    ...small("everyday", everydayLibraries),
    ...small("small", libraries),
    { name: "all", family: "all", skills: [...skills, ...bundled] },
  ];
}

/** A message asked in a library. */
export interface Asked {
  readonly message: SetMessage;
  readonly library: string;
  readonly family: FittingLibrary["family"];
  /** Its own, one that needs nothing, one of another library, one that no library serves, one with forbidden skills. */
  readonly kind: "own" | "none" | "other" | "talk" | "not";
}

/** Of the messages of other libraries, and of intents, every so many is enough. */
const EVERY = { everyday: 3, queries: 12, intent: 4, requests: 3 } as const;
/** Of those of other libraries, and of those that need nothing, at most so many are asked in a library, evenly drawn. */
const MOST_OTHERS = 150;
const thinned = <T>(list: readonly T[]): T[] =>
  list.filter((_, i) => i % Math.ceil(list.length / MOST_OTHERS) === 0);

/** What a person in a hurry types: the name in words, or the first words of the description. */
function shortRequests({ name, displayName, manifest }: Skill): SetMessage[] {
  const texts = [
    displayName.replace(/[-_/:]/g, " "),
    manifest.description.split(/\s+/).slice(0, 3).join(" "),
  ];
  return texts.map((query) => ({ id: query, query, gold: [name], source: "requests", group: "requests" }));
}

/** Tasks about software of any kind fit any library a little. */
const GENERAL = "swe-skills-bench";

/** Authors of this source forbid skills for messages that ask for just what those skills do. */
const CONTRADICTS = "dotnet-evals";

export function askedIn(
  { messages, forbidden }: Sets,
  library: FittingLibrary,
  talk: readonly IntentMessage[],
): Asked[] {
  const { name, family } = library;
  const ids = new Set(library.skills.map(({ skill }) => skill.name));
  const inLibrary = (kind: Asked["kind"]) => (message: SetMessage) => ({
    message,
    library: name,
    family,
    kind,
  });
  const not = forbidden
    .filter(({ source }) => source !== CONTRADICTS && (family === "all" || source === name))
    .map(inLibrary("not"));
  const isTalk = ({ group }: SetMessage) => group === "nothing" || group === "smalltalk";
  const chats = [
    ...messages.filter(isTalk).map((m) => ({ ...m, source: "nothing" })),
    ...talk
      .filter(({ intent }) => intent !== "work")
      .filter((_, i) => i % EVERY.intent === name.length % EVERY.intent)
      .map(({ text, intent }) => ({
        id: text,
        query: text,
        gold: [],
        source: `intent-${intent}`,
        group: "intent",
      })),
  ].map(inLibrary("talk"));
  if (family === "all") {
    const own = messages.filter(
      ({ gold, group }) => gold.length > 0 && group !== "everyday" && group !== "mentions",
    );
    return [...own.map(inLibrary("own")), ...not, ...chats];
  }
  // A name that is called does not need the score.
  const own = messages.filter(({ source, group }) => source === name && group !== "mentions");
  const others = (group: string, every: number) =>
    messages
      .filter((m) => m.group === group && m.source !== name && m.source !== GENERAL && m.gold.length > 0)
      .filter(
        ({ gold, source }) => !gold.some((id) => ids.has(id)) && source.slice(0, 6) !== name.slice(0, 6),
      )
      .filter((_, i) => i % every === 0);
  const other = [
    ...(family === "everyday"
      ? messages
          .filter((m) => m.group === "everyday" && m.source !== name && m.gold.length > 0)
          .filter(({ gold }) => !gold.some((id) => ids.has(id)))
          .filter((_, i) => i % EVERY.everyday === 0)
      : []),
    ...others("queries", EVERY.queries),
  ];
  const requests = library.skills
    .filter(({ skill }, i) => skill.source !== "bundled" && i % EVERY.requests === 0)
    .flatMap(({ skill }) => shortRequests(skill));
  return [
    ...requests.map(inLibrary("own")),
    ...own.filter(({ gold }) => gold.length > 0).map(inLibrary("own")),
    ...own.filter(({ gold }) => gold.length === 0).map(inLibrary("none")),
    ...thinned(other).map(inLibrary("other")),
    ...not,
    ...thinned(chats),
  ];
}
