// The library on disk: one file per set of sources with every SKILL.md that was found, what was read from it, and what
// tells whether a scan would find the same folders. A process that recalls or prompts decodes only the records that it
// asks for. Never trusted: a file that is damaged, foreign or of another version counts as absent.
//
//   header | head (JSON) | columns: hashes of the names, ends and checksums of the records | catalog (JSON) | records
//   (JSON array)
//
// Header, head and columns are verified on opening, catalog and records when they are read. Numbers are little-endian.

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { checksum, longChecksum } from "../search/search.ts";
import { type FileRecord, type PackedRecord, packRecord, unpackRecord } from "./file-record.ts";
import { Library } from "./precedence.ts";
import { packRanking, type StoredRanking, type StoredSkill, unpackRanking } from "./rank.ts";
import type { Visibility } from "./visibility.ts";

/** Raise it whenever the parser or the manifest changes what it yields, or the layout of the file changes. */
export const SNAPSHOT_VERSION = 5;

const MAGIC = 0x5442494c;
const HEADER_WORDS = 9;
const HEADER_BYTES = HEADER_WORDS * 4;
/** The checksum of the head covers what follows it. */
const VERIFIED_AT = 12;
/** Header, head and columns of a library of 3,000 fit into the first read. */
const FIRST_READ = 64 * 1024;
/** Decoded skills kept: about 2 MB of text, and every one that a busy session meets. */
const DECODED = 4096;

/** What a scan saw besides the files. */
interface ScanFacts {
  /** Folders whose time reveals added or removed skills. */
  readonly containers: readonly (readonly [path: string, mtimeMs: number])[];
  /** Roots of sources that did not exist. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Head extends ScanFacts {
  readonly generation: string;
  readonly sources: readonly Source[];
}

/** What a prompt needs of the whole library, so that it decodes no more records than it shows. */
interface Catalog extends StoredRanking {
  /** All findings but those about the choice of sources. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface SnapshotOptions {
  /** Where the snapshot is kept; undefined = nowhere. */
  readonly cacheDir: string | undefined;
  /** What is wrong with the choice of sources itself. */
  readonly findings: readonly Diagnostic[];
}

/** The stored bytes are not what was written. */
export class SnapshotDamage extends Error {}

/** One state of the library: as a scan made it, or as a file has it. */
export class LibrarySnapshot {
  /** The same for the same skills with the same content. */
  readonly generation: string;
  readonly facts: ScanFacts;
  /** When the last whole scan was made, in milliseconds. */
  scannedAt: number;
  /** Names the file that has exactly these records; undefined if there is none. */
  storedAs: number | undefined;
  private readonly sources: readonly Source[];
  private readonly findings: readonly Diagnostic[];
  private readonly stored: StoredRecords | undefined;
  private decoded: readonly FileRecord[] | undefined;
  private byName: Map<SkillName, FileRecord> | undefined;
  private readonly asked = new Map<SkillName, FileRecord | undefined>();
  private isDamaged = false;
  private made: Library | undefined;
  private listed: Catalog | undefined;
  private ranked: readonly StoredSkill[] | undefined;

  /** `findings` are about the choice of sources itself. */
  constructor(
    head: Head & { readonly scannedAt: number; readonly findings: readonly Diagnostic[] },
    records: readonly FileRecord[] | StoredRecords,
  ) {
    const { generation, sources, scannedAt, findings, ...facts } = head;
    this.findings = findings;
    this.generation = generation;
    this.sources = sources;
    this.scannedAt = scannedAt;
    this.facts = facts;
    if (records instanceof StoredRecords) this.stored = records;
    else this.decoded = records;
  }

  /** Set once stored records proved damaged: the library has to be scanned again. */
  get damaged(): boolean {
    return this.isDamaged;
  }

