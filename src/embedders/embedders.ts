/**
 * Owns the choice among embedders: the front door of this folder. Does not read configuration.
 */
import { fileURLToPath } from "node:url";
import { RepertoireError } from "../model/errors.ts";
import type { Embedder } from "../recall/recall.ts";
import { createLocalEmbedder } from "./local.ts";
import type { MinilmOptions } from "./minilm.ts";
import { createNoEmbedder } from "./none.ts";
import type { RemoteOptions } from "./openai-compatible.ts";

export const EMBEDDER_KINDS = ["local", "minilm", "openai-compatible", "none"] as const;
export type EmbedderKind = (typeof EMBEDDER_KINDS)[number];

export interface EmbedderOptions extends MinilmOptions {
  /** The package's own table when absent. */
  tablePath?: string;
  remote?: Omit<RemoteOptions, "fallback" | "warning">;
  warning?: (message: string) => void;
}

/** Where the package keeps its table, seen from this file or from a bundle one folder below the root. */
export function bundledTablePath(from: string = import.meta.url): string {
  const depth = /\/src\/embedders\/[^/]*$/.test(from) ? "../../" : "../";
  return fileURLToPath(new URL(`${depth}data/embedding/table.bin`, from));
}

export async function openEmbedder(kind: EmbedderKind, options: EmbedderOptions = {}): Promise<Embedder> {
  const local = () => createLocalEmbedder({ tablePath: options.tablePath ?? bundledTablePath() });
  switch (kind) {
    case "local":
      return local();
    case "none":
      return createNoEmbedder();
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
        `"${kind}" is no embedder. Choose one of: ${EMBEDDER_KINDS.join(", ")}.`,
        kind,
      );
  }
}
export { createLocalEmbedder } from "./local.ts";
