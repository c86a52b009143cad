// Owns the stack of segments over time: adding, burying, and merging before there are too many or too many dead.
// Functions from one stack to the next; nothing here changes a segment.

import { type IndexDocument, SegmentBuilder } from "./lexical-index-build.ts";
import { LiveSegment } from "./lexical-index-live.ts";
import { mergeSegments } from "./lexical-index-merge.ts";
import type { LexicalParams } from "./lexical-index-params.ts";
import { SEGMENT_DOCUMENTS } from "./lexical-index-segment.ts";

const UPKEEP = {
  /** Two neighbours are merged unless the elder is this much larger: few segments, each document copied rarely. */
  sizeRatio: 8,
  /** A segment is rewritten when this share of it is dead, */
  deadShare: 1 / 8,
  /** but not for a handful. */
  deadMinimum: 256,
} as const;

export type Stack = readonly LiveSegment[];

export function buildStack(documents: Iterable<IndexDocument>, params: LexicalParams, dims: number): Stack {
  let stack: Stack = [];
  let builder = new SegmentBuilder(params, dims);
  for (const document of documents) {
    builder.add(document);
    if (!builder.full) continue;
    stack = stacked(stack, new LiveSegment(builder.finish()));
    builder = new SegmentBuilder(params, dims);
  }
  return builder.empty ? stack : stacked(stack, new LiveSegment(builder.finish()));
}

/** The newer segment's documents replace those of the same key below it. */
function stacked(stack: Stack, newer: LiveSegment): Stack {
  return [...withoutKeys(stack, keysOf(newer)), newer];
}

function keysOf({ segment }: LiveSegment): Set<string> {
  return new Set(Array.from({ length: segment.shape.documents }, (_, doc) => segment.key(doc)));
}

export function withoutKeys(stack: Stack, keys: ReadonlySet<string>): Stack {
  if (keys.size === 0) return stack;
  return stack.map((live) => {
    const docs = [...keys].map((key) => live.find(key)).filter((doc) => doc !== undefined);
    return live.without(docs);
  });
}

export function changed(stack: Stack, added: Stack, dims: number): Stack {
  const all = added.reduce(stacked, stack).filter((s) => s.size > 0);
  return mergeYoungest(
    all.map((s) => (isWorn(s) ? merged([s], dims) : s)),
    dims,
  );
}

/** As few segments as the documents need, none of them dead. */
export function compacted(stack: Stack, dims: number): Stack {
  const size = stack.reduce((sum, s) => sum + s.size, 0);
  if (stack.length > 1 && size <= SEGMENT_DOCUMENTS) return [merged(stack, dims)];
  return stack.map((s) => (s.deadDocs.length > 0 ? merged([s], dims) : s));
}

function isWorn({ deadDocs, segment }: LiveSegment): boolean {
  return deadDocs.length > Math.max(UPKEEP.deadMinimum, segment.shape.documents * UPKEEP.deadShare);
}

function mergeYoungest(stack: Stack, dims: number): Stack {
  const [elder, younger] = stack.slice(-2);
  if (elder === undefined || younger === undefined) return stack;
  const together = elder.size + younger.size;
  if (elder.size >= younger.size * UPKEEP.sizeRatio || together > SEGMENT_DOCUMENTS) return stack;
  return mergeYoungest([...stack.slice(0, -2), merged([elder, younger], dims)], dims);
}

function merged(sources: Stack, dims: number): LiveSegment {
  return new LiveSegment(mergeSegments(sources, dims));
}
