// The library on disk: one file per set of sources with every SKILL.md that was found, what was read from it, and what
// tells whether a scan would find the same folders. A process that recalls or prompts decodes only the records that it
// asks for. Never trusted: a file that is damaged, foreign or of another version counts as absent.
//
//   header | head (JSON) | columns: hashes of the names, ends and checksums of the records | catalog (JSON) | records
//   (JSON array)
//
// Header, head and columns are verified on opening, catalog and records when they are read. Numbers are little-endian.

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { codeOf } from "../model/errors.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import { NO_REQUIREMENTS, NO_TRIGGERS, type Skill, type SkillManifest } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { checksum, longChecksum } from "../search/search.ts";
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

/** What was read from one file. Valid as long as its place, size, time and inode are the same. */
export interface FileRecord {
  readonly source: Source;
  readonly relativePath: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Changes with the skill's policy for hosts; undefined if it has none. */
  readonly policy?: string | undefined;
  /** The stamp of the package when it was inspected, which changes with its files; undefined if it never was. */
  readonly inspected?: string | undefined;
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

/** Makes the bytes of a snapshot file, with a pause after each record. */
export function* encodingSteps(
  snapshot: LibrarySnapshot,
  sources: readonly Source[],
): Generator<undefined, Uint8Array> {
  const records = snapshot.records();
  const count = records.length;
  const columns = new Uint32Array(count * 3);
  const parts: Buffer[] = [];
  let end = 0;
  for (const [row, record] of records.entries()) {
    const bytes = asciiJson(packRecord(record, sources));
    parts.push(Buffer.from(row === 0 ? "[" : ","), bytes);
    end += 1 + bytes.length;
    columns[row] = nameHash(record.skill?.name ?? "");
    columns[count + row] = end;
    columns[2 * count + row] = longChecksum(bytes);
    yield;
  }
  parts.push(Buffer.from(count === 0 ? "[]" : "]"));
  const { generation, facts } = snapshot;
  const head = asciiJson({ generation, sources, ...facts } satisfies Head);
  // The columns begin at a multiple of four.
  const blanks = Buffer.alloc(-head.length & 3, " ");
  const catalog = asciiJson(snapshot.catalog());
  const bytes = Buffer.concat([
    Buffer.alloc(HEADER_BYTES),
    head,
    blanks,
    wordBytes(columns),
    catalog,
    ...parts,
  ]);
  const catalogAt = HEADER_BYTES + head.length + blanks.length + columns.byteLength;
  const text = bytes.subarray(catalogAt + catalog.length);
  const sizes = [catalog.length, longChecksum(catalog), text.length, longChecksum(text)];
  bytes.set(wordBytes([head.length + blanks.length, count, ...sizes]), VERIFIED_AT);
  bytes.set(wordBytes([MAGIC, SNAPSHOT_VERSION, longChecksum(bytes.subarray(VERIFIED_AT, catalogAt))]));
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
  const [magic, version, sum, headLength = 0, count = 0, ...parts] = wordsOf(first, 0, HEADER_WORDS);
  const [catalogLength = 0, catalogSum = 0, textLength = 0, textSum = 0] = parts;
  const columnsAt = HEADER_BYTES + headLength;
  const catalogAt = columnsAt + count * 12;
  const textAt = catalogAt + catalogLength;
  if (magic !== MAGIC || version !== SNAPSHOT_VERSION || textAt + textLength !== size)
    throw new SnapshotDamage("Not a snapshot of this version.");
  const bytes = catalogAt <= first.length ? first : readBytes(fd, 0, catalogAt);
  if (longChecksum(bytes.subarray(VERIFIED_AT, catalogAt)) !== sum)
    throw new SnapshotDamage("The head is damaged.");
  const records = new StoredRecords({
    fd,
    hashes: wordsOf(bytes, columnsAt, count),
    ends: wordsOf(bytes, columnsAt + count * 4, count),
    sums: wordsOf(bytes, columnsAt + count * 8, count),
    catalog: { at: catalogAt, length: catalogLength, sum: catalogSum },
    text: { at: textAt, length: textLength, sum: textSum },
  });
  const head = fromAsciiJson<Head>(bytes.subarray(HEADER_BYTES, columnsAt));
  return { head, scannedAt: mtimeMs, records };
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
    /** Of the name of each record's skill. */
    readonly hashes: Uint32Array;
    /** Where each record ends in the text. */
    readonly ends: Uint32Array;
    readonly sums: Uint32Array;
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
    return this.file.hashes.length;
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
    const { hashes } = this.file;
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
    const { ends, sums, text } = this.file;
    // Each record follows a bracket or a comma.
    const start = (row === 0 ? 0 : ends[row - 1]!) + 1;
    const part = { at: text.at + start, length: ends[row]! - start, sum: sums[row]! };
    return unpackRecord(this.read<PackedRecord>(part), sources);
  }

  private read<T>({ at, length, sum }: Part): T {
    const bytes = readBytes(this.file.fd, at, length);
    if (longChecksum(bytes) !== sum) throw new SnapshotDamage("A part of the file is damaged.");
    return fromAsciiJson<T>(bytes);
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

function wordBytes(words: ArrayLike<number>): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
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
  readonly policy?: string | undefined;
  readonly inspected?: string | undefined;
  readonly digest?: string | undefined;
  /** Name of the skill unless it is `at`. */
  readonly name?: string | undefined;
  readonly manifest?: Partial<SkillManifest> | undefined;
  readonly withheld?: boolean | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

const USUAL_FILE = "SKILL.md";

function packRecord(record: FileRecord, sources: readonly Source[]): PackedRecord {
  const {
    source,
    relativePath: at,
    path,
    size,
    mtimeMs,
    inode,
    policy,
    inspected,
    skill,
    diagnostics,
  } = record;
  const file = path.slice(path.lastIndexOf(sep) + 1);
  return {
    source: sources.indexOf(source),
    at,
    file: file === USUAL_FILE ? undefined : file,
    size,
    mtimeMs,
    inode,
    policy,
    inspected,
    digest: skill?.digest,
    name: skill?.name === at ? undefined : skill?.name,
    manifest: skill && packManifest(skill.manifest),
    withheld: skill?.withheld,
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics,
  };
}

function unpackRecord(packed: PackedRecord, sources: readonly Source[]): FileRecord {
  const { at, file = USUAL_FILE, size, mtimeMs, inode, policy, inspected } = packed;
  const { digest, name = at, manifest } = packed;
  const source = sources[packed.source]!;
  const below = sep === "/" ? at : at.replaceAll("/", sep);
  const directory = at === "" ? source.root : source.root + sep + below;
  const path = directory + sep + file;
  const skill: Skill | undefined = manifest && {
    name,
    displayName: displayNameOf(name, manifest, source),
    manifest: unpackManifest(manifest),
    source: source.id,
    path,
    directory,
    digest: digest ?? "",
    withheld: packed.withheld,
  };
  const diagnostics = packed.diagnostics ?? NO_DIAGNOSTICS;
  return { source, relativePath: at, path, size, mtimeMs, inode, policy, inspected, skill, diagnostics };
}

/** What people call a skill: its declared name. If that is its identity, everybody calls it by that. */
export function displayNameOf(
  name: SkillName,
  { declaredName }: Pick<SkillManifest, "declaredName">,
  { identity }: Source,
): string {
  return identity === "name" ? name : (declaredName ?? lastSegment(name));
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
