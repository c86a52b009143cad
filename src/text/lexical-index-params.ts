// Owns the numbers of the lexical index and the formula from a document's words to one byte of impact.
// Does not own how text becomes words, nor how impacts are stored or searched.

export interface FieldParams {
  /** How much one occurrence here counts. */
  weight: number;
  /** How far a long field dilutes its words: 0 not at all, 1 fully. */
  b: number;
  /**
   * The length at which a field is neither diluted nor boosted. A constant, not the library's own average: a
   * document's impact then depends on that document alone, so an update never touches another document, and
   * a library of twelve skills scores like one of twelve thousand.
   */
  typicalLength: number;
}

export interface LexicalParams {
  fields: readonly FieldParams[];
  /** Saturation: the weighted frequency at which a term reaches half of its worth. */
  k1: number;
}

/** Number of each field in `IndexDocument.fields`. */
export const FIELD = { name: 0, description: 1, headings: 2, text: 3, code: 4 } as const;

/**
 * Weights, b and k1 are those that placed the right skill first most often over several thousand public
 * skills. Typical lengths are rounded from the same skills, in terms; half or twice as much moves a point at most.
 */
export const DEFAULT_LEXICAL_PARAMS: LexicalParams = {
  fields: [
    { weight: 18, b: 0.3, typicalLength: 4 },
    { weight: 8, b: 0.3, typicalLength: 30 },
    { weight: 2, b: 0.6, typicalLength: 50 },
    { weight: 1, b: 0.6, typicalLength: 500 },
    { weight: 0.5, b: 0.8, typicalLength: 250 },
  ],
  k1: 3,
};

/** The highest impact: a term that fills its document. */
export const FULL_IMPACT = 255;

/** What one occurrence in this field adds to a term's weighted frequency. */
export function occurrenceWeight(field: FieldParams, length: number): number {
  return field.weight / (1 - field.b + (field.b * length) / field.typicalLength);
}

/** BM25F's one saturation over all fields, as a byte. A term that occurs never rounds down to nothing. */
export function impactOf(weightedFrequency: number, k1: number): number {
  const saturated = weightedFrequency / (k1 + weightedFrequency);
  return Math.max(1, Math.min(FULL_IMPACT, Math.round(saturated * FULL_IMPACT)));
}

/** Never negative, and still telling when a term stands in every document. */
export function inverseDocumentFrequency(df: number, size: number): number {
  return Math.log(1 + (size - df + 0.5) / (df + 0.5));
}

/** Two indexes with the same fingerprint hold the same impacts for the same documents. */
export function fingerprint(params: LexicalParams): string {
  const fields = params.fields.map((f) => `${f.weight},${f.b},${f.typicalLength}`);
  return `${fields.join(";")}|${params.k1}`;
}
