// What happens in the engine as a stream: changes of the library, journal events and proposals.

import type { LibraryChanges } from "../library/library.ts";
import type { StoreNews } from "../stores/stores.ts";

export type EngineEvent = StoreNews | { readonly about: "library"; readonly changes: LibraryChanges };

/** Hands each event to every open stream. A slow reader keeps its events; it loses none. */
export class EventStream {
  private readonly readers = new Set<(event: EngineEvent | undefined) => void>();

  publish(event: EngineEvent): void {
    for (const reader of this.readers) reader(event);
  }

  /** Calls back with each event, until the result is called. */
  subscribe(listener: (event: EngineEvent) => void): () => void {
    const reader = (event: EngineEvent | undefined) => {
      if (event) listener(event);
    };
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }

  /** Ends every stream. */
  close(): void {
    for (const reader of this.readers) reader(undefined);
    this.readers.clear();
  }

  /** Events from now on, until the stream is left or closed. */
  async *read(): AsyncGenerator<EngineEvent, void> {
    const waiting: (EngineEvent | undefined)[] = [];
    let wake = () => {};
    const reader = (event: EngineEvent | undefined) => {
      waiting.push(event);
      wake();
    };
    this.readers.add(reader);
    try {
      while (true) {
        while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        const event = waiting.shift();
        if (event === undefined) return;
        yield event;
      }
    } finally {
      this.readers.delete(reader);
    }
  }
}
