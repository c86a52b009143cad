// The port behind which texts become vectors.

/** Turns texts into unit vectors; a row is all zero when nothing is known about the text. */
export interface Embedder {
  /** Names the model and its version; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Float32Array[] | Promise<Float32Array[]>;
}