  /** Whether a scan would find the same folders: cheap, and blind only to edits inside known files. */
  isCurrent(): boolean {
    if (this.isDamaged) return false;
    const { containers, missing } = this.facts;
    return (
      missing.every((root) => !existsSync(root)) &&
      containers.every(([path, mtimeMs]) => statSync(path, { throwIfNoEntry: false })?.mtimeMs === mtimeMs)
    );
  }

  /** The skill of this name that wins, decoded now when it never was. Throws `SnapshotDamage`. */
  skill(name: SkillName): Skill | undefined {
    return this.record(name)?.skill;
  }

  /** Whether the file of this skill is still the one that was read. True of a name that is not in the library. */
  isFileUnchanged(name: SkillName): boolean {
    const record = this.record(name);
    if (record === undefined) return true;
    const stats = statSync(record.path, { throwIfNoEntry: false });
    return stats !== undefined && stats.size === record.size && stats.mtimeMs === record.mtimeMs;
  }

  /** Every record, in order of discovery. Throws `SnapshotDamage`. */
  records(): readonly FileRecord[] {
    this.decoded ??= this.trusted((stored) => stored.all(this.sources));
    return this.decoded;
  }

  /** As `records`, with a pause after each. Throws `SnapshotDamage`. */
  *recordSteps(): Generator<undefined, readonly FileRecord[]> {
    if (this.decoded) return this.decoded;
    const records: FileRecord[] = [];
    for (let row = 0; row < this.stored!.count && !this.decoded; row++) {
      records.push(this.trusted((stored) => stored.row(row, this.sources)));
      yield;
    }
    if (!this.decoded) this.stored!.close();
    this.decoded ??= records;
    return this.decoded;
  }

  /** The library of this snapshot. Throws `SnapshotDamage`. */
  library(): Library {
    if (this.made) return this.made;
    const skills: Skill[] = [];
    const diagnostics = [...this.findings, ...this.facts.diagnostics];
    for (const record of this.records()) {
      if (record.skill) skills.push(record.skill);
      for (const finding of record.diagnostics) diagnostics.push(finding);
    }
    this.made = new Library(skills, diagnostics);
    return this.made;
  }

  /** What may go into a prompt now, in the standing order. Throws `SnapshotDamage`, and so do the skills when they are read. */
  visible(visibility: Visibility): Skill[] {
    this.ranked ??= unpackRanking(this.catalog(), (name) => this.skill(name)!);
    const stateOf = visibility.judge();
    return this.ranked.filter(({ judged }) => stateOf(judged).state === "active");
  }

  /** What is wrong with the library. Throws `SnapshotDamage`. */
  diagnostics(): readonly Diagnostic[] {
    return [...this.findings, ...this.catalog().diagnostics];
  }

  /** Throws `SnapshotDamage`. */
  catalog(): Catalog {
    this.listed ??= this.decoded ? this.makeCatalog() : this.trusted((stored) => stored.catalog());
    return this.listed;
  }

  private makeCatalog(): Catalog {
    const { skills, diagnostics } = this.library();
    const ranking = packRanking([...skills.values()], this.sources);
    return { ...ranking, diagnostics: diagnostics.slice(this.findings.length) };
  }

  private record(name: SkillName): FileRecord | undefined {
    if (this.decoded) {
      // A later skill of the same name replaces an earlier one.
      this.byName ??= new Map(
        this.decoded.flatMap((record) => (record.skill ? [[record.skill.name, record] as const] : [])),
      );
      return this.byName.get(name);
    }
    if (!this.asked.has(name)) {
      if (this.asked.size >= DECODED) this.asked.clear();
      this.asked.set(
        name,
        this.trusted((stored) => stored.find(name, this.sources)),
      );
    }
    return this.asked.get(name);
  }

