// The library on disk: one file per set of sources with every SKILL.md that was found, what was read from it, and what
// tells whether a scan would find the same folders. A process that recalls decodes only the records that it asks for.
// Never trusted: a file that is damaged, foreign or of another version counts as absent.
//
//   header | head (JSON) | columns: hash of the name, end of the record, checksum of the record | records (JSON array)
//
// Header, head and columns are verified on opening, records when they are read. Numbers are little-endian.

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf } from "../model/errors.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import { NO_REQUIREMENTS, NO_TRIGGERS, type Skill, type SkillManifest } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { checksum } from "../search/search.ts";
import { Library } from "./precedence.ts";

/** Raise it whenever the parser or the manifest changes what it yields. */
export const SNAPSHOT_VERSION = 1;

const MAGIC = 0x5442494c;
const HEADER_WORDS = 7;
const HEADER_BYTES = HEADER_WORDS * 4;
/** Header, head and columns of a library of 3,000 fit into the first read. */
const FIRST_READ = 64 * 1024;
/** Decoded skills kept: about 2 MB of text, and every one that a busy session meets. */
const DECODED = 4096;

/** What was read from one file. Valid as long as its place, size, time and inode are the same. */
export interface FileRecord {
  readonly source: Source;
  readonly relativePath: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Absent when the file yields no skill. */
  readonly skill: Skill | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

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
  /** When the last scan was made, in milliseconds. */
  scannedAt: number;
  private readonly sources: readonly Source[];
  private readonly findings: readonly Diagnostic[];
  private readonly stored: StoredRecords | undefined;
  private decoded: readonly FileRecord[] | undefined;
  private byName: Map<SkillName, FileRecord> | undefined;
  private readonly asked = new Map<SkillName, FileRecord | undefined>();
  private isDamaged = false;
  private made: Library | undefined;

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

/** The bytes of a snapshot file. */
export function encodeSnapshot(snapshot: LibrarySnapshot, sources: readonly Source[]): Uint8Array {
  const records = snapshot.records();
  const columns = new Uint32Array(records.length * 3);
  const parts: Buffer[] = [];
  let end = 0;
  records.forEach((record, row) => {
    const bytes = asciiJson(packRecord(record, sources));
    parts.push(Buffer.from(row === 0 ? "[" : ","), bytes);
    end += 1 + bytes.length;
    columns.set([nameHash(record.skill?.name ?? ""), end, checksum(bytes)], row * 3);
  });
  parts.push(Buffer.from(records.length === 0 ? "[]" : "]"));
  const text = Buffer.concat(parts);
  const { generation, facts } = snapshot;
  const head = asciiJson({ generation, sources, ...facts } satisfies Head);
  const headBytes = padded(head.length);
  const recordsAt = HEADER_BYTES + headBytes + columns.byteLength;
  const bytes = new Uint8Array(recordsAt + text.length);
  bytes.set(head, HEADER_BYTES);
  bytes.set(new Uint8Array(columns.buffer), HEADER_BYTES + headBytes);
  bytes.set(text, recordsAt);
  const header = new Uint32Array(bytes.buffer, 0, HEADER_WORDS);
  header.set([MAGIC, SNAPSHOT_VERSION, 0, head.length, records.length, text.length, checksum(text)]);
  header[2] = checksum(bytes.subarray(12, recordsAt));
  return bytes;
}

/** The snapshot of these sources on disk, whatever its age; undefined when there is none that can be used. */
export function openLibrarySnapshot(
  sources: readonly Source[],
  { cacheDir, findings }: SnapshotOptions,
): LibrarySnapshot | undefined {
  if (cacheDir === undefined) return undefined;
  const path = snapshotPath(cacheDir, sources);
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return undefined;
  }
  const opened = unlessDamaged(() => readHead(fd));
  // The name of the file has only a short key of the sources in it.
  if (opened && JSON.stringify(opened.head.sources) === JSON.stringify(sources))
    return new LibrarySnapshot(
      { ...opened.head, sources, scannedAt: opened.scannedAt, findings },
      opened.records,
    );
  closeSync(fd);
  return undefined;
}

