// Reads packed evidence (`evidence.ts`): the places of a term, without unpacking the others.

import { COMMON_TERMS } from "./common-terms.ts";
import { type EvidenceSegment, gapBits, LAYOUT, PACKING, SEGMENT, type SegmentKind } from "./evidence.ts";

/** Unpacks evidence for tests; the ranker reads the bytes directly. */
export function decodeEvidence(bytes: Uint8Array) {
  const reader = new EvidenceReader();
  reader.open(bytes);
  const { nameTerms } = reader;
  const keys: number[] = [];
  reader.vocabulary().forEach((key, entry) => {
    const end = reader.placesOf(entry, 0);
    for (let i = 0; i < end; i++) keys[reader.places[i]!] = key;
  });
  const segments: EvidenceSegment[] = [];
  for (let s = 0; s < reader.segmentCount; s++) {
    const from = s === 0 ? nameTerms + 1 : reader.segmentEnds[s - 1]! + 1;
    segments.push({
      kind: reader.segmentKinds[s]! as SegmentKind,
      headingTerms: reader.headingTerms[s]!,
      terms: keys.slice(from, reader.segmentEnds[s]!),
    });
  }
  const name = keys.slice(0, nameTerms).map((key, i) => ({ key, rarity: reader.nameRarity(i) }));
  return { name, segments };
}

/** The zeros of each byte. */
const ZEROS = new Uint8Array(256).fill(8);
for (let byte = 1; byte < 256; byte++) ZEROS[byte] = ZEROS[byte >>> 1]! - (byte & 1);

/** Keys of one kind in packed evidence: their first byte, the bit position of their low bits, and where a search stands. */
interface StoredKeys {
  readonly lowBits: number;
  /** The entry of the first key. */
  firstEntry: number;
  bucketsAt: number;
  lowsAt: number;
  /** The byte before which `bucketsBefore` buckets end. */
  bucketByte: number;
  bucketsBefore: number;
}

function storedKeys(lowBits: number): StoredKeys {
  return { lowBits, firstEntry: 0, bucketsAt: 0, lowsAt: 0, bucketByte: 0, bucketsBefore: 0 };
}

/** Reads packed evidence. One reader serves many skills in turn without allocating memory for each. */
export class EvidenceReader {
  vocabularySize = 0;
  nameTerms = 0;
  segmentCount = 0;
  /** For each segment up to `segmentCount`: the place after its last term, its kind, the lengths of its heading and of all. */
  segmentEnds = new Int32Array(64);
  segmentKinds = new Uint8Array(64);
  headingTerms = new Int32Array(64);
  segmentLengths = new Int32Array(64);
  /** Filled by `placesOf`. */
  places = new Int32Array(1 << 12);
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private raritiesAt = 0;
  private readonly common = storedKeys(LAYOUT.commonLowBits);
  private readonly other = storedKeys(LAYOUT.lowBits);
  /** The bit positions of runs of lists: how many bits each has, and where they are. */
  private runBits = 0;
  private runsAt = 0;
  /** The bit position of the lists. */
  private listsAt = 0;
  /** The list after the one that was read last, and its bit position. */
  private nextList = 0;
  private nextBit = 0;
  /** Where `bits` and `ones` read. */
  private bit = 0;

  open(bytes: Uint8Array): void {
    if (bytes[0] !== PACKING.version) {
      throw new RangeError(
        `evidence-version: read ${bytes[0]}, expected ${PACKING.version}; rebuild the index.`,
      );
    }
    this.bytes = bytes;
    this.at = LAYOUT.counts;
    const common = this.varint();
    const other = this.varint();
    this.vocabularySize = common + other;
    this.nameTerms = this.varint();
    this.segmentCount = this.varint();
    this.raritiesAt = this.at;
    this.at += this.nameTerms;
    this.readSegments();
    this.openKeys(this.common, 0, common);
    this.openKeys(this.other, common, other);
    this.runBits = bytes[this.at]!;
    this.runsAt = (this.at + 1) * 8;
    const runs = Math.max(0, Math.ceil(this.vocabularySize / LAYOUT.skipped) - 1);
    this.listsAt = Math.ceil((this.runsAt + runs * this.runBits) / 8) * 8;
    this.nextList = -1;
  }

  /** The rarity of the name's term at `index`, in nats. */
  nameRarity(index: number): number {
    return this.bytes[this.raritiesAt + index]! / PACKING.rarityScale;
  }

  /** The entry of a key, or -1. Quickest for keys in ascending order. */
  find(key: number): number {
    return key < COMMON_TERMS ? this.findIn(this.common, key) : this.findIn(this.other, key - COMMON_TERMS);
  }

  /** The key of every entry. */
  vocabulary(): number[] {
    const isOther = (key: number) => key + COMMON_TERMS;
    return [...this.keysOf(this.common), ...this.keysOf(this.other).map(isOther)];
  }

  private openKeys(keys: StoredKeys, firstEntry: number, count: number): void {
    keys.firstEntry = firstEntry;
    keys.bucketsAt = this.at;
    keys.bucketByte = this.at;
    keys.bucketsBefore = 0;
    keys.lowsAt = this.at * 8 + LAYOUT.buckets + count;
    this.at = (keys.lowsAt + count * keys.lowBits + 7) >>> 3;
  }

