// Owns the interfaces behind which the engine's outside stands. Does not own any implementation:
// `embedders/` and `stores/` do. A port appears here when its first implementation does.

/** Turns texts into unit vectors; a row is all zero when nothing is known about the text. */
export interface Embedder {
  /** Names the model and its version; vectors of different ids are never compared. */
  readonly id: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Float32Array[] | Promise<Float32Array[]>;
}

/** The time, passed in so that tests can set it. */
export interface Clock {
  now(): Date;
}
