// The embedder without vectors: recall then uses words only.

import type { Embedder } from "../recall/recall.ts";

export function createNoEmbedder(): Embedder {
  return { id: "none", dimensions: 0, embed: (texts) => texts.map(() => new Float32Array(0)) };
}
