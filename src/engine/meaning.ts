// Opens the configured embedder, and the background rarities that recall needs with every embedder.

import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { createLocalEmbedder, openEmbedder } from "../embedders/embedders.ts";

import type { BackgroundIdf, Embedder, IndexSettings } from "../recall/recall.ts";
import { packageRoot } from "./package-root.ts";

export async function openMeaning(
  { embedder, cacheDir }: Config,
  given?: Embedder | undefined,
): Promise<IndexSettings> {
  const tablePath = join(packageRoot(), "data", "embedding", "table.bin");
  const local = createLocalEmbedder({ tablePath });
  const background: BackgroundIdf = (word) => local.idf(word);
  if (given) return { embedder: given, background };
  if (embedder.kind === "local") return { embedder: local, background };
  const { endpoint, model, dimensions, apiKeyEnv } = embedder;
  const apiKey = apiKeyEnv === undefined ? undefined : process.env[apiKeyEnv];
  const remote =
    endpoint !== undefined && model !== undefined && dimensions !== undefined
      ? {
          endpoint,
          model,
          dimensions,
          ...(apiKey !== undefined && { apiKey }),
          ...(cacheDir !== undefined && { cacheFolder: cacheDir }),
        }
      : undefined;
  return {
    embedder: await openEmbedder(embedder.kind, { tablePath, ...(remote && { remote }) }),
    background,
  };
}
