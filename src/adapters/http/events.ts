// The event stream: sends events to every reader, and keeps the last ones for readers that lost the connection.

import { randomBytes } from "node:crypto";
import type { HttpLimits } from "./limits.ts";

type Limits = Pick<HttpLimits, "keptEvents" | "streamBytes" | "streams" | "heartbeatMs">;
type Reader = ReadableStreamDefaultController<Uint8Array>;

export const EVENTS_TYPE = "text/event-stream; charset=utf-8";

export class EventHub {
  readonly counts = { published: 0, dropped: 0 };
  private readonly limits: Limits;
  /** Tells event ids of this server from those of an earlier one: numbers start again with each server. */
  private readonly run = randomBytes(4).toString("hex");
  private readonly kept: { readonly number: number; readonly text: string }[] = [];
  /** With how to end each one's connection. */
  private readonly readers = new Map<Reader, () => void>();
  private readonly heart: NodeJS.Timeout;

  constructor(limits: Limits) {
    this.limits = limits;
    this.heart = setInterval(() => this.toAll(": still here\n\n"), limits.heartbeatMs);
    this.heart.unref();
  }

  get open(): number {
    return this.readers.size;
  }

  publish(type: string, data: unknown): void {
    const number = ++this.counts.published;
    const text = message(type, data, this.idOf(number));
    this.kept.push({ number, text });
    if (this.kept.length > this.limits.keptEvents) this.kept.shift();
    this.toAll(text);
  }

  /**
   * A stream for one reader, starting after the event it saw last; undefined if there are too many readers. `hangUp` ends
   * the connection of a reader that is too slow.
   */
  subscribe({
    lastSeen,
    hangUp,
  }: {
    readonly lastSeen?: string | undefined;
    readonly hangUp: () => void;
  }): ReadableStream<Uint8Array> | undefined {
    if (this.readers.size >= this.limits.streams) return undefined;
    let own: Reader | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (reader) => {
          own = reader;
          this.readers.set(reader, hangUp);
          // Not `send`: what is caught up on is bounded by itself, and must not count as slowness.
          reader.enqueue(bytes(this.welcome(lastSeen)));
        },
        cancel: () => {
          if (own) this.readers.delete(own);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: this.limits.streamBytes }),
    );
  }

  /** Ends every stream in good order. */
  close(): void {
    clearInterval(this.heart);
    for (const reader of this.readers.keys()) reader.close();
    this.readers.clear();
  }

  private welcome(lastSeen: string | undefined): string {
    const hello = message("hello", {}, this.idOf(this.counts.published));
    if (lastSeen === undefined) return hello;
    const [run, digits] = lastSeen.split("-");
    const seen = Number(digits);
    const oldest = this.kept[0]?.number ?? this.counts.published + 1;
    const isKnown = run === this.run && Number.isSafeInteger(seen) && seen <= this.counts.published;
    if (!isKnown || seen < oldest - 1)
      return message("reset", { reason: "events were missed" }, this.idOf(this.counts.published));
    const missed = this.kept.filter(({ number }) => number > seen).map(({ text }) => text);
    return `: welcome back\n\n${missed.join("")}`;
  }

  private toAll(text: string): void {
    if (this.readers.size === 0) return;
    const part = bytes(text);
    for (const [reader, hangUp] of this.readers) this.send(reader, hangUp, part);
  }

  private send(reader: Reader, hangUp: () => void, part: Uint8Array): void {
    if ((reader.desiredSize ?? 0) > 0) {
      reader.enqueue(part);
      return;
    }
    this.readers.delete(reader);
    this.counts.dropped++;
    hangUp();
  }

  private idOf(number: number): string {
    return `${this.run}-${number}`;
  }
}

/** JSON has no line breaks of its own, so one `data` line holds it. */
function message(type: string, data: unknown, id: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
