// Owns the way from sources to the library: scan, read what changed, keep what was read, watch.
// Composes discover, parse and library; knows nothing of messages.

import { discover, type Scan, sameFindings, watchSources } from "../discover/discover.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { parseManifest, parseSkill } from "../parse/parse.ts";
import { loadRecords, saveRecords } from "./cache.ts";
import { buildCatalog, type Catalog, type FileRecord, isUnchanged, readSkillFile } from "./catalog.ts";
import { diffLibraries, type LibraryChanges, NO_CHANGES } from "./diff.ts";
import { Library } from "./precedence.ts";

export type Progress = (done: number, total: number) => void;

export interface ShelfOptions {
  readonly cacheDir: string | undefined;
  /** What is wrong with the choice of sources itself. */
  readonly findings: readonly Diagnostic[];
  readonly onProgress: Progress | undefined;
}

export class Shelf {
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  private readonly cacheDir: string | undefined;
  private readonly findings: readonly Diagnostic[];
  private readonly onProgress: Progress | undefined;
  private scan: Scan | undefined;
  private catalog: Catalog | undefined;
  private current: Library | undefined;
  private readonly watchers = new Set<(changes: LibraryChanges) => void>();

  constructor(sources: readonly Source[], { cacheDir, findings, onProgress }: ShelfOptions) {
    this.sources = sources;
    this.cacheDir = cacheDir;
    this.findings = findings;
    this.onProgress = onProgress;
  }

  /** The library as last scanned; scanned now when it never was. */
  get library(): Library {
    if (!this.current) this.refresh();
    return this.current!;
  }

  /** The library as last scanned, if it ever was. */
  get scanned(): Library | undefined {
    return this.current;
  }

  /** What the last scan read from a file. */
  record(path: string): FileRecord | undefined {
    return this.catalog?.records.get(path);
  }

  /** The Markdown below a skill's front matter, read from disk now. */
  body(skill: Skill): string {
    return parseSkill(readSkillFile(skill.path), skill.path).skill?.body ?? "";
  }

  /** Folders above skills, with their times, as the last scan saw them. */
  get containers(): ReadonlyMap<string, number> {
    return this.scan?.containers ?? new Map();
  }

  /** Scans again and says what changed, to whoever watches too: a change has one finder, who need not be the watcher. */
  refresh(): LibraryChanges {
    const before = this.current ?? new Library([], []);
    const scan = discover(this.sources);
    const same = this.catalog && isUnchanged(scan.candidates, this.catalog) && sameFindings(scan, this.scan);
    this.scan = scan;
    if (same) return NO_CHANGES;
    const records = this.catalog?.records ?? this.cachedRecords();
    const progress = this.onProgress && { onProgress: this.onProgress };
    this.catalog = buildCatalog(scan.candidates, { records, parse: parseManifest, ...progress });
    if (this.catalog.read > 0 || records.size !== this.catalog.records.size) this.keepRecords(scan);
    this.current = new Library(this.catalog.skills, [
      ...this.findings,
      ...scan.diagnostics,
      ...this.catalog.diagnostics,
    ]);
    const changes = diffLibraries(before, this.current);
    if (changes.added.length + changes.changed.length + changes.removed.length > 0)
      for (const tell of this.watchers) tell(changes);
    return changes;
  }

  /** Calls back after each change below the sources, until the result is called. */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void,
  ): Promise<() => Promise<void>> {
    this.refresh();
    this.watchers.add(onChanges);
    const stop = await watchSources({ sources: this.sources, onChange: () => this.refresh(), onError });
    return () => {
      this.watchers.delete(onChanges);
      return stop();
    };
  }

  private cachedRecords(): Map<string, FileRecord> {
    return this.cacheDir === undefined ? new Map() : loadRecords(this.cacheDir, this.sources);
  }

  private keepRecords(scan: Scan): void {
    if (this.cacheDir === undefined) return;
    const bySource = new Map<Source, FileRecord[]>();
    for (const { source, path } of scan.candidates) {
      const record = this.record(path);
      if (!bySource.has(source)) bySource.set(source, []);
      if (record) bySource.get(source)!.push(record);
    }
    saveRecords(this.cacheDir, bySource);
  }
}
