/**
 * Owns the embedder that knows nothing: recall then rests on words alone. Does not read any file.
 */
import type { Embedder } from "../recall/recall.ts";

export function createNoEmbedder(): Embedder {
  return { id: "none", dimensions: 0, embed: (texts) => texts.map(() => new Float32Array(0)) };
}
