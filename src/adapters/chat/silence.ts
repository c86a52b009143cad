// Owns the time limit of a streamed answer: a model may be silent only so long, while a tool or a person who is asked
// may take their time.

import { TimeLimitError } from "../../models/models.ts";

interface Part {
  readonly type: string;
  readonly toolCallId?: string;
}

export class Silence {
  private readonly controller = new AbortController();
  private readonly running = new Set<string>();
  private readonly limitMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
    this.wait();
  }

  /** Aborted when the model was silent for too long. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The model, or a tool it called, gave a sign of life. */
  heard({ type, toolCallId = "" }: Part): void {
    if (type === "tool-call") this.running.add(toolCallId);
    if (type === "tool-result" || type === "tool-error") this.running.delete(toolCallId);
    this.wait();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private wait(): void {
    this.end();
    if (this.running.size > 0) return;
    this.timer = setTimeout(() => this.controller.abort(new TimeLimitError()), this.limitMs);
  }
}