  private trusted<T>(read: (stored: StoredRecords) => T): T {
    try {
      return read(this.stored!);
    } catch (thrown) {
      if (thrown instanceof SnapshotDamage) this.isDamaged = true;
      throw thrown;
    }
  }
}

/** Where the snapshot of these sources is kept. */
export function snapshotPath(cacheDir: string, sources: readonly Source[]): string {
  return join(cacheDir, `library-${sourcesKey(sources)}.snapshot`);
}

/** Names what belongs to a set of sources in the cache folder. */
export function sourcesKey(sources: readonly Source[]): string {
  return checksum(new TextEncoder().encode(JSON.stringify(sources)))
    .toString(16)
    .padStart(8, "0");
}

/** The bytes of a snapshot file, and what names it in `storedAs`. */
interface EncodedSnapshot {
  readonly bytes: Uint8Array;
  readonly storedAs: number;
}

/** Makes the bytes of a snapshot file, with pauses. Records that `earlier` has are copied. */
export function* encodingSteps(
  snapshot: LibrarySnapshot,
  sources: readonly Source[],
  earlier?: StoredBytes,
): Generator<undefined, EncodedSnapshot> {
  const records = snapshot.records();
  const count = records.length;
  const columns = new Uint32Array(count * 3);
  const parts: Uint8Array[] = [];
  let end = 0;
  for (let row = 0; row < count; ) {
    const run = earlier?.run(records, row) ?? packedRun(records[row]!, sources);
    parts.push(Buffer.from(row === 0 ? "[" : ","), run.bytes);
    columns.set(run.hashes, row);
    columns.set(run.sums, 2 * count + row);
    for (const [at, length] of run.ends.entries()) columns[count + row + at] = end + 1 + length;
    end += 1 + run.bytes.length;
    row += run.ends.length;
    yield;
  }
  parts.push(Buffer.from(count === 0 ? "[]" : "]"));
  const { generation, facts } = snapshot;
  const head = asciiJson({ generation, sources, ...facts } satisfies Head);
  // The columns begin at a multiple of four.
  const blanks = Buffer.alloc(-head.length & 3, " ");
  const catalog = asciiJson(snapshot.catalog());
  yield;
  const bytes = Buffer.concat([
    Buffer.alloc(HEADER_BYTES),
    head,
    blanks,
    wordBytes(columns),
    catalog,
    ...parts,
  ]);
  yield;
  const catalogAt = HEADER_BYTES + head.length + blanks.length + columns.byteLength;
  const text = bytes.subarray(catalogAt + catalog.length);
  const sizes = [catalog.length, longChecksum(catalog), text.length, longChecksum(text)];
  bytes.set(wordBytes([head.length + blanks.length, count, ...sizes]), VERIFIED_AT);
  const storedAs = longChecksum(bytes.subarray(VERIFIED_AT, catalogAt));
  bytes.set(wordBytes([MAGIC, SNAPSHOT_VERSION, storedAs]));
  return { bytes, storedAs };
}

/** Records that follow each other, as they are stored: `ends` counts from the start of the bytes. */
interface Run {
  readonly bytes: Uint8Array;
  readonly hashes: ArrayLike<number>;
  readonly ends: readonly number[];
  readonly sums: ArrayLike<number>;
}

function packedRun(record: FileRecord, sources: readonly Source[]): Run {
  const bytes = asciiJson(packRecord(record, sources));
  return {
    bytes,
    hashes: [nameHash(record.skill?.name ?? "")],
    ends: [bytes.length],
    sums: [longChecksum(bytes)],
  };
}

/** The bytes of a snapshot's records in its file: what has not changed is copied into the next file. */
class StoredBytes {
  private readonly rows: ReadonlyMap<FileRecord, number>;
  private readonly columns: Columns;
  private readonly text: Uint8Array;

