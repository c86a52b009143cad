// The options of `openRepertoire`.

import type { ConfigInput } from "../config/config.ts";
import type { LanguageModel } from "../learn/learn.ts";
import type { Progress } from "../library/library.ts";
import type { Clock } from "../model/clock.ts";
import type { Embedder } from "../recall/recall.ts";
import type { Store } from "../stores/stores.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

export interface OpenOptions extends ConfigInput {
  /** Called while files are read, for a progress display. */
  readonly onProgress?: Progress | undefined;
  /** The time; the system's unless given. */
  readonly clock?: Clock | undefined;
  /** Who runs the engine, for the journal: cli, mcp, … */
  readonly host?: string | undefined;
  /** Keeps everything that outlives a turn; SQLite in `~/.repertoire` unless given. Closed with the engine. */
  readonly store?: Store | undefined;
  /** Turns texts into vectors; the configured embedder unless given. */
  readonly embedder?: Embedder | undefined;
  /**
   * The most instructions that a recall reads for its index before it answers; beyond it the answer comes from names,
   * descriptions and triggers. No limit unless given, as in hooks.
   */
  readonly bodiesUpTo?: number | undefined;
  /** "off" leaves the trained encoder out, as hooks do, which must answer at once. */
  readonly encoder?: "off" | undefined;
  /** Writes summaries and proposals; the configured language model unless given. */
  readonly model?: LanguageModel | undefined;
  /** Receives spans; the registered OpenTelemetry provider unless given; false turns tracing off. */
  readonly telemetry?: Telemetry | false | undefined;
}
