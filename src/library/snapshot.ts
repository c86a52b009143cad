// The library on disk: one file per set of sources with every SKILL.md that was found, what was read from it, and what
// tells whether a scan would find the same folders. A process that recalls or prompts decodes only the records that it
// asks for. Never trusted: a file that is damaged, foreign or of another version counts as absent.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { countFindings, type Diagnostic, type FindingCounts } from "../model/diagnostic.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { checksum } from "../search/search.ts";
import type { FileRecord } from "./file-record.ts";
import { Library } from "./precedence.ts";
import { packRanking, type StoredSkill, unpackRanking } from "./rank.ts";
import {
  type Catalog,
  type Head,
  readHead,
  type ScanFacts,
  SnapshotDamage,
  type StoredBytes,
  StoredRecords,
  withFile,
} from "./snapshot-file.ts";
import type { Visibility } from "./visibility.ts";

/** Decoded skills kept: about 2 MB of text, and every one that a busy session meets. */
const DECODED = 4096;

export interface SnapshotOptions {
  /** Where the snapshot is kept; undefined = nowhere. */
  readonly cacheDir: string | undefined;
  /** What is wrong with the choice of sources itself. */
  readonly findings: readonly Diagnostic[];
}

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

  /** How much is wrong with the library. Throws `SnapshotDamage`. */
  findingCounts(): FindingCounts {
    const own = countFindings(this.findings);
    const { errors, warnings } = this.catalog().findings;
    return { errors: own.errors + errors, warnings: own.warnings + warnings };
  }

  /** Throws `SnapshotDamage`. */
  catalog(): Catalog {
    this.listed ??= this.decoded ? this.makeCatalog() : this.trusted((stored) => stored.catalog());
    return this.listed;
  }

  private makeCatalog(): Catalog {
    const { skills, diagnostics } = this.library();
    const ranking = packRanking([...skills.values()], this.sources);
    return { ...ranking, findings: countFindings(diagnostics.slice(this.findings.length)) };
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
