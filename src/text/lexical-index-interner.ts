// Owns numbering the terms while a segment is being built: 64-bit hash to a small id, all in typed arrays.
// Does not own the table that searches use (lexical-index-terms.ts).

import { hashTermInto } from "./lexical-index-terms.ts";

/** More leading bits than this would not sort faster. */
const MAX_SORT_BITS = 22;

export class TermInterner {
  private highs = new Uint32Array(1 << 10);
  private lows = new Uint32Array(1 << 10);
  /** Open addressing, at most half full; an id plus one, 0 for an empty slot. */
  private slots = new Uint32Array(1 << 11);
  private count = 0;
  private readonly hashed = new Uint32Array(2);

  get size(): number {
    return this.count;
  }

  high(id: number): number {
    return this.highs[id]!;
  }

  low(id: number): number {
    return this.lows[id]!;
  }

  idOf(term: string): number {
    hashTermInto(this.hashed, term);
    const high = this.hashed[0]!;
    const low = this.hashed[1]!;
    const mask = this.slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const id = this.slots[slot]! - 1;
      if (id < 0) return this.add(high, low, slot);
      if (this.lows[id] === low && this.highs[id] === high) return id;
    }
  }

  /** Ids in the order of their hashes: distributed by the leading bits, then put right among neighbours. */
  inHashOrder(): Uint32Array {
    const bits = Math.max(1, Math.min(MAX_SORT_BITS, Math.ceil(Math.log2(this.count + 1))));
    const ends = new Uint32Array(2 ** bits + 1);
    for (let id = 0; id < this.count; id++) ends[(this.highs[id]! >>> (32 - bits)) + 1]!++;
    for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
    const order = new Uint32Array(this.count);
    for (let id = 0; id < this.count; id++) order[ends[this.highs[id]! >>> (32 - bits)]!++] = id;
    for (let i = 1; i < order.length; i++) {
      const id = order[i]!;
      let place = i;
      for (; place > 0 && this.follows(order[place - 1]!, id); place--) order[place] = order[place - 1]!;
      order[place] = id;
    }
    return order;
  }

  private follows(a: number, b: number): boolean {
    return (
      this.highs[a]! > this.highs[b]! || (this.highs[a] === this.highs[b] && this.lows[a]! > this.lows[b]!)
    );
  }

  private add(high: number, low: number, slot: number): number {
    const id = this.count++;
    if (id === this.highs.length) this.grow();
    this.highs[id] = high;
    this.lows[id] = low;
    if (this.count * 2 > this.slots.length) this.spread();
    else this.slots[slot] = id + 1;
    return id;
  }

  private grow(): void {
    const { highs, lows } = this;
    this.highs = new Uint32Array(highs.length * 2);
    this.lows = new Uint32Array(lows.length * 2);
    this.highs.set(highs);
    this.lows.set(lows);
  }

  private spread(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let id = 0; id < this.count; id++) {
      let slot = this.lows[id]! & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id + 1;
    }
  }
}