function readHead(fd: number): { head: Head; scannedAt: number; records: StoredRecords } {
  const { size, mtimeMs } = fstatSync(fd);
  const first = readBytes(fd, 0, Math.min(size, FIRST_READ));
  if (first.length < HEADER_BYTES) throw new SnapshotDamage("The file is too short.");
  const [magic, version, sum, headLength, count, textLength, textSum] = wordsOf(first, 0, HEADER_WORDS);
  const columnsAt = HEADER_BYTES + padded(headLength!);
  const recordsAt = columnsAt + count! * 12;
  if (magic !== MAGIC || version !== SNAPSHOT_VERSION || recordsAt + textLength! !== size)
    throw new SnapshotDamage("Not a snapshot of this version.");
  const bytes = recordsAt <= first.length ? first : readBytes(fd, 0, recordsAt);
  if (checksum(bytes.subarray(12, recordsAt)) !== sum) throw new SnapshotDamage("The head is damaged.");
  const head = fromAsciiJson<Head>(bytes.subarray(HEADER_BYTES, HEADER_BYTES + headLength!));
  const rows = wordsOf(bytes, columnsAt, count! * 3);
  return {
    head,
    scannedAt: mtimeMs,
    records: new StoredRecords({ fd, at: recordsAt, length: textLength!, sum: textSum!, rows }),
  };
}

/** The records of a snapshot file, read when they are asked for. */
class StoredRecords {
  private readonly file: {
    readonly fd: number;
    readonly at: number;
    readonly length: number;
    readonly sum: number;
    /** For each record: hash of its name, its end, its checksum. */
    readonly rows: Uint32Array;
  };
  private readonly hashes: Uint32Array;

  constructor(file: StoredRecords["file"]) {
    this.file = file;
    this.hashes = file.rows.filter((_, at) => at % 3 === 0);
  }

  all(sources: readonly Source[]): FileRecord[] {
    const { fd, at, length, sum } = this.file;
    const bytes = readBytes(fd, at, length);
    if (checksum(bytes) !== sum) throw new SnapshotDamage("The records are damaged.");
    // Nothing is left to be read.
    closeSync(fd);
    return fromAsciiJson<PackedRecord[]>(bytes).map((packed) => unpackRecord(packed, sources));
  }

  /** The last of several records of one name: the one that wins. */
  find(name: SkillName, sources: readonly Source[]): FileRecord | undefined {
    const hash = nameHash(name);
    for (let row = this.hashes.length; row > 0; ) {
      row = this.hashes.lastIndexOf(hash, row - 1);
      if (row < 0) return undefined;
      const record = this.row(row, sources);
      if (record.skill?.name === name) return record;
    }
    return undefined;
  }

  private row(row: number, sources: readonly Source[]): FileRecord {
    const { fd, at, rows } = this.file;
    // Each record follows a bracket or a comma.
    const start = (row === 0 ? 0 : rows[row * 3 - 2]!) + 1;
    const bytes = readBytes(fd, at + start, rows[row * 3 + 1]! - start);
    if (checksum(bytes) !== rows[row * 3 + 2]) throw new SnapshotDamage("A record is damaged.");
    return unpackRecord(fromAsciiJson<PackedRecord>(bytes), sources);
  }
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof SnapshotDamage) return undefined;
    throw thrown;
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

function padded(length: number): number {
  return (length + 3) & ~3;
}

function nameHash(name: string): number {
  return checksum(new TextEncoder().encode(name));
}

