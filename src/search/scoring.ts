// BM25F: the field weights, and the formula from a document's terms to one byte of impact per term.

interface FieldParams {
  /** How much one occurrence in this field counts. */
  weight: number;
  /** How far a long field dilutes its terms: 0 not at all, 1 fully. */
  b: number;
  /**
   * The length at which a field is neither diluted nor boosted. It is a constant instead of the library's average: a
   * document's impacts then depend on that document alone, so an update never touches another document, and a library
   * of twelve documents scores like one of twelve thousand.
   */
  typicalLength: number;
}

export interface ScoringParams {
  fields: readonly FieldParams[];
  /** Saturation: the weighted frequency at which a term reaches half of its impact. */
  k1: number;
}

/**
 * Fields: name, description, headings, text, code, example messages. Weights, b and k1 placed the right skill first most often over
 * several thousand public skills. Typical lengths are rounded from the same skills, in terms; half or twice as much
 * moves the result by a point at most.
 */
export const DEFAULT_PARAMS: ScoringParams = {
  fields: [
    { weight: 18, b: 0.3, typicalLength: 4 },
    { weight: 8, b: 0.3, typicalLength: 30 },
    { weight: 2, b: 0.6, typicalLength: 50 },
    { weight: 1, b: 0.6, typicalLength: 500 },
    { weight: 0.5, b: 0.8, typicalLength: 250 },
    // Half of the description's weight: a model's guess of what people say. Twice as much gives the same figures.
    { weight: 4, b: 0.3, typicalLength: 80 },
  ],
  k1: 3,
};

/** The highest impact: a term that fills its document. */
export const FULL_IMPACT = 255;

/** What one occurrence in a field of `length` terms adds to a term's weighted frequency. */
export function occurrenceWeight(field: FieldParams, length: number): number {
  return field.weight / (1 - field.b + (field.b * length) / field.typicalLength);
}

/** The saturated frequency as a byte, at least 1: a term that occurs never rounds down to 0. */
export function impactOf(weightedFrequency: number, k1: number): number {
  const saturated = weightedFrequency / (k1 + weightedFrequency);
  return Math.max(1, Math.min(FULL_IMPACT, Math.round(saturated * FULL_IMPACT)));
}

/** Never negative, and above 0 even for a term that is in every document. */
export function inverseDocumentFrequency(df: number, size: number): number {
  return Math.log(1 + (size - df + 0.5) / (df + 0.5));
}

/** Two indexes with the same fingerprint hold the same impacts for the same documents. */
export function fingerprint(params: ScoringParams): string {
  const fields = params.fields.map((f) => `${f.weight},${f.b},${f.typicalLength}`);
  return `${fields.join(";")}|${params.k1}`;
}
