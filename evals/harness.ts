// Owns running recall's own stages over a set of skills and messages: index, candidates, features, order, score.
// Does not own the numbers (src/recall) nor what is good enough (the files that call it).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { LocalEmbedder } from "../src/embedders/local.ts";
import { encodeEvidence } from "../src/recall/evidence.ts";
import { createProbe, type Probe } from "../src/recall/features.ts";
import { backgroundOfTerms, blendedIdf, clipMessage, readMessage } from "../src/recall/features-message.ts";
import { type Candidate, type Ranked, rank } from "../src/recall/rank.ts";
import { LexicalIndex } from "../src/text/lexical-index.ts";
import { DEFAULT_LEXICAL_PARAMS } from "../src/text/lexical-index-params.ts";
import { bodyFields, bodySections, descriptionClauses } from "../src/text/sections.ts";
import { tokenize } from "../src/text/tokens.ts";
import { cosine, quantize, quantizeOne } from "../src/text/vectors.ts";

export interface EvalSkill {
  id: string;
  name: string;
  description: string;
  triggers: string[];
  body: string;
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
  index: LexicalIndex;
  skills: Map<string, EvalSkill>;
  embedder: LocalEmbedder;
}

const CANDIDATES = { lexical: 80, meaning: 40, sections: 24 } as const;

/** Nats for a name's word that general prose does not know: a product, most often. */
const UNKNOWN_RARITY = 8;

export function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
}

/** Skills as folders below `root`, read leniently: the harness measures recall, not parsing. */
export function readSkills(root: string): EvalSkill[] {
  return readdirSync(root)
    .sort()
    .map((id) => readSkill(id, readFileSync(join(root, id, "SKILL.md"), "utf8")));
}

function readSkill(id: string, text: string): EvalSkill {
  const source = text.replace(/^\ufeff/, "").replace(/\r\n/g, "\n");
  const split = /^\s*---\n([\s\S]*?)\n---\s*(?:\n|$)/.exec(source);
  const body = split ? source.slice(split[0].length) : source;
  const meta = split ? frontMatter(split[1]!) : {};
  const nested = (meta.metadata ?? {}) as Record<string, unknown>;
  const triggers = [meta, nested].flatMap((m) =>
    ["triggers", "tags", "keywords", "when_to_use", "when-to-use"].flatMap((key) => flat(m[key])),
  );
  return {
    id,
    name: flat(meta.name)[0] ?? id.replace(/^.*__/, ""),
    description: flat(meta.description).join("\n") || (body.split(/\n\s*\n/)[0] ?? ""),
    triggers,
    body,
  };
}

function frontMatter(yaml: string): Record<string, unknown> {
  try {
    const value = load(yaml);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch (error) {
    // Broken YAML still has a name and a description; anything else is not looked at here.
    if (!(error instanceof Error)) throw error;
    const line = (key: string) => new RegExp(`^${key}:\\s*(.*)$`, "m").exec(yaml)?.[1] ?? "";
    return { name: line("name"), description: line("description") };
  }
}

function flat(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(flat);
  if (typeof value === "object") return Object.values(value).flatMap(flat);
  return String(value).split("\n").filter(Boolean);
}

export function buildLibrary(skills: readonly EvalSkill[], embedder: LocalEmbedder): EvalLibrary {
  const index = new LexicalIndex({ embedder: embedder.id, dims: embedder.dimensions });
  index.update({
    upsert: skills.map((skill) => {
      const fields = bodyFields(skill.body);
      const { positive } = descriptionClauses(skill.description);
      const known = backgroundOfTerms(skill.name, (word) => embedder.idf(word));
      return {
        key: skill.id,
        digest: skill.id,
        fields: [
          tokenize(skill.name),
          tokenize(`${positive}\n${skill.triggers.join("\n")}`),
          tokenize(fields.headings),
          tokenize(fields.prose),
          tokenize(fields.code),
        ],
        evidence: encodeEvidence(skill, {
          rarity: (term) => known.get(term) ?? UNKNOWN_RARITY,
        }),
        vector: quantizeOne(embedder.embedOne(`${skill.name.replace(/[-_/]/g, " ")}. ${positive}`)),
        sections: quantize(
          bodySections(skill.body)
            .filter((section) => !section.notFor)
            .slice(0, CANDIDATES.sections)
            .map((section) => embedder.embedOne(section.text)),
          embedder.dimensions,
        ),
      };
    }),
  });
  return { index, skills: new Map(skills.map((skill) => [skill.id, skill])), embedder };
}

export interface Prepared {
  probe: Probe;
  candidates: Candidate[];
}

/** What the ranker is given for a message: the message's terms weighed, and the candidates with their evidence. */
export function prepare(library: EvalLibrary, text: string): Prepared {
  const { index, embedder } = library;
  const message = readMessage(text);
  const background = backgroundOfTerms(text, (word) => embedder.idf(word));
  const factors = new Map(message.terms.map((term, i) => [term, message.factors[i]!]));
  const { idfPower } = DEFAULT_LEXICAL_PARAMS;
  const found = index.search(message.terms, {
    limit: CANDIDATES.lexical,
    idf: (term, df, size) =>
      blendedIdf({ df, size, background: background.get(term) }) * (factors.get(term) ?? 1) ** (1 / idfPower),
  });
  const weights = new Map(found.terms.map((t) => [t.term, t.weight]));
  const probe = createProbe({
    message,
    weights: message.terms.map((term) => weights.get(term) ?? 0),
    librarySize: index.size,
  });
  const vector = quantizeOne(embedder.embedOne(clipMessage(text)));
  const lexical = new Map(found.hits.map((hit) => [hit.doc, hit.score]));
  const meaning = new Map(index.nearest(vector, CANDIDATES.meaning).map((hit) => [hit.doc, hit.score]));
  const documents = [...new Set([...lexical.keys(), ...meaning.keys()])];
  const candidates = documents.map((doc) => {
    const sections = index.sectionVectors(doc);
    let sectionMeaning = 0;
    for (let row = 0; row < sections.scales.length; row++) {
      sectionMeaning = Math.max(sectionMeaning, cosine(vector, sections, row));
    }
    return {
      id: doc,
      evidence: index.evidence(doc),
      lexical: lexical.get(doc) ?? 0,
      meaning: meaning.get(doc) ?? meaningOf(library, doc, vector),
      sectionMeaning,
    };
  });
  return { probe, candidates };
}

const vectors = new WeakMap<EvalLibrary, Map<number, ReturnType<typeof quantizeOne>>>();

function meaningOf(library: EvalLibrary, doc: number, vector: ReturnType<typeof quantizeOne>): number {
  let known = vectors.get(library);
  if (known === undefined) {
    known = new Map();
    vectors.set(library, known);
  }
  let own = known.get(doc);
  if (own === undefined) {
    const skill = library.skills.get(library.index.key(doc))!;
    const { positive } = descriptionClauses(skill.description);
    own = quantizeOne(library.embedder.embedOne(`${skill.name.replace(/[-_/]/g, " ")}. ${positive}`));
    known.set(doc, own);
  }
  return cosine(vector, own, 0);
}

export function recallRanked(library: EvalLibrary, text: string): Ranked[] {
  const { probe, candidates } = prepare(library, text);
  return rank(probe, candidates);
}
