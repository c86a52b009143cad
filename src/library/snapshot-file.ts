// The layout of the file that the library is kept in, and reading and writing it.
//
//   header | head (JSON) | columns: hashes of the names, ends and checksums of the records | catalog (JSON) | strings of
//   the packed texts (JSON) | records: the digest of the skill, then packed JSON
//
// Header, head and columns are verified on opening, the others when they are read. Numbers are little-endian.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Diagnostic, FindingCounts } from "../model/diagnostic.ts";
import { codeOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Source } from "../model/source.ts";
import { checksum, longChecksum } from "../search/search.ts";
import { type FileRecord, type PackedRecord, packRecord, unpackRecord } from "./file-record.ts";
import { learnStrings, PackedText } from "./packed-text.ts";
import type { StoredRanking } from "./rank.ts";

/** Raise it whenever the parser or the manifest changes what it yields, or the layout of the file changes. */
export const SNAPSHOT_VERSION = 6;

const MAGIC = 0x5442494c;
const HEADER_WORDS = 11;
const HEADER_BYTES = HEADER_WORDS * 4;
/** The checksum of the head covers what follows it. */
const VERIFIED_AT = 12;
/** Header, head and columns of a library of 3,000 fit into the first read. */
const FIRST_READ = 64 * 1024;
const DIGEST_BYTES = 32;
const PACKING = {
  /** Records with less text than this are stored as they are: some thousand skills, whose strings would cost a hook more. */
  fromBytes: 4 << 20,
  /** Records that are learned from. */
  sample: 1024,
} as const;
/** What a scan saw besides the files. */
export interface ScanFacts {
  /** Folders whose time reveals added or removed skills. */
  readonly containers: readonly (readonly [path: string, mtimeMs: number])[];
  /** Roots of sources that did not exist. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface Head extends ScanFacts {
  readonly generation: string;
  readonly sources: readonly Source[];
}

/** What a prompt needs of the whole library, so that it decodes no more records than it shows. */
export interface Catalog extends StoredRanking {
  /** All but those about the choice of sources. */
  readonly findings: FindingCounts;
}

/** The stored bytes are not what was written. */
export class SnapshotDamage extends Error {}

/** What is written of a state of the library. */
interface WrittenState {
  readonly generation: string;
  readonly facts: ScanFacts;
  records(): readonly FileRecord[];
  catalog(): Catalog;
}

/** The bytes of a snapshot file, and what names it in `storedAs`. */
interface EncodedSnapshot {
  readonly bytes: Uint8Array;
  readonly storedAs: number;
}

/** Makes the bytes of a snapshot file, with pauses. Records that `earlier` has are copied. */
export function* encodingSteps(
  snapshot: WrittenState,
  sources: readonly Source[],
  earlier?: StoredBytes,
): Generator<undefined, EncodedSnapshot> {
  const records = snapshot.records();
  const count = records.length;
  const columns = new Uint32Array(count * 3);
  const parts: Uint8Array[] = [];
  // A library that has grown since is packed anew.
  const kept = earlier?.isPackedWell ? earlier : undefined;
  const packing = kept?.packing ?? new PackedText(yield* stringsFor(records, sources));
  let end = 0;
  for (let row = 0; row < count; ) {
    const run = kept?.run(records, row) ?? packedRun(records[row]!, sources, packing);
    parts.push(run.bytes);
    columns.set(run.hashes, row);
    columns.set(run.sums, 2 * count + row);
    for (const [at, length] of run.ends.entries()) columns[count + row + at] = end + length;
    end += run.bytes.length;
    row += run.ends.length;
    yield;
  }
  const { generation, facts } = snapshot;
  const head = asciiJson({ generation, sources, ...facts } satisfies Head);
  // The columns begin at a multiple of four.
  const blanks = Buffer.alloc(-head.length & 3, " ");
  const catalog = asciiJson(snapshot.catalog());
  const strings = asciiJson(packing.strings);
  yield;
  const bytes = Buffer.concat([
    Buffer.alloc(HEADER_BYTES),
    head,
    blanks,
    wordBytes(columns),
    catalog,
    strings,
    ...parts,
  ]);
  yield;
  const catalogAt = HEADER_BYTES + head.length + blanks.length + columns.byteLength;
  const text = bytes.subarray(catalogAt + catalog.length + strings.length);
  const sizes = [catalog, strings, text].flatMap((part) => [part.length, longChecksum(part)]);
  bytes.set(wordBytes([head.length + blanks.length, count, ...sizes]), VERIFIED_AT);
  const storedAs = longChecksum(bytes.subarray(VERIFIED_AT, catalogAt));
  bytes.set(wordBytes([MAGIC, SNAPSHOT_VERSION, storedAs]));
  return { bytes, storedAs };
}

/** The strings to pack these records with, learned from some of them; none if there is little text. */
function* stringsFor(
  records: readonly FileRecord[],
  sources: readonly Source[],
): Generator<undefined, string[]> {
  const step = Math.ceil(records.length / PACKING.sample);
  const sample = records.filter((_, row) => row % step === 0).map((record) => recordText(record, sources));
  const bytes = sample.reduce((sum, text) => sum + text.length, 0) * step;
  return bytes < PACKING.fromBytes ? [] : yield* learnStrings(sample);
}

function recordText(record: FileRecord, sources: readonly Source[]): string {
  return asciiText({ ...packRecord(record, sources), digest: undefined });
}

/** Records that follow each other, as they are stored: `ends` counts from the start of the bytes. */
interface Run {
  readonly bytes: Uint8Array;
  readonly hashes: ArrayLike<number>;
  readonly ends: readonly number[];
  readonly sums: ArrayLike<number>;
}

function packedRun(record: FileRecord, sources: readonly Source[], packing: PackedText): Run {
  const text = packing.pack(recordText(record, sources));
  const bytes = new Uint8Array(DIGEST_BYTES + text.length);
  bytes.set(Buffer.from(record.skill?.digest ?? "", "hex"));
  bytes.set(text, DIGEST_BYTES);
  return {
    bytes,
    hashes: [nameHash(record.skill?.name ?? "")],
    ends: [bytes.length],
    sums: [longChecksum(bytes)],
  };
}

/** The bytes of a snapshot's records in its file: what has not changed is copied into the next file. */
export class StoredBytes {
  readonly packing: PackedText;
  private readonly rows: ReadonlyMap<FileRecord, number>;
  private readonly columns: Columns;
  private readonly text: Uint8Array;

