// Owns which model the chat talks to: the configured one, or another of the same server.

import type { Repertoire, Workshop } from "../../engine/engine.ts";
import { openStreamingModel, type StreamingModel } from "../../models/models.ts";

export function openChatModel(
  { config, options, clock }: Repertoire,
  { store }: Workshop,
  name = config.model.name,
): StreamingModel | undefined {
  return openStreamingModel(
    { ...config.model, ...(name !== undefined && { name }) },
    { env: options.env ?? process.env, journal: store.journal, now: () => clock.now().getTime() },
  );
}
