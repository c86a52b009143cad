// Owns finding the documents of one segment that are closest to a vector, by cosine, exactly.
// Does not own the products (vectors.ts), nor putting segments together.

import type { LiveSegment } from "./lexical-index-live.ts";
import { type Ranked, ranking } from "./lexical-index-search.ts";
import { Top } from "./lexical-index-top.ts";
import type { QuantizedVectors } from "./vectors.ts";

/** Cosines are compared as integers, to the ninth digit. */
const NEAR_UNITS = 1e9;

export interface NearOptions {
  limit: number;
  /** The segment's number, for the result. */
  segment: number;
}

/** Best first; scores are for `cosineOf`. */
export function nearestIn(live: LiveSegment, query: QuantizedVectors, options: NearOptions): Ranked[] {
  const { limit, segment } = options;
  const matrix = live.segment.vectors();
  const dots = matrix.dots(query.values);
  matrix.answered = query.values;
  const factor = query.scales[0]! * NEAR_UNITS;
  const top = new Top(limit);
  for (let doc = 0; doc < dots.length; doc++) {
    const scaled = dots[doc]! * matrix.scales[doc]! * factor;
    // The cheap question first: nearly every document ends here.
    if (scaled + NEAR_UNITS < top.floor) continue;
    const units = Math.round(scaled) + NEAR_UNITS;
    if (units <= top.floor || matrix.scales[doc] === 0 || !live.alive(doc)) continue;
    top.offer(units, doc);
  }
  return ranking(top, segment);
}

export function cosineOf(score: number): number {
  return (score - NEAR_UNITS) / NEAR_UNITS;
}