  constructor(
    records: readonly FileRecord[],
    { columns, text, packing }: { columns: Columns; text: Uint8Array; packing: PackedText },
  ) {
    this.rows = new Map(records.map((record, row) => [record, row]));
    this.columns = columns;
    this.text = text;
    this.packing = packing;
  }

  get isPackedWell(): boolean {
    return this.packing.strings.length > 0 || this.text.length < PACKING.fromBytes;
  }

  /** The records from this one on that follow each other in the file, too; undefined if it is not in the file. */
  run(records: readonly FileRecord[], from: number): Run | undefined {
    const first = this.rows.get(records[from]!);
    if (first === undefined) return undefined;
    let next = first + 1;
    while (from + next - first < records.length && this.rows.get(records[from + next - first]!) === next)
      next++;
    const { hashes, ends, sums } = this.columns;
    const start = startOf(first, ends);
    return {
      bytes: this.text.subarray(start, ends[next - 1]!),
      hashes: hashes.subarray(first, next),
      ends: Array.from(ends.subarray(first, next), (end) => end - start),
      sums: sums.subarray(first, next),
    };
  }
}

/** Reads a snapshot file; undefined if there is none or it proves damaged. It is closed again unless it is kept open. */
export function withFile<T>(path: string, read: (fd: number, keepOpen: () => void) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return undefined;
  }
  let isKept = false;
  try {
    return read(fd, () => {
      isKept = true;
    });
  } catch (thrown) {
    if (thrown instanceof SnapshotDamage) return undefined;
    throw thrown;
  } finally {
    if (!isKept) closeSync(fd);
  }
}

export function readHead(fd: number): {
  head: Head;
  scannedAt: number;
  storedAs: number;
  records: StoredRecords;
} {
  const { size, mtimeMs } = fstatSync(fd);
  const first = readBytes(fd, 0, Math.min(size, FIRST_READ));
  if (first.length < HEADER_BYTES) throw new SnapshotDamage("The file is too short.");
  const [magic, version, sum, headLength = 0, count = 0, ...parts] = wordsOf(first, 0, HEADER_WORDS);
  const columnsAt = HEADER_BYTES + headLength;
  const catalogAt = columnsAt + count * 12;
  let end = catalogAt;
  const [catalog, strings, text] = [0, 2, 4].map((word) => {
    const part = { at: end, length: parts[word]!, sum: parts[word + 1]! };
    end += part.length;
    return part;
  }) as [Part, Part, Part];
  if (magic !== MAGIC || version !== SNAPSHOT_VERSION || end !== size)
    throw new SnapshotDamage("Not a snapshot of this version.");
  const bytes = catalogAt <= first.length ? first : readBytes(fd, 0, catalogAt);
  const storedAs = longChecksum(bytes.subarray(VERIFIED_AT, catalogAt));
  if (storedAs !== sum) throw new SnapshotDamage("The head is damaged.");
  const records = new StoredRecords({
    fd,
    columns: {
      hashes: wordsOf(bytes, columnsAt, count),
      ends: wordsOf(bytes, columnsAt + count * 4, count),
      sums: wordsOf(bytes, columnsAt + count * 8, count),
    },
    catalog,
    strings,
    text,
  });
  const head = fromAsciiJson<Head>(bytes.subarray(HEADER_BYTES, columnsAt));
  return { head, scannedAt: mtimeMs, storedAs, records };
}

