// The time limit of a streamed answer: it counts while the model is silent, but not while a tool runs or a person is asked.

import { TimeLimitError } from "../../engine/engine.ts";

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

  /** Aborts when the model was silent for too long. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Restarts the time: the model, or a tool it called, sent something. */
  restart({ type, toolCallId = "" }: Part): void {
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
