// The front door of embedders: opens the embedder of a given kind.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import type { Embedder, SkillEncoder } from "../recall/recall.ts";
import { createLocalEmbedder } from "./local.ts";
import type { MinilmOptions } from "./minilm.ts";
import type { RemoteOptions } from "./openai-compatible.ts";

const EMBEDDER_KINDS = ["local", "minilm", "openai-compatible", "none"] as const;
export type EmbedderKind = (typeof EMBEDDER_KINDS)[number];

interface EmbedderOptions extends MinilmOptions {
  /** The table of the package by default. */
  tablePath?: string | undefined;
  remote?: Omit<RemoteOptions, "fallback" | "warning"> | undefined;
  warning?: ((message: string) => void) | undefined;
}

/** The path of the package's table, from this file or from a bundle one folder below the root. */
export function bundledTablePath(from: string = import.meta.filename): string {
  const folder = dirname(from);
  const depth = basename(folder) === "embedders" ? "../.." : "..";
  return join(folder, depth, "data", "embedding", "table.bin");
}

/**
 * Opens an embedder; packages and endpoints are loaded only for the kinds that need them.
 *
 * @example const embedder = await openEmbedder("local");
 */
export async function openEmbedder(kind: EmbedderKind, options: EmbedderOptions = {}): Promise<Embedder> {
  const local = () => createLocalEmbedder({ tablePath: options.tablePath ?? bundledTablePath() });
  switch (kind) {
    case "local":
      return local();
    case "none":
      // Recall then uses words only.
      return { id: "none", dimensions: 0, embed: (texts) => texts.map(() => new Float32Array(0)) };
    case "minilm":
      return (await import("./minilm.ts")).createMinilmEmbedder(options);
    case "openai-compatible":
      if (!options.remote) {
        throw new RepertoireError(
          "embedder-endpoint-missing",
          'The embedder "openai-compatible" needs an endpoint, a model and its dimensions. Set them, or choose "local".',
        );
      }
      return (await import("./openai-compatible.ts")).createRemoteEmbedder({
        ...options.remote,
        fallback: local(),
        warning:
          options.warning ?? ((message) => process.emitWarning(message, { code: "embedder-fallback" })),
      });
    default:
      throw new RepertoireError(
        "embedder-unknown",
        `Unknown embedder "${kind}". Choose one of: ${EMBEDDER_KINDS.join(", ")}.`,
        kind,
      );
  }
}

/**
 * Opens the trained encoder of a folder; undefined if the folder has none. The weights, some 23 MB, are read by the first
 * text.
 *
 * @example const encoder = await openEncoder(join(packageRoot, "data", "encoder"));
 */
export async function openEncoder(folder: string): Promise<SkillEncoder | undefined> {
  if (!existsSync(join(folder, "encoder.bin"))) return undefined;
  const [{ createEncoder }, { encoderDocument }] = await Promise.all([
    import("./encoder/encoder.ts"),
    import("./encoder/skill-text.ts"),
  ]);
  const encoder = await createEncoder({ folder });
  return {
    id: encoder.id,
    dimensions: encoder.dimensions,
    embedMessage: async (text) => (await encoder.embed([text]))[0]!,
    embedSkills: (skills) => encoder.embedDocuments(skills.map(encoderDocument)),
  };
}

export { createLocalEmbedder } from "./local.ts";