/** What the file has of each record besides its text. */
interface Columns {
  /** Of the name of each record's skill. */
  readonly hashes: Uint32Array;
  /** Where each record ends in the text. */
  readonly ends: Uint32Array;
  readonly sums: Uint32Array;
}

function startOf(row: number, ends: Columns["ends"]): number {
  return row === 0 ? 0 : ends[row - 1]!;
}

/** A part of the file and its checksum. */
interface Part {
  readonly at: number;
  readonly length: number;
  readonly sum: number;
}

/** The catalog and the records of a snapshot file, read when they are asked for. */
export class StoredRecords {
  private readonly file: {
    readonly fd: number;
    readonly columns: Columns;
    readonly catalog: Part;
    readonly strings: Part;
    /** All records. */
    readonly text: Part;
  };
  private unpacking: PackedText | undefined;

  constructor(file: StoredRecords["file"]) {
    this.file = file;
  }

  catalog(): Catalog {
    return this.read(this.file.catalog);
  }

  get count(): number {
    return this.file.columns.hashes.length;
  }

  /** Nothing is left to be read. */
  close(): void {
    closeSync(this.file.fd);
  }

  all(sources: readonly Source[]): FileRecord[] {
    const text = this.bytes(this.file.text);
    const { packing } = this;
    this.close();
    const { ends } = this.file.columns;
    return Array.from(ends, (end, row) =>
      unpackRow(text.subarray(startOf(row, ends), end), packing, sources),
    );
  }

  /** The last of several records of one name: the one that wins. */
  find(name: SkillName, sources: readonly Source[]): FileRecord | undefined {
    const { hashes } = this.file.columns;
    const hash = nameHash(name);
    for (let row = hashes.length; row > 0; ) {
      row = hashes.lastIndexOf(hash, row - 1);
      if (row < 0) return undefined;
      const record = this.row(row, sources);
      if (record.skill?.name === name) return record;
    }
    return undefined;
  }

  row(row: number, sources: readonly Source[]): FileRecord {
    const { columns, text } = this.file;
    const { ends, sums } = columns;
    const start = startOf(row, ends);
    const part = { at: text.at + start, length: ends[row]! - start, sum: sums[row]! };
    return unpackRow(this.bytes(part), this.packing, sources);
  }

  /** As they are stored. `records` are those of the file. */
  bytesOf(records: readonly FileRecord[]): StoredBytes {
    const { columns, text } = this.file;
    return new StoredBytes(records, { columns, text: this.bytes(text), packing: this.packing });
  }

  private get packing(): PackedText {
    this.unpacking ??= new PackedText(this.read<string[]>(this.file.strings));
    return this.unpacking;
  }

  private read<T>(part: Part): T {
    return fromAsciiJson<T>(this.bytes(part));
  }

  private bytes({ at, length, sum }: Part): Uint8Array {
    const bytes = readBytes(this.file.fd, at, length);
    if (longChecksum(bytes) !== sum) throw new SnapshotDamage("A part of the file is damaged.");
    return bytes;
  }
}

function readBytes(fd: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length; ) {
    let count: number;
    try {
      count = readSync(fd, bytes, filled, length - filled, position + filled);
    } catch (thrown) {
      if (codeOf(thrown) === "") throw thrown;
      throw new SnapshotDamage("The file cannot be read.");
    }
    if (count === 0) throw new SnapshotDamage("The file ends too early.");
    filled += count;
  }
  return bytes;
}

function wordsOf(bytes: Uint8Array, at: number, count: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset + at, count);
}

function unpackRow(bytes: Uint8Array, packing: PackedText, sources: readonly Source[]): FileRecord {
  const packed = JSON.parse(packing.unpack(bytes.subarray(DIGEST_BYTES))) as PackedRecord;
  const digest = Buffer.from(bytes.buffer, bytes.byteOffset, DIGEST_BYTES).toString("hex");
  return unpackRecord({ ...packed, digest }, sources);
}

/** JSON in ASCII alone: bytes become a string without being decoded, and the string takes half the room. */
function asciiText(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}

function asciiJson(value: unknown): Buffer {
  return Buffer.from(asciiText(value), "latin1");
}

function fromAsciiJson<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")) as T;
}

function wordBytes(words: ArrayLike<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
}

function nameHash(name: string): number {
  return checksum(new TextEncoder().encode(name));
}
