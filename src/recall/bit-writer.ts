// Writes bytes, and numbers of a few bits each, into memory that grows.

/** Collects bytes, and numbers of several. */
export class ByteWriter {
  length = 0;
  private bytes = new Uint8Array(1024);

  byte(value: number): void {
    if (this.length === this.bytes.length) this.room(1);
    this.bytes[this.length++] = value;
  }

  bytesOf(values: Uint8Array): void {
    if (this.length + values.length > this.bytes.length) this.room(values.length);
    this.bytes.set(values, this.length);
    this.length += values.length;
  }

  number(value: number, bytes: number): void {
    for (let i = 0; i < bytes; i++) this.byte((value >>> (8 * i)) & 255);
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest & 127) | 128);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private room(more: number): void {
    const grown = new Uint8Array(Math.max(this.length * 2, this.length + more));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}

/** Writes numbers of a few bits each, the low bits first. */
export class BitWriter {
  private readonly out: ByteWriter;
  private bits = 0;
  private count = 0;
  private readonly from: number;

  constructor(out: ByteWriter) {
    this.out = out;
    this.from = out.length;
  }

  get position(): number {
    return (this.out.length - this.from) * 8 + this.count;
  }

  /** At most 24 bits. */
  write(value: number, bits: number): void {
    this.bits |= value << this.count;
    this.count += bits;
    for (; this.count >= 8; this.count -= 8) {
      this.out.byte(this.bits & 255);
      this.bits >>>= 8;
    }
  }

  /** `count` ones and a zero. */
  ones(count: number): void {
    for (let left = count; left >= 16; left -= 16) this.write(0xffff, 16);
    this.write((1 << (count & 15)) - 1, (count & 15) + 1);
  }

  finish(): void {
    if (this.count > 0) this.out.byte(this.bits);
    this.bits = 0;
    this.count = 0;
  }
}