/** A record as it is stored: what follows from its place is left out, and what says nothing. */
interface PackedRecord {
  /** Number of the source. */
  readonly source: number;
  readonly at: string;
  /** Name of the file unless it is `SKILL.md`. */
  readonly file?: string | undefined;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly digest?: string | undefined;
  /** Name of the skill unless it is `at`. */
  readonly name?: string | undefined;
  readonly manifest?: Partial<SkillManifest> | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

const USUAL_FILE = "SKILL.md";

function packRecord(record: FileRecord, sources: readonly Source[]): PackedRecord {
  const { source, relativePath: at, path, size, mtimeMs, inode, skill, diagnostics } = record;
  const file = path.slice(path.lastIndexOf(sep) + 1);
  return {
    source: sources.indexOf(source),
    at,
    file: file === USUAL_FILE ? undefined : file,
    size,
    mtimeMs,
    inode,
    digest: skill?.digest,
    name: skill?.name === at ? undefined : skill?.name,
    manifest: skill && packManifest(skill.manifest),
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics,
  };
}

function unpackRecord(packed: PackedRecord, sources: readonly Source[]): FileRecord {
  const { at, file = USUAL_FILE, size, mtimeMs, inode, digest, name = at, manifest } = packed;
  const source = sources[packed.source]!;
  const below = sep === "/" ? at : at.replaceAll("/", sep);
  const directory = at === "" ? source.root : source.root + sep + below;
  const path = directory + sep + file;
  const skill: Skill | undefined = manifest && {
    name,
    displayName: manifest.declaredName ?? lastSegment(name),
    manifest: unpackManifest(manifest),
    source: source.id,
    path,
    directory,
    digest: digest ?? "",
  };
  const diagnostics = packed.diagnostics ?? NO_DIAGNOSTICS;
  return { source, relativePath: at, path, size, mtimeMs, inode, skill, diagnostics };
}

function packManifest(manifest: SkillManifest): Partial<SkillManifest> {
  const fields = Object.entries(manifest).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[key as keyof SkillManifest]),
  );
  return Object.fromEntries(fields);
}

/** One literal for all, on purpose: thousands of objects of one shape are several times faster than spread copies. */
function unpackManifest(fields: Partial<SkillManifest>): SkillManifest {
  return {
    declaredName: fields.declaredName,
    description: fields.description ?? "",
    brief: fields.brief ?? "",
    summary: fields.summary,
    whenToUse: fields.whenToUse,
    version: fields.version,
    license: fields.license,
    compatibility: fields.compatibility,
    domain: fields.domain,
    frames: fields.frames ?? NONE,
    triggers: fields.triggers ?? NO_TRIGGERS,
    tags: fields.tags ?? NONE,
    tools: fields.tools ?? NONE,
    allowedTools: fields.allowedTools ?? NONE,
    requires: fields.requires ?? NO_REQUIREMENTS,
    toolsets: fields.toolsets ?? NONE,
    scripts: fields.scripts ?? NONE,
    seeAlso: fields.seeAlso ?? NONE,
    knowledge: fields.knowledge ?? NONE,
    paths: fields.paths ?? NONE,
    argumentHint: fields.argumentHint,
    always: fields.always ?? false,
    defaultEnabled: fields.defaultEnabled ?? true,
    userOnly: fields.userOnly ?? false,
    userInvocable: fields.userInvocable ?? true,
    metadata: fields.metadata ? withoutPrototype(fields.metadata) : NOTHING,
    unknown: fields.unknown ? withoutPrototype(fields.unknown) : NOTHING,
  };
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = [];
const NONE: readonly string[] = [];
const NOTHING: Readonly<Record<string, unknown>> = Object.create(null);
const EMPTY = unpackManifest({});

/** Front matter is a stranger's text: `metadata.constructor` must not find a function. */
function withoutPrototype<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPrototype) as T;
  if (typeof value !== "object" || value === null) return value;
  const bare = Object.create(null);
  for (const [key, item] of Object.entries(value)) bare[key] = withoutPrototype(item);
  return bare;
}