  constructor(records: readonly FileRecord[], columns: Columns, text: Uint8Array) {
    this.rows = new Map(records.map((record, row) => [record, row]));
    this.columns = columns;
    this.text = text;
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

/** The stored bytes of a snapshot; undefined if its file is another one now, or damaged. */
export function storedBytes(path: string, snapshot: LibrarySnapshot): StoredBytes | undefined {
  if (snapshot.storedAs === undefined || snapshot.damaged) return undefined;
  return withFile(path, (fd) => {
    const { storedAs, records } = readHead(fd);
    return storedAs === snapshot.storedAs ? records.bytesOf(snapshot.records()) : undefined;
  });
}

/** The snapshot of these sources on disk, whatever its age; undefined when there is none that can be used. */
export function openLibrarySnapshot(
  sources: readonly Source[],
  { cacheDir, findings }: SnapshotOptions,
): LibrarySnapshot | undefined {
  if (cacheDir === undefined) return undefined;
  const path = snapshotPath(cacheDir, sources);
  return withFile(path, (fd, keepOpen) => {
    const { head, scannedAt, storedAs, records } = readHead(fd);
    // The name of the file has only a short key of the sources in it.
    if (JSON.stringify(head.sources) !== JSON.stringify(sources)) return undefined;
    keepOpen();
    const snapshot = new LibrarySnapshot({ ...head, sources, scannedAt, findings }, records);
    snapshot.storedAs = storedAs;
    return snapshot;
  });
}

/** The records in a snapshot of another machine, as if they were of the sources here that have the same id. */
export function recordsFrom(path: string, sources: readonly Source[]): readonly FileRecord[] {
  const found = withFile(path, (fd, keepOpen) => {
    const { head, records } = readHead(fd);
    const here = head.sources.map((source) => sources.find(({ id }) => id === source.id) ?? source);
    keepOpen();
    return records.all(here).filter(({ source }) => sources.includes(source));
  });
  return found ?? [];
}

/** Reads a snapshot file; undefined if there is none or it proves damaged. It is closed again unless it is kept open. */
function withFile<T>(path: string, read: (fd: number, keepOpen: () => void) => T): T | undefined {
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

function readHead(fd: number): { head: Head; scannedAt: number; storedAs: number; records: StoredRecords } {
  const { size, mtimeMs } = fstatSync(fd);
  const first = readBytes(fd, 0, Math.min(size, FIRST_READ));
  if (first.length < HEADER_BYTES) throw new SnapshotDamage("The file is too short.");
  const [magic, version, sum, headLength = 0, count = 0, ...parts] = wordsOf(first, 0, HEADER_WORDS);
  const [catalogLength = 0, catalogSum = 0, textLength = 0, textSum = 0] = parts;
  const columnsAt = HEADER_BYTES + headLength;
  const catalogAt = columnsAt + count * 12;
  const textAt = catalogAt + catalogLength;
  if (magic !== MAGIC || version !== SNAPSHOT_VERSION || textAt + textLength !== size)
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
    catalog: { at: catalogAt, length: catalogLength, sum: catalogSum },
    text: { at: textAt, length: textLength, sum: textSum },
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

/** Each record follows a bracket or a comma. */
function startOf(row: number, ends: Columns["ends"]): number {
  return (row === 0 ? 0 : ends[row - 1]!) + 1;
}

/** A part of the file and its checksum. */
interface Part {
  readonly at: number;
  readonly length: number;
  readonly sum: number;
}

/** The catalog and the records of a snapshot file, read when they are asked for. */
class StoredRecords {
  private readonly file: {
    readonly fd: number;
    readonly columns: Columns;
    readonly catalog: Part;
    /** All records. */
    readonly text: Part;
  };

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
    const packed = this.read<PackedRecord[]>(this.file.text);
    this.close();
    return packed.map((one) => unpackRecord(one, sources));
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
    return unpackRecord(this.read<PackedRecord>(part), sources);
  }

  /** As they are stored. `records` are those of the file. */
  bytesOf(records: readonly FileRecord[]): StoredBytes {
    return new StoredBytes(records, this.file.columns, this.bytes(this.file.text));
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

/** JSON in ASCII alone: bytes become a string without being decoded, and the string takes half the room. */
function asciiJson(value: unknown): Buffer {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return Buffer.from(JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped), "latin1");
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
