// Owns the index's file: its layout, opening it without reading it, and replacing it in one step.
// Does not own the meaning of the sections (lexical-index-segment.ts), nor when to save.
//
//   header | sections of every segment | checksum of every block | checksums of those | table (JSON)
//
// Header and table are verified on opening, checksums and blocks when they are read. Numbers are little-endian.

import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { checksum, checksumBlocks } from "./checksum.ts";
import {
  RECORD,
  SECTION_NAMES,
  SEGMENT_DOCUMENTS,
  type SectionName,
  Segment,
  type SegmentShape,
} from "./lexical-index-segment.ts";
import { ENTRY_BYTES } from "./lexical-index-terms.ts";
import { type ByteSource, DamagedSnapshot } from "./snapshot-bytes.ts";
import {
  BLOCK_BYTES,
  blocksOf,
  fileBytes,
  readFully,
  type Sums,
  sumsFrom,
  sumsInFile,
  sumsInMemory,
} from "./snapshot-file.ts";
import { openTemporary, sweepTemporaries } from "./snapshot-temporary.ts";

export const SNAPSHOT_VERSION = 3;
const MAGIC = [0x65706552, 0x726f7472] as const;
const HEADER_WORDS = 12;
const HEADER_BYTES = HEADER_WORDS * 4;
/** Sections begin at multiples of this, so that any number in them is aligned. */
const ALIGNMENT = 16;
/** Bytes moved at once when a section is copied. */
const COPY_BYTES = 256 * BLOCK_BYTES;

/** What the caller wants remembered beside the segments. */
export interface SnapshotLabel {
  /** Fingerprint of the parameters that made the impacts. */
  params: string;
  embedder: string;
  dims: number;
  /** The caller's own mark of the state that was indexed. */
  stamp: string;
  /** Identity of the snapshot that this one adds to. */
  base?: string;
  /** For each segment of the base, the documents that no longer count. */
  removed?: number[][];
}

interface Layer {
  segment: Segment;
  dead: readonly number[];
}

export interface Snapshot {
  label: SnapshotLabel;
  id: string;
  segments: { segment: Segment; dead: number[] }[];
  close(): void;
}

export interface SnapshotProblem {
  code: "index-missing" | "index-outdated" | "index-damaged";
  message: string;
}

interface TableSegment extends SegmentShape {
  dead: number[];
  sections: Record<SectionName, { offset: number; length: number }>;
}

interface Table {
  label: SnapshotLabel;
  segments: TableSegment[];
}

/**
 * Writes beside the target and renames: a reader sees the old file or the new one, whoever else writes too.
 * Gives the new file's identity.
 */
