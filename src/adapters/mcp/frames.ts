// Cuts standard input into the lines of the protocol. A line beyond the limit is left out and refused, and the next one counts
// again; the transport alone would end the connection, and with it the host's session.

/** An MCP message: a skill with its files fits, as over HTTP; a larger one is a mistake or an attack. */
const FRAME_BYTES = 4 * 1024 * 1024;
/** A longer id is not one of ours to answer. */
const ID_BYTES = 200;
const LINE_FEED = 10;

interface FrameHandlers {
  /** Gets whole lines with their line feeds. */
  readonly take: (lines: Buffer) => void;
  /** Gets the id of a request that is too large, or null if it has none. */
  readonly refuse: (id: string | number | null, limit: number) => void;
}

export class FrameReader {
  private readonly handlers: FrameHandlers;
  private readonly limit: number;
  private parts: Buffer[] = [];
  private size = 0;
  /** Reads a line that is too large, of which nothing else is kept. */
  private id: IdFinder | undefined;

  constructor(handlers: FrameHandlers, limit = FRAME_BYTES) {
    this.handlers = handlers;
    this.limit = limit;
  }

  read(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end + 1);
      from += part.length;
      this.size += part.length;
      if (this.id) this.id.read(part);
      else this.parts.push(part);
      if (this.size > this.limit && !this.id) {
        this.id = new IdFinder();
        for (const kept of this.parts) this.id.read(kept);
        this.parts = [];
      }
      if (end >= 0) this.endLine();
    }
  }

  private endLine(): void {
    const { parts, id } = this;
    this.parts = [];
    this.size = 0;
    this.id = undefined;
    if (id) this.handlers.refuse(id.value(), this.limit);
    else this.handlers.take(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [...'"\\:,'].map((sign) => sign.charCodeAt(0));
const OPENING = new Set([..."{["].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([..."}]"].map((sign) => sign.charCodeAt(0)));

/** Finds the member `id` of the outermost object, wherever it is: some clients write it last, and arguments may have an `id` too. */
class IdFinder {
  private depth = 0;
  private isString = false;
  private isEscaped = false;
  /** The bytes of the current key or value of the outermost object. */
  private current: number[] = [];
  private key = "";
  private found: string | undefined;

  read(part: Buffer): void {
    for (const byte of part) {
      if (this.isString) this.inString(byte);
      else this.between(byte);
    }
  }

  value(): string | number | null {
    try {
      const id: unknown = JSON.parse(this.found ?? "null");
      return typeof id === "string" || Number.isSafeInteger(id) ? (id as string | number) : null;
    } catch {
      return null;
    }
  }

  private inString(byte: number): void {
    if (this.depth === 1) this.keep(byte);
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isString = false;
  }

  private between(byte: number): void {
    if (CLOSING.has(byte)) {
      if (this.depth === 1) this.endMember();
      this.depth--;
    } else if (OPENING.has(byte)) this.depth++;
    else if (this.depth === 1 && byte === COMMA) this.endMember();
    else if (this.depth === 1 && byte === COLON) {
      this.key = this.taken();
    } else {
      if (byte === QUOTE) this.isString = true;
      if (this.depth === 1) this.keep(byte);
    }
  }

  private keep(byte: number): void {
    if (this.current.length <= ID_BYTES) this.current.push(byte);
  }

  private endMember(): void {
    const value = this.taken();
    if (this.key === '"id"') this.found = value;
    this.key = "";
  }

  private taken(): string {
    const text = Buffer.from(this.current).toString("utf8").trim();
    this.current = [];
    return text;
  }
}
