// Owns reading packed evidence: the header, a term's entry, its places. One reader serves many skills in turn and
// allocates for none of them. Does not own the packing (evidence.ts) nor what places mean for a score (features.ts).

export const SEGMENT = { description: 0, notFor: 1, triggers: 2, section: 3 } as const;
export type SegmentKind = (typeof SEGMENT)[keyof typeof SEGMENT];

export const EVIDENCE = {
  version: 3,
  /** Body terms kept: nine skills in ten are shorter, and what follows rarely says anything new. */
  maxBodyTerms: 3000,
  /** Terms of one clause or trigger kept; the specification allows 1,024 characters. */
  maxDescriptionTerms: 400,
  /** Terms of all clauses and triggers together: with them every place and list offset fits into 15 bits. */
  maxHeadTerms: 6000,
  /** No name has more words that anyone would type. */
  maxNameTerms: 64,
  /** Bytes of the likeness signature: an estimate of shared word pairs, good to about 0.05. */
  signatureBytes: 48,
  /** Steps per nat in the byte that holds a name term's rarity. */
  rarityScale: 16,
} as const;

export const LAYOUT = {
  nameMark: 1 + EVIDENCE.signatureBytes,
  /** Varints from here: vocabulary, name, segments. */
  counts: 1 + EVIDENCE.signatureBytes + 6,
  /** Three bytes of hash, two of place or list. */
  entryBytes: 5,
  /** Above every place. */
  places: 1 << 15,
  /** Marks an entry whose term stands more than once. */
  listed: 1 << 15,
} as const;

const HASH_MASK = 0xffffff;

/** 24 bits of a term: a false match needs a clash with one of a message's few terms, about one in 50,000 skills. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return (hash ^ (hash >>> 15)) & HASH_MASK;
}

export class EvidenceReader {
  vocabularySize = 0;
  nameTerms = 0;
  segmentCount = 0;
  /** Where the name's rarities lie in the bytes, one each. */
  raritiesAt = 0;
  /** The place after each segment's last term, its kind, the length of its heading. Valid up to `segmentCount`. */
  segmentEnds = new Int32Array(64);
  segmentKinds = new Uint8Array(64);
  headingTerms = new Int32Array(64);
  segmentLengths = new Int32Array(64);
  /** Filled by `placesOf`. */
  places = new Int32Array(1 << 12);
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;
  private entriesAt = 0;
  private listsAt = 0;

  open(bytes: Uint8Array): void {
    if (bytes[0] !== EVIDENCE.version) {
      throw new RangeError(
        `evidence-version: read ${bytes[0]}, expected ${EVIDENCE.version}; rebuild the index.`,
      );
    }
    this.bytes = bytes;
    this.at = LAYOUT.counts;
    this.vocabularySize = this.varint();
    this.nameTerms = this.varint();
    this.segmentCount = this.varint();
    this.raritiesAt = this.at;
    this.at += this.nameTerms;
    this.readSegments();
    this.entriesAt = this.at;
    this.listsAt = this.at + this.vocabularySize * LAYOUT.entryBytes;
  }

  hash(entry: number): number {
    const at = this.entriesAt + entry * LAYOUT.entryBytes;
    const { bytes } = this;
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  }

  /** The first entry from `low` on whose hash is not below `hash`. */
  seek(hash: number, low: number): number {
    const { bytes, entriesAt } = this;
    let from = low;
    let to = this.vocabularySize;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const at = entriesAt + middle * LAYOUT.entryBytes;
      if ((bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) < hash) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Writes the places of an entry's term into `places` from `start` on, ascending; gives the end. */
  placesOf(entry: number, start: number): number {
    const { bytes } = this;
    const at = this.entriesAt + entry * LAYOUT.entryBytes + 3;
    const packed = bytes[at]! | (bytes[at + 1]! << 8);
    if ((packed & LAYOUT.listed) === 0) {
      if (start === this.places.length) this.grow(1);
      this.places[start] = packed;
      return start + 1;
    }
    this.at = this.listsAt + (packed & (LAYOUT.listed - 1));
    const count = this.varint();
    if (start + count > this.places.length) this.grow(count);
    const { places } = this;
    for (let i = 0, place = 0; i < count; i++) {
      place += this.varint();
      places[start + i] = place;
    }
    return start + count;
  }

  private readSegments(): void {
    const count = this.segmentCount;
    if (count > this.segmentEnds.length) {
      this.segmentEnds = new Int32Array(count * 2);
      this.segmentKinds = new Uint8Array(count * 2);
      this.headingTerms = new Int32Array(count * 2);
      this.segmentLengths = new Int32Array(count * 2);
    }
    let place = this.nameTerms;
    for (let s = 0; s < count; s++) {
      const head = this.varint();
      const kind = head & 3;
      place += 1 + (head >>> 2);
      this.segmentKinds[s] = kind;
      this.segmentLengths[s] = head >>> 2;
      this.segmentEnds[s] = place;
      this.headingTerms[s] = kind === SEGMENT.section ? this.varint() : 0;
    }
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