export function writeSnapshot(path: string, label: SnapshotLabel, segments: readonly Layer[]): string {
  sweepTemporaries(path);
  const { fd, temporary } = openTemporary(path);
  try {
    const id = writeAndClose(fd, label, segments);
    renameSync(temporary, path);
    return id;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeAndClose(fd: number, ...content: [SnapshotLabel, readonly Layer[]]): string {
  try {
    const id = writeAll(fd, ...content);
    fsyncSync(fd);
    return id;
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, label: SnapshotLabel, segments: readonly Layer[]): string {
  let at = HEADER_BYTES;
  const sums: number[] = [];
  const append = (bytes: Uint8Array) => {
    writeFully(fd, bytes, at);
    at += bytes.length;
  };
  const appendSection = (source: ByteSource) => {
    at = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
    const place = { offset: at, length: source.length };
    for (let from = 0; from < source.length; from += COPY_BYTES) {
      const chunk = source.read(from, Math.min(COPY_BYTES, source.length - from));
      sums.push(...checksumBlocks(chunk, BLOCK_BYTES));
      append(chunk);
    }
    return place;
  };
  const table: Table = {
    label,
    segments: segments.map(({ segment, dead }) => ({
      ...segment.shape,
      dead: [...dead],
      sections: Object.fromEntries(
        SECTION_NAMES.map((name) => [name, appendSection(segment.section(name))]),
      ) as Record<SectionName, { offset: number; length: number }>,
    })),
  };
  at = Math.ceil(at / ALIGNMENT) * ALIGNMENT;
  const tail = at;
  const sumBytes = new Uint8Array(Uint32Array.from(sums).buffer);
  const topBytes = new Uint8Array(checksumBlocks(sumBytes, BLOCK_BYTES).buffer);
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

/** Follows from the content: files with one identity hold the same bytes. */
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

/** Reads header and table, nothing else. Never throws for what a file may hold. */
export function openSnapshot(path: string): { snapshot: Snapshot } | { problem: SnapshotProblem } {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    return problem(
      "index-missing",
      `No index at ${path} (${error instanceof Error ? error.message : error})`,
    );
  }
  try {
    const snapshot = readTables(fd);
    if (typeof snapshot !== "string") return { snapshot };
    closeSync(fd);
    return problem("index-outdated", `${path}: ${snapshot}`);
  } catch (error) {
    closeSync(fd);
    if (error instanceof DamagedSnapshot) return problem("index-damaged", `${path}: ${error.message}`);
    throw error;
  }
}

function problem(code: SnapshotProblem["code"], message: string): { problem: SnapshotProblem } {
  return { problem: { code, message } };
}

function readTables(fd: number): Snapshot | string {
  const header = new Uint32Array(HEADER_WORDS);
  readFully(fd, new Uint8Array(header.buffer), 0);
  if (header[0] !== MAGIC[0] || header[1] !== MAGIC[1]) throw new DamagedSnapshot("This is not an index");
  if (header[HEADER_WORDS - 1] !== checksum(new Uint8Array(header.buffer, 0, HEADER_BYTES - 4))) {
    throw new DamagedSnapshot("The index's header is damaged");
  }
  if (header[2] !== SNAPSHOT_VERSION)
    return `version ${header[2]} is not ${SNAPSHOT_VERSION}. Rebuild the index.`;
  const join = (word: number) => header[word]! + header[word + 1]! * 2 ** 32;
  const [tail, sumLength, tableLength, end] = [join(3), header[5]!, header[7]!, join(9)];
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
  const table = parseTable(Buffer.from(tableBytes.buffer, tableBytes.byteOffset, tableLength).toString());
  const tops = sumsInMemory(new Uint32Array(bytes.buffer, 0, topLength / 4));
  const sums = sumsInFile(fileBytes({ fd, offset: tail, length: sumLength, sums: tops }));
  return {
    label: table.label,
    id: identity(header),
    segments: openSegments(fd, { table, sums, tail }),
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
  if (!isTable(table)) throw new DamagedSnapshot("The index's table is not a table");
  return table;
}

function isTable(value: unknown): value is Table {
  const isCount = (n: unknown) => Number.isSafeInteger(n) && (n as number) >= 0;
  const isObject = (o: unknown): o is Record<string, unknown> => typeof o === "object" && o !== null;
  if (!isObject(value) || !isObject(value.label) || !Array.isArray(value.segments)) return false;
  return value.segments.every((segment: unknown) => {
    if (!isObject(segment) || !Array.isArray(segment.dead) || !isObject(segment.sections)) return false;
    const { documents, terms, dims, sections } = segment;
    if (![documents, terms, dims].every(isCount) || (documents as number) > SEGMENT_DOCUMENTS) return false;
    return SECTION_NAMES.every((name) => {
      const place = (sections as Record<string, unknown>)[name];
      return isObject(place) && isCount(place.offset) && isCount(place.length);
    });
  });
}

function openSegments(fd: number, file: { table: Table; sums: Sums; tail: number }): Snapshot["segments"] {
  let block = 0;
  return file.table.segments.map(({ dead, sections, documents, terms, dims }) => {
    const expected: Partial<Record<SectionName, number>> = {
      records: documents * RECORD.words * 4,
      vectors: documents * dims,
      scales: documents * 4,
    };
    const sources = SECTION_NAMES.map((name) => {
      const { offset, length } = sections[name];
      const fits = offset + length <= file.tail && (expected[name] ?? length) === length;
      if (!fits || (name === "terms" && length % ENTRY_BYTES !== 0)) {
        throw new DamagedSnapshot(`Section "${name}" has an impossible length ${length}`);
      }
      const sums = sumsFrom(file.sums, block);
      block += blocksOf(length);
      return [name, fileBytes({ fd, offset, length, sums })] as const;
    });
    const byName = Object.fromEntries(sources) as Record<SectionName, ByteSource>;
    return { segment: new Segment({ documents, terms, dims }, byName), dead };
  });
}