  private findIn(keys: StoredKeys, key: number): number {
    const { lowBits } = keys;
    const bucket = key >>> lowBits;
    const low = key & ((1 << lowBits) - 1);
    this.bit = this.bucketBit(keys, bucket);
    let place = this.bit - keys.bucketsAt * 8 - bucket;
    const end = place + this.ones();
    for (this.bit = keys.lowsAt + place * lowBits; place < end; place++) {
      if (this.bits(lowBits) === low) return keys.firstEntry + place;
    }
    return -1;
  }

  private keysOf(keys: StoredKeys): number[] {
    const found: number[] = [];
    for (let bucket = 0; bucket < LAYOUT.buckets; bucket++) {
      this.bit = this.bucketBit(keys, bucket);
      const count = this.ones();
      this.bit = keys.lowsAt + found.length * keys.lowBits;
      for (let i = 0; i < count; i++) found.push((bucket << keys.lowBits) | this.bits(keys.lowBits));
    }
    return found;
  }

  /** Writes the places of an entry's term into `places` from `start` on, ascending; returns the end. */
  placesOf(entry: number, start: number): number {
    const run = Math.floor(entry / LAYOUT.skipped);
    let list = run * LAYOUT.skipped;
    if (this.nextList > list && this.nextList <= entry) {
      list = this.nextList;
      this.bit = this.nextBit;
    } else {
      this.bit = this.runsAt + (run - 1) * this.runBits;
      this.bit = this.listsAt + (run === 0 ? 0 : this.bits(this.runBits));
    }
    const { bytes } = this;
    const total = this.segmentEnds[this.segmentCount - 1] ?? this.nameTerms;
    const single = 1 + gapBits(total, 1);
    for (; list < entry; list++) {
      // Most terms have one place: a zero, and the place.
      if ((bytes[this.bit >>> 3]! >>> (this.bit & 7)) & 1) this.readList(total, start);
      else this.bit += single;
    }
    const end = this.readList(total, start);
    this.nextList = entry + 1;
    this.nextBit = this.bit;
    return end;
  }

  /** Reads the list at `bit` into `places` from `start` on; returns the end. */
  private readList(total: number, start: number): number {
    const width = this.ones();
    const count = (1 << width) | this.bits(width);
    const fixed = gapBits(total, count);
    const end = start + count;
    if (end > this.places.length) this.grow(count);
    const { places } = this;
    for (let i = start, next = 0; i < end; i++) {
      const above = count > 1 ? this.ones() << fixed : 0;
      const place = next + above + this.bits(fixed);
      places[i] = place;
      next = place + 1;
    }
    return end;
  }

  /** The bit where a bucket begins: the one after the zeros of all buckets before it. */
  private bucketBit(keys: StoredKeys, bucket: number): number {
    if (bucket <= keys.bucketsBefore) {
      keys.bucketByte = keys.bucketsAt;
      keys.bucketsBefore = 0;
    }
    const { bytes } = this;
    let at = keys.bucketByte;
    let missing = bucket - keys.bucketsBefore;
    for (let zeros = ZEROS[bytes[at]!]!; zeros < missing; zeros = ZEROS[bytes[at]!]!) {
      missing -= zeros;
      at++;
    }
    keys.bucketByte = at;
    keys.bucketsBefore = bucket - missing;
    let bit = at * 8;
    for (let byte = bytes[at]!; missing > 0; byte >>>= 1, bit++) if ((byte & 1) === 0) missing--;
    return bit;
  }

  /** The number of ones before the next zero. */
  private ones(): number {
    const { bytes } = this;
    for (let count = 0; ; count += 16) {
      const at = this.bit >>> 3;
      const word = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) >>> (this.bit & 7);
      // Bits beyond the sixteenth may be missing.
      const zeros = ~word | (1 << 16);
      const first = 31 - Math.clz32(zeros & -zeros);
      if (first < 16) {
        this.bit += first + 1;
        return count + first;
      }
      this.bit += 16;
    }
  }

  /** The next number of at most 24 bits. */
  private bits(count: number): number {
    const at = this.bit >>> 3;
    const { bytes } = this;
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    const value = (word >>> (this.bit & 7)) & ((1 << count) - 1);
    this.bit += count;
    return value;
  }

  private readSegments(): void {
    const count = this.segmentCount;
    if (count > this.segmentEnds.length) {
      this.segmentEnds = new Int32Array(count * 2);
      this.segmentKinds = new Uint8Array(count * 2);
      this.headingTerms = new Int32Array(count * 2);
      this.segmentLengths = new Int32Array(count * 2);
    }
    const { bytes, segmentEnds, segmentKinds, headingTerms, segmentLengths } = this;
    let place = this.nameTerms;
    let { at } = this;
    for (let s = 0; s < count; s++) {
      // A segment has at most 3,000 terms: one byte or two.
      let head = bytes[at++]!;
      if (head >= 128) head = (head & 127) | (bytes[at++]! << 7);
      const kind = head & 3;
      const length = head >>> 2;
      let heading = kind === SEGMENT.section ? bytes[at++]! : 0;
      if (heading >= 128) {
        this.at = at - 1;
        heading = this.varint();
        at = this.at;
      }
      place += 1 + length;
      segmentKinds[s] = kind;
      segmentLengths[s] = length;
      segmentEnds[s] = place;
      headingTerms[s] = heading;
    }
    this.at = at;
  }

  private varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 128) return byte;
    let value = byte & 127;
    let shift = 7;
    do {
      byte = bytes[this.at++]!;
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128);
    return value;
  }

  private grow(more: number): void {
    const grown = new Int32Array(this.places.length * 2 + more);
    grown.set(this.places);
    this.places = grown;
  }
}
