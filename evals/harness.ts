// Runs recall's stages up to the candidates of a message, without the engine, for the programs that fit weights.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openEncoder } from "../src/embedders/embedders.ts";
import type { LocalEmbedder } from "../src/embedders/local.ts";
import type { Skill } from "../src/model/skill.ts";
import { parseSkill } from "../src/parse/parse.ts";
import { CANDIDATES, type Retrieval, retrieve } from "../src/recall/candidates.ts";
import { Encoding } from "../src/recall/encoding.ts";
import { Glossary } from "../src/recall/glossary.ts";
import { leadText } from "../src/recall/lead.ts";
import { RecallIndex } from "../src/recall/recall-index.ts";
import { createTopics } from "../src/recall/topics.ts";

export interface EvalSkill {
  readonly skill: Skill;
  readonly body: string;
}

export interface EvalMessage {
  id: string;
  query: string;
  gold: string[];
  source: string;
  not?: string[];
  kind?: string;
}

export interface EvalLibrary {
  readonly index: RecallIndex;
  readonly embedder: LocalEmbedder;
  /** What the trained encoder says of a message; absent without it. */
  readonly encoding?: Encoding | undefined;
}

export function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
}

/** Skills as folders below `root`; what cannot be read as a skill is left out, as the engine does. */
export function readSkills(root: string): EvalSkill[] {
  return readdirSync(root)
    .sort()
    .map((id) => readSkill(id, readFileSync(join(root, id, "SKILL.md"), "utf8")))
    .filter((skill) => skill !== undefined);
}

/** The skills that ship with Repertoire; their source is "bundled". */
export function bundledSkills(): EvalSkill[] {
  const root = join(process.cwd(), "skills");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "SKILL.md")
    .sort()
    .flatMap((path) => readSkill(`bundled/${dirname(path)}`, readFileSync(join(root, path), "utf8")) ?? [])
    .map(({ skill, body }) => ({ skill: { ...skill, source: "bundled" }, body }));
}

/** The identity is the name of the folder, which messages use. */
function readSkill(id: string, text: string): EvalSkill | undefined {
  const path = `${id}/SKILL.md`;
  const parsed = parseSkill(text, path).skill;
  if (parsed === undefined) return undefined;
  const { manifest, body } = parsed;
  const displayName = manifest.declaredName ?? id;
  return {
    skill: { name: id, displayName, manifest, source: "eval", path, directory: id, digest: digestOf(text) },
    body,
  };
}

/** The trained encoder for `skills`, which are encoded now; their vectors are kept in the folder `cache`. */
export async function encodeSkills(skills: readonly EvalSkill[], cache: string): Promise<Encoding> {
  mkdirSync(cache, { recursive: true });
  const bodies = new Map(skills.map(({ skill, body }) => [skill.name, body]));
  const encoding = new Encoding({
    encoder: () => openEncoder(join(process.cwd(), "data/encoder")),
    cacheDir: cache,
    body: ({ name }) => bodies.get(name)!,
  });
  await encoding.encode(
    skills.map(({ skill }) => skill),
    {
      onProgress: (done, total) => {
        if (done % 512 < 8 || done === total) console.error(`encoded ${done}/${total}`);
      },
    },
  );
  return encoding;
}

/** As the engine makes it, so that a cache of vectors serves both. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export async function buildLibrary(
  skills: readonly EvalSkill[],
  embedder: LocalEmbedder,
  encoding?: Encoding | undefined,
): Promise<EvalLibrary> {
  const index = RecallIndex.empty({ embedder, background: embedder.idf });
  const bodies = new Map(skills.map(({ skill, body }) => [skill.name, body]));
  await index.update({
    skills: skills.map(({ skill }) => skill),
    readBody: ({ name }) => bodies.get(name)!,
  });
  return { index, embedder, encoding };
}

/** What the ranker is given for a message: the message's terms weighed, and the candidates with their evidence. */
export async function prepare(
  { index, embedder, encoding }: EvalLibrary,
  message: string,
  close: number = CANDIDATES.close,
): Promise<Retrieval> {
  const english = glossary.toEnglish(message);
  const vector = embedder.embedOne(leadText(english.text));
  const encoded = await encoding?.of(index, english);
  return retrieve({
    index,
    message: english,
    vector,
    encoded,
    background: embedder.idf,
    topics,
    also: [],
    close,
  });
}

export const tablePath = join(process.cwd(), "data/embedding/table.bin");
const topics = createTopics(() => readFileSync(join(process.cwd(), "data/intent/topics.bin")));
export const glossary = new Glossary(join(process.cwd(), "data/glossary"));

export const nameOf = ({ index }: EvalLibrary, doc: number): string => index.text.key(doc);
