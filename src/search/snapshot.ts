// The snapshot file: its layout, opening it without reading it, and replacing it atomically.
//
//   header | sections of every segment | checksum of every block | checksums of those | table (JSON)
//
// Header and table are verified on opening, checksums and blocks when they are read. Numbers are little-endian.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type BlockChecksums,
  type ByteSource,
  DamagedSnapshot,
  fileBytes,
  readFully,
  storedChecksums,
  wordsOf,
} from "./bytes.ts";
import { blockChecksums, blocksOf, checksum } from "./checksum.ts";
import {
  LiveSegment,
  RECORD_BYTES,
  SECTION_NAMES,
  SEGMENT_DOCUMENTS,
  type SectionName,
  Segment,
  type SegmentSections,
  type SegmentShape,
} from "./segment.ts";

/** Increased whenever the layout or the meaning of a section changes; other versions are rebuilt. */
const SNAPSHOT_VERSION = 8;
const MAGIC = [0x65706552, 0x726f7472] as const;
const HEADER_WORDS = 12;
const HEADER_BYTES = HEADER_WORDS * 4;
/** Sections begin at multiples of this, so that any number in them is aligned. */
const ALIGNMENT = 16;
/** Bytes copied at once; a multiple of the block size. */
const COPY_BYTES = 1 << 20;

/** What is stored besides the segments. */
export interface SnapshotLabel {
  /** Fingerprint of the scoring parameters. */
  params: string;
  embedder: string;
  dims: number;
  /** The caller's description of the indexed state. */
  stamp: string;
  /** Of a delta: the identity of the snapshot that it adds to. */
  base?: string | undefined;
  /** Of a delta: for each segment of the base, its deleted documents. */
  baseDeleted?: number[][] | undefined;
}

export interface IndexSnapshot {
  label: SnapshotLabel;
  id: string;
  segments: LiveSegment[];
  close(): void;
}

export interface SnapshotProblem {
  code: "index-missing" | "index-outdated" | "index-damaged";
  message: string;
}

interface TableSegment extends SegmentShape {
  deleted: readonly number[];
  sections: Record<SectionName, { offset: number; length: number }>;
}

interface Table {
  label: SnapshotLabel;
  segments: TableSegment[];
}

/** Replaces the snapshot at `path` and returns the identity of the new one. */
export function writeSnapshot(path: string, label: SnapshotLabel, segments: readonly LiveSegment[]): string {
  return replaceFileAtomically(path, (fd) => writeContent(fd, label, segments));
}

function writeContent(fd: number, label: SnapshotLabel, segments: readonly LiveSegment[]): string {
  let at = HEADER_BYTES;
  const sums: number[] = [];
  const append = (bytes: Uint8Array) => {
    writeFully(fd, bytes, at);
    at += bytes.length;
  };
  const align = () => {
    at = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
  };
  const appendSection = (source: ByteSource) => {
    align();
    const place = { offset: at, length: source.length };
    for (let from = 0; from < source.length; from += COPY_BYTES) {
      const chunk = source.read(from, Math.min(COPY_BYTES, source.length - from));
      sums.push(...blockChecksums(chunk));
      append(chunk);
    }
    return place;
  };
  const table: Table = {
    label,
    segments: segments.map(({ segment, deleted }) => ({
      ...segment.shape,
      deleted,
      sections: bySection((name) => appendSection(segment.section(name))),
    })),
  };
  align();
  const tail = at;
  const sumBytes = new Uint8Array(Uint32Array.from(sums).buffer);
  const topBytes = new Uint8Array(blockChecksums(sumBytes).buffer);
  const tableBytes = new TextEncoder().encode(JSON.stringify(table));
  append(sumBytes);
  append(topBytes);
  append(tableBytes);
  const header = new Uint32Array(HEADER_WORDS);
  header.set([...MAGIC, SNAPSHOT_VERSION, ...split(tail), sumBytes.length, checksum(topBytes)]);
  header.set([tableBytes.length, checksum(tableBytes), ...split(at)], 7);
  header[HEADER_WORDS - 1] = checksum(new Uint8Array(header.buffer, 0, HEADER_BYTES - 4));
  writeFully(fd, new Uint8Array(header.buffer), 0);
  return identity(header);
}

/**
 * The same segment, read from a file beside `path` that has no name any more: it is gone with the process. Undefined if it
 * cannot be written.
 */
