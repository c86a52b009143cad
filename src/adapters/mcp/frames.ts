// Cuts standard input into the lines of the protocol. A line beyond the limit is left out and refused, and the next one counts
// again; the transport alone would end the connection, and with it the host's session.

/** An MCP message: a skill with its files fits, as over HTTP; a larger one is a mistake or an attack. */
const FRAME_BYTES = 4 * 1024 * 1024;
/** Of a refused line, to find out which request it was. */
const HEAD_BYTES = 1024;
const LINE_FEED = 10;

interface FrameHandlers {
  /** Gets whole lines with their line feeds. */
  readonly take: (lines: Buffer) => void;
  /** Gets the id of a request that is too large, or null if its start does not say. */
  readonly refuse: (id: string | number | null, limit: number) => void;
}

export class FrameReader {
  private readonly handlers: FrameHandlers;
  private readonly limit: number;
  private parts: Buffer[] = [];
  private size = 0;

  constructor(handlers: FrameHandlers, limit = FRAME_BYTES) {
    this.handlers = handlers;
    this.limit = limit;
  }

  read(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end + 1);
      from += part.length;
      // Of a line that is too large, only the start is kept.
      if (this.size <= this.limit) this.parts.push(part);
      this.size += part.length;
      if (end >= 0) this.endLine();
      else if (this.size > this.limit) this.parts = [Buffer.concat(this.parts).subarray(0, HEAD_BYTES)];
    }
  }

  private endLine(): void {
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    if (size <= this.limit) this.handlers.take(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    else this.handlers.refuse(idIn(parts[0]!.toString("utf8", 0, HEAD_BYTES)), this.limit);
  }
}

function idIn(head: string): string | number | null {
  const [, text, number] = /"id"\s*:\s*(?:"([^"\\]{1,200})"|(-?\d{1,15})\b)/.exec(head) ?? [];
  return text ?? (number === undefined ? null : Number(number));
}
