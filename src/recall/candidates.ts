// Owns retrieval: from a message to the few dozen skills worth a close look, with what the ranker asks about each.
// Does not own their order (`rank.ts`).

import { DEFAULT_LEXICAL_PARAMS } from "../text/lexical-index-params.ts";
import { cosine, type QuantizedVectors, quantizeOne } from "../text/vectors.ts";
import { createProbe, type Probe } from "./features.ts";
import { type BackgroundIdf, backgroundOfTerms, blendedIdf, readMessage } from "./features-message.ts";
import type { Candidate } from "./rank.ts";
import type { RecallIndex } from "./recall-index.ts";

export const CANDIDATES = {
  /** By words: Recall@80 is what Recall@200 is, to a tenth of a point. */
  lexical: 80,
  /** By meaning: messages that share no word with their skill find it here. */
  meaning: 40,
} as const;

export interface Retrieval {
  readonly probe: Probe;
  readonly candidates: readonly Candidate[];
}

export interface RetrievalInput {
  readonly index: RecallIndex;
  readonly message: string;
  /** The message's meaning; undefined without an embedder. */
  readonly vector: Float32Array | undefined;
  readonly background: BackgroundIdf;
  /** Skills that must be looked at whatever their text says. */
  readonly also: readonly number[];
  readonly allowed?: (doc: number) => boolean;
}

export function retrieve(input: RetrievalInput): Retrieval {
  const { index, allowed } = input;
  const message = readMessage(input.message);
  const background = backgroundOfTerms(input.message, input.background);
  const factors = new Map(message.terms.map((term, i) => [term, message.factors[i]!]));
  const found = index.text.search(message.terms, {
    limit: CANDIDATES.lexical,
    idf: (term, df, size) =>
      blendedIdf({ df, size, background: background.get(term) }) *
      (factors.get(term) ?? 1) ** (1 / DEFAULT_LEXICAL_PARAMS.idfPower),
    ...(allowed && { allowed }),
  });
  const weights = new Map(found.terms.map(({ term, weight }) => [term, weight]));
  const probe = createProbe({
    message,
    weights: message.terms.map((term) => weights.get(term) ?? 0),
    librarySize: index.text.size,
  });
  const vector = input.vector && quantizeOne(input.vector);
  const near = vector ? index.text.nearest(vector, CANDIDATES.meaning, allowed) : [];
  const lexical = new Map(found.hits.map(({ doc, score }) => [doc, score]));
  const also = allowed ? input.also.filter(allowed) : input.also;
  const docs = new Set([...lexical.keys(), ...near.map(({ doc }) => doc), ...also]);
  const candidates = [...docs].map((doc) => ({
    id: doc,
    evidence: index.evidence(doc),
    lexical: lexical.get(doc) ?? 0,
    meaning: vector ? index.text.closeness(vector, doc) : 0,
    sectionMeaning: vector ? closestSection(vector, index.text.sectionVectors(doc)) : 0,
  }));
  return { probe, candidates };
}

function closestSection(vector: QuantizedVectors, sections: QuantizedVectors): number {
  let closest = 0;
  for (let row = 0; row < sections.scales.length; row++)
    closest = Math.max(closest, cosine(vector, sections, row));
  return closest;
}
