// Opens the configured embedder, and the background rarities that recall needs with every embedder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { createLocalEmbedder, openEmbedder, openEncoder } from "../embedders/embedders.ts";

import {
  createIntentModel,
  createTopics,
  Glossary,
  type IndexSettings,
  type IntentWeights,
} from "../recall/recall.ts";
import type { OpenOptions } from "./options.ts";
import { packageRoot } from "./package-root.ts";

export async function openMeaning(
  config: Config,
  options: Pick<OpenOptions, "embedder" | "encoder">,
): Promise<IndexSettings> {
  const { embedder, cacheDir, recall } = config;
  const { embedder: given } = options;
  const tablePath = join(packageRoot(), "data", "embedding", "table.bin");
  const local = createLocalEmbedder({ tablePath });
  const encoderFolder = join(packageRoot(), "data", "encoder");
  const understanding = {
    background: (word: string) => local.idf(word),
    glossary: new Glossary(join(packageRoot(), "data", "glossary")),
    intent: createIntentModel(intentWeights(), (text) => local.embedOne(text)),
    encoder:
      recall.encoder === "off" || options.encoder === "off" ? undefined : () => openEncoder(encoderFolder),
  };
  if (given) return { embedder: given, ...understanding };
  if (embedder.kind === "local")
    return {
      embedder: local,
      topics: createTopics(() => dataFile("intent", "topics.bin")),
      ...understanding,
    };
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
    ...understanding,
  };
}

function intentWeights(): IntentWeights {
  return JSON.parse(dataFile("intent", "weights.json").toString()) as IntentWeights;
}

function dataFile(...path: string[]): Buffer {
  return readFileSync(join(packageRoot(), "data", ...path));
}