export function spillSegment(
  path: string,
  live: LiveSegment,
): { readonly segment: LiveSegment; close(): void } | undefined {
  let fd: number | undefined;
  try {
    const opened = openTemporary(path);
    fd = opened.fd;
    rmSync(opened.temporary);
    writeContent(fd, { params: "", embedder: "", dims: live.segment.shape.dims, stamp: "" }, [live]);
    const snapshot = readSnapshot(fd);
    if (typeof snapshot !== "string") return { segment: snapshot.segments[0]!, close: snapshot.close };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

function bySection<T>(make: (name: SectionName) => T): Record<SectionName, T> {
  return Object.fromEntries(SECTION_NAMES.map((name) => [name, make(name)])) as Record<SectionName, T>;
}

/** Derived from the checksums: files with the same identity hold the same bytes. */
function identity(header: Uint32Array): string {
  return [header[6]!, header[8]!, header[9]!].map((n) => n.toString(36)).join("-");
}

function writeFully(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

function split(value: number): [number, number] {
  return [value % 2 ** 32, Math.floor(value / 2 ** 32)];
}

/** Reads header and table only. Reports a problem instead of throwing, whatever the file contains. */
export function openSnapshot(path: string): { snapshot: IndexSnapshot } | { problem: SnapshotProblem } {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    return { problem: { code: "index-missing", message: `No index at ${path} (${why})` } };
  }
  try {
    const snapshot = readSnapshot(fd);
    if (typeof snapshot !== "string") return { snapshot };
    closeSync(fd);
    return { problem: { code: "index-outdated", message: `${path}: ${snapshot}` } };
  } catch (error) {
    closeSync(fd);
    if (!(error instanceof DamagedSnapshot)) throw error;
    return { problem: { code: error.code, message: `${path}: ${error.message}` } };
  }
}

/** The snapshot, or the reason why it is outdated. */
function readSnapshot(fd: number): IndexSnapshot | string {
  const header = new Uint32Array(HEADER_WORDS);
  readFully(fd, new Uint8Array(header.buffer), 0);
  if (header[0] !== MAGIC[0] || header[1] !== MAGIC[1]) throw new DamagedSnapshot("This is not an index");
  if (header[HEADER_WORDS - 1] !== checksum(new Uint8Array(header.buffer, 0, HEADER_BYTES - 4))) {
    throw new DamagedSnapshot("The index's header is damaged");
  }
  if (header[2] !== SNAPSHOT_VERSION)
    return `version ${header[2]} is not ${SNAPSHOT_VERSION}. Rebuild the index.`;
  const wide = (word: number) => header[word]! + header[word + 1]! * 2 ** 32;
  const [tail, sumLength, tableLength, end] = [wide(3), header[5]!, header[7]!, wide(9)];
  const topLength = blocksOf(sumLength) * 4;
  const isWhole = tail + sumLength + topLength + tableLength === end && fstatSync(fd).size === end;
  if (!isWhole || sumLength % 4 !== 0) throw new DamagedSnapshot(`The index is not ${end} bytes long`);
  const bytes = new Uint8Array(topLength + tableLength);
  readFully(fd, bytes, tail + sumLength);
  const topBytes = bytes.subarray(0, topLength);
  const tableBytes = bytes.subarray(topLength);
  if (checksum(topBytes) !== header[6] || checksum(tableBytes) !== header[8]) {
    throw new DamagedSnapshot("The index's table is damaged");
  }
  const table = parseTable(Buffer.from(bytes.buffer, topLength).toString());
  const tops = wordsOf(topBytes);
  const sums = fileBytes({
    fd,
    offset: tail,
    length: sumLength,
    checksums: (block) => tops[block]!,
    firstBlock: 0,
  });
  return {
    label: table.label,
    id: identity(header),
    segments: openSegments(fd, { table, checksums: storedChecksums(sums), tail }),
    close: () => closeSync(fd),
  };
}

function parseTable(text: string): Table {
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch (error) {
    throw new DamagedSnapshot(`The index's table cannot be read (${error})`);
  }
  if (!isTable(table)) throw new DamagedSnapshot("The index's table has the wrong shape");
  return table;
}

function isTable(value: unknown): value is Table {
  const isCount = (n: unknown) => Number.isSafeInteger(n) && (n as number) >= 0;
  const isObject = (o: unknown): o is Record<string, unknown> => typeof o === "object" && o !== null;
  if (!isObject(value) || !isObject(value.label) || !Array.isArray(value.segments)) return false;
  return value.segments.every((segment: unknown) => {
    if (!isObject(segment) || !Array.isArray(segment.deleted) || !isObject(segment.sections)) return false;
    const { documents, terms, dims, sections } = segment;
    if (![documents, terms, dims].every(isCount) || (documents as number) > SEGMENT_DOCUMENTS) return false;
    return SECTION_NAMES.every((name) => {
      const place = (sections as Record<string, unknown>)[name];
      return isObject(place) && isCount(place.offset) && isCount(place.length);
    });
  });
}

function openSegments(
  fd: number,
  { table, checksums, tail }: { table: Table; checksums: BlockChecksums; tail: number },
): LiveSegment[] {
  let firstBlock = 0;
  return table.segments.map(({ deleted, sections, documents, terms, dims }) => {
    const expected: Partial<Record<SectionName, number>> = {
      records: documents * RECORD_BYTES,
      vectors: documents * dims,
      scales: documents * 4,
    };
    const sources: SegmentSections = bySection((name) => {
      const { offset, length } = sections[name];
      const fits = offset + length <= tail && (expected[name] ?? length) === length;
      if (!fits || (name === "terms" && length % 4 !== 0)) {
        throw new DamagedSnapshot(`Section "${name}" has an impossible length ${length}`);
      }
      const source = fileBytes({ fd, offset, length, checksums, firstBlock });
      firstBlock += blocksOf(length);
      return source;
    });
    return new LiveSegment(new Segment({ documents, terms, dims }, sources), deleted);
  });
}

/** A temporary file that was not touched for this long belongs to a process that died. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Lets `write` fill a new file and renames it to `path` when it is on disk: a reader sees the old file or the new one,
 * whoever else writes at the same time. Removes the temporary files of processes that died.
 */
function replaceFileAtomically<T>(path: string, write: (fd: number) => T): T {
  removeAbandoned(path);
  const { fd, temporary } = openTemporary(path);
  try {
    let result: T;
    try {
      result = write(fd);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    return result;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function removeAbandoned(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(".tmp")) continue;
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      rmSync(join(folder, name), { force: true });
  }
}

function openTemporary(path: string): { fd: number; temporary: string } {
  for (let attempt = 0; ; attempt++) {
    const temporary = `${path}.${process.pid}-${attempt}.tmp`;
    try {
      return { fd: openSync(temporary, "wx+", 0o600), temporary };
    } catch (error) {
      const taken = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!taken || attempt > 1000) throw error;
    }
  }
}
