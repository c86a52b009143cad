// Owns the one way the index reads its stored bytes: by range, from memory or from a checked file.
// Does not own what the bytes mean.

export interface ByteSource {
  readonly length: number;
  /** True when `read` costs nothing. */
  readonly resident: boolean;
  /** The bytes of a range, aligned in memory at least as `offset` is. Throws `DamagedSnapshot` when they cannot be trusted. */
  read(offset: number, length: number): Uint8Array;
  /** Fills `target` from the source's beginning. */
  readInto(target: Uint8Array): void;
}

/** The stored bytes are not what was written. Caught at the index's front door, never seen by its callers. */
export class DamagedSnapshot extends Error {
  readonly code = "index-damaged";

  constructor(what: string) {
    super(`${what}. Rebuild the index from its sources.`);
    this.name = "DamagedSnapshot";
  }
}

export function memoryBytes(bytes: Uint8Array): ByteSource {
  const range = (offset: number, length: number) => {
    if (offset < 0 || length < 0 || offset + length > bytes.length) {
      throw new DamagedSnapshot(`Range ${offset}+${length} lies outside ${bytes.length} stored bytes`);
    }
    return bytes.subarray(offset, offset + length);
  };
  return {
    length: bytes.length,
    resident: true,
    read: range,
    readInto: (target) => target.set(range(0, target.length)),
  };
}

export function loaded(source: ByteSource): ByteSource {
  return source.resident ? source : memoryBytes(source.read(0, source.length));
}

/** Keeps what was read lately, up to about `limit` bytes: two generations, the older one dropped when the younger is full. */
export class RecentBytes {
  private readonly limit: number;
  private young = new Map<number, Uint8Array>();
  private old = new Map<number, Uint8Array>();
  private youngBytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: number): Uint8Array | undefined {
    const known = this.young.get(key);
    if (known !== undefined) return known;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: number, bytes: Uint8Array): void {
    if (this.youngBytes + bytes.length > this.limit / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, bytes);
    this.youngBytes += bytes.length;
  }
}
