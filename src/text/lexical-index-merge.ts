// Owns making one segment of several, leaving the removed documents behind.
// Works on stored postings alone: no text is needed. The result equals a fresh build of the same documents.

import { compareKeys, layOutDocuments, type StoredDocument } from "./lexical-index-build.ts";
import type { LiveSegment } from "./lexical-index-live.ts";
import { PostingsWriter } from "./lexical-index-postings.ts";
import { RECORD, Segment } from "./lexical-index-segment.ts";
import { compareHashes, type TermEntry, type TermHash } from "./lexical-index-terms.ts";

const GONE = -1;

interface Placed {
  live: LiveSegment;
  /** Each document's number in the merged segment, or GONE. */
  places: Int32Array;
}

interface MergedTerm {
  hash: TermHash;
  /** Document number times 256 plus impact, ascending. */
  postings: Uint32Array;
}

export function mergeSegments(sources: readonly LiveSegment[], dims: number): Segment {
  for (const { segment } of sources) segment.load();
  const placed = sources.map((live) => {
    const { values, scales } = live.segment.vectors();
    return { live, vectors: values, scales, places: new Int32Array(live.segment.shape.documents).fill(GONE) };
  });
  const origins = placed
    .flatMap((p) => Array.from(p.places.keys(), (doc) => ({ ...p, doc, key: p.live.segment.key(doc) })))
    .filter(({ live, doc }) => live.alive(doc))
    .sort((a, b) => compareKeys(a.key, b.key));
  origins.forEach(({ places, doc }, place) => {
    places[doc] = place;
  });
  const documents = origins.map(({ live, vectors, scales, doc }) => ({
    ...stored(live.segment, doc),
    vector: vectors.subarray(doc * dims, (doc + 1) * dims),
    scale: scales[doc]!,
  }));
  const terms: MergedTerm[] = [];
  for (const group of groupedByTerm(placed)) {
    const postings = mergePostings(group);
    if (postings.length > 0) terms.push({ hash: group[0]!.entry, postings });
  }
  const writer = new PostingsWriter(
    terms.length,
    terms.map(({ postings }) => postings.length),
  );
  for (const { hash, postings } of terms) writer.push(hash, postings);
  return new Segment(
    { documents: documents.length, terms: terms.length, dims },
    { ...writer.finish(), ...layOutDocuments(documents, dims) },
  );
}

function stored(segment: Segment, doc: number): Omit<StoredDocument, "vector" | "scale"> {
  const record = segment.record(doc);
  return {
    key: segment.key(doc),
    digest: segment.digest(doc),
    flags: record[RECORD.flags]!,
    evidenceLength: record[RECORD.evidenceLength]!,
    sectionCount: record[RECORD.sectionCount]!,
    blob: segment.rawBlob(doc),
  };
}

type TermGroup = { source: Placed; entry: TermEntry }[];

/** Walks all term tables side by side: each step gives the sources that hold the next term. */
function* groupedByTerm(sources: readonly Placed[]): Generator<TermGroup> {
  const walks = sources.map((source) => ({ source, entries: source.live.segment.entries() }));
  const heads = walks.map(({ entries }) => entries.next().value as TermEntry | undefined);
  for (;;) {
    let lowest: TermEntry | undefined;
    for (const head of heads) {
      if (head !== undefined && (lowest === undefined || compareHashes(head, lowest) < 0)) lowest = head;
    }
    if (lowest === undefined) return;
    const group: TermGroup = [];
    for (const [i, { source, entries }] of walks.entries()) {
      const head = heads[i];
      if (head === undefined || compareHashes(head, lowest) !== 0) continue;
      group.push({ source, entry: head });
      heads[i] = entries.next().value as TermEntry | undefined;
    }
    yield group;
  }
}

function mergePostings(group: TermGroup): Uint32Array {
  const all = new Uint32Array(group.reduce((sum, { entry }) => sum + entry.count, 0));
  let count = 0;
  for (const { source, entry } of group) {
    const list = source.live.segment.postings(entry);
    for (let i = 0; i < list.count; i++) {
      const place = source.places[list.docs[list.docsAt + i]!]!;
      if (place !== GONE) all[count++] = place * 256 + list.impacts[list.impactsAt + i]!;
    }
  }
  const postings = all.subarray(0, count);
  // One source keeps its order, since both its numbers and the merged ones follow the keys.
  return group.length > 1 ? postings.sort() : postings;
}
