// Makes the library from the sources: uses the snapshot or scans, reads what changed, stores what was read, and watches.

import { hash } from "node:crypto";
import { existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { discover, FolderWatch, type Scan } from "../discover/discover.ts";
import { unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import type { InspectionCache } from "../inspect/inspect.ts";
import { codeOf } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { MENDING_COMMAND, type StateCheckOptions, type StateFinding } from "../model/state-finding.ts";
import { parseSkill } from "../parse/parse.ts";
import { adoptSnapshot } from "./carried-snapshot.ts";
import { isUnchanged, type Progress, readCatalog, readSkillFile, reread } from "./catalog.ts";
import { diffLibraries, type LibraryChanges, NO_CHANGES } from "./diff.ts";
import { outsideOf } from "./earlier-scan.ts";
import { EditSweep } from "./edit-sweep.ts";
import type { FileRecord } from "./file-record.ts";
import { firstReading } from "./first-reading.ts";
import { Library } from "./precedence.ts";
import type { BodySink, LibraryReader, ScanOptions } from "./reader.ts";
import { inSlicesBehind, milliseconds } from "./slices.ts";
import {
  LibrarySnapshot,
  openLibrarySnapshot,
  type SnapshotOptions,
  snapshotPath,
  storedBytes,
} from "./snapshot.ts";
import { encodingSteps, SNAPSHOT_VERSION, SnapshotDamage } from "./snapshot-file.ts";
import { inspectedRecord } from "./withheld.ts";

interface ScannerOptions extends SnapshotOptions {
  readonly onProgress?: Progress | undefined;
  /** What inspection found in earlier runs. */
  readonly inspections?: InspectionCache | undefined;
  /** Called before the sources are first read, and each time after that: brings folders up to date that come from elsewhere. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

interface InspectOptions {
  readonly most: number;
  readonly cache?: InspectionCache | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Running {
  /** Whether the walk has begun: who asks now for a scan wants a later one. */
  begun: boolean;
  /** Whether a request waits for it. */
  isAwaited: boolean;
  bodies: BodySink | undefined;
  /** The only folders of known skills that are read; undefined for all. */
  changed: ReadonlySet<string> | undefined;
  readonly done: Promise<LibraryChanges>;
}

/** Whoever announced changes and was ended before it named them holds nobody up for longer. */
const EXPECTED_MS = 5_000;

export class LibraryScanner implements LibraryReader {
  readonly sources: readonly Source[];
  private readonly options: ScannerOptions;
  private latest: LibrarySnapshot | undefined;
  private running: Running | undefined;
  private hasScanned = false;
  private readonly watchers = new Set<(changes: LibraryChanges) => void>();
  private watching: FolderWatch | undefined;
  private readonly sweep: EditSweep;
  /** Until then a change that was announced is not looked for. */
  private expectedUntil = 0;

  constructor(sources: readonly Source[], options: ScannerOptions) {
    this.sources = sources;
    this.options = options;
    this.sweep = new EditSweep({
      // A process that watches the folders notices edits sooner.
      records: () => (this.watching?.isComplete ? [] : this.knownRecords()),
      onEdit: () => this.refreshUnlessNewer(),
    });
  }

  /** Whether this process has walked the sources itself. */
  get scanned(): boolean {
    return this.hasScanned;
  }

  current(): Promise<Library> {
    return this.read((snapshot) => snapshot.library());
  }

  async read<T>(ask: (snapshot: LibrarySnapshot) => T): Promise<T> {
    try {
      return ask(await this.snapshot());
    } catch (thrown) {
      if (!(thrown instanceof SnapshotDamage)) throw thrown;
      return ask(await this.rescan());
    }
  }

  async snapshot(bodies?: BodySink): Promise<LibrarySnapshot> {
    await this.options.prepare?.();
    this.sweep.start();
    for (;;) {
      const { running } = this;
      const snapshot = this.stored();
      if (snapshot?.damaged === false && milliseconds() < this.expectedUntil) return snapshot;
      // A scan behind the requests holds none of them up.
      if (!running?.isAwaited && snapshot?.isCurrent()) return snapshot;
      if (running === undefined) return this.rescan({ bodies });
      // What it finds may be all that is new: then nobody walks the sources once more.
      running.isAwaited = true;
      if (!running.begun) running.bodies ??= bodies;
      await running.done;
    }
  }

  /**
   * Folders of skills are about to change, and will be named in a scan soon: until that has ended, requests are answered from
   * what was known before, instead of each looking for the change itself.
   */
  expectChanges(): void {
    this.expectedUntil = milliseconds() + EXPECTED_MS;
  }

  async rescan(options: ScanOptions = {}): Promise<LibrarySnapshot> {
    await this.refresh(options);
    return this.latest!;
  }

  stored(): LibrarySnapshot | undefined {
    this.latest ??= openLibrarySnapshot(this.sources, this.options);
    return this.latest;
  }

  body(skill: Skill): string {
    return parseSkill(readSkillFile(skill.path), skill.path).skill?.body ?? "";
  }

  /** As `current`, but never with an older state of this one skill: scans if it is unknown or its file has changed. */
  async currentFor(name: string): Promise<Library> {
    const library = await this.current();
    const known = library.find(name);
    if (known && this.latest?.isFileUnchanged(known.name)) return library;
    return (await this.rescan()).library();
  }

  /** Walks all sources, reads what changed, and says what that was. Calls at the same time share one walk. */
  async refresh({ bodies, changed, isBehind = false }: ScanOptions = {}): Promise<LibraryChanges> {
    await this.options.prepare?.();
    while (this.running?.begun) {
      this.running.isAwaited ||= !isBehind;
      await this.running.done;
    }
    if (this.running) {
      const { running } = this;
      running.bodies ??= bodies;
      running.isAwaited ||= !isBehind;
      running.changed = changed && running.changed && new Set([...running.changed, ...changed]);
      return running.done;
    }
    let run: Running;
    // Begins a moment later, so that all who ask now share it.
    const done = Promise.resolve()
      .then(() => firstReading({ path: this.path, isRead: () => this.stored() !== undefined }))
      .then((read) => {
        run.begun = true;
        return inSlicesBehind(this.scan(run), () => run.isAwaited).finally(read);
      })
      .finally(() => {
        this.running = undefined;
        this.expectedUntil = 0;
      });
    run = { begun: false, isAwaited: !isBehind, bodies, changed: changed && new Set(changed), done };
    this.running = run;
    return done;
  }

  /**
   * Inspects whole packages that have changed since they were inspected, at most so many, and withholds the words of dangerous
   * ones. Slow, so it is done behind a scan. Returns how many were inspected.
   */
  async inspect(options: InspectOptions): Promise<number> {
    const before = await this.snapshot();
    return inSlicesBehind(this.inspection(before, options));
  }

  private *inspection(before: LibrarySnapshot, options: InspectOptions): Generator<undefined, number> {
    const known = yield* before.recordSteps();
    const records = yield* this.inspected(known, options);
    options.cache?.save();
    const count = records.filter((record, at) => record !== known[at]).length;
    // A scan in the meantime has read newer records; the next inspection looks at those.
    if (count === 0 || this.latest !== before) return 0;
    const { generation, facts, scannedAt } = before;
    const { findings } = this.options;
    const head = { generation, sources: this.sources, scannedAt, findings, ...facts };
    this.latest = new LibrarySnapshot(head, records);
    yield* this.keep(this.latest, before);
    return count;
  }

  private *inspected(
    records: readonly FileRecord[],
    { most, cache, signal }: InspectOptions,
  ): Generator<undefined, FileRecord[]> {
    const result: FileRecord[] = [];
    let left = most;
    for (const record of records) {
      const isDue = left > 0 && signal?.aborted !== true && record.source.scope !== "bundled";
      const next = isDue ? yield* inspectedRecord(record, { cache, readAgain: reread }) : undefined;
      if (next) left -= 1;
      result.push(next ?? record);
      yield;
    }
    return result;
  }

  /** Calls back after each change below the sources, until the result is called. Whoever found the change. */
  async watch(
    onChanges: (changes: LibraryChanges) => void,
    onError: (error: unknown) => void,
  ): Promise<() => Promise<void>> {
    // The first caller opens the watch and gets its errors; each scan follows the folders that it finds.
    this.watching ??= new FolderWatch({
      onChange: () => void this.refresh({ isBehind: true }).catch(onError),
      onError,
    });
    await this.refresh({ isBehind: true });
    this.watchers.add(onChanges);
    return async () => {
      this.watchers.delete(onChanges);
      if (this.watchers.size > 0) return;
      this.watching?.close();
      this.watching = undefined;
    };
  }

  /** Reads the snapshot on disk whole, and with `fix` makes it again if it is damaged. */
  async check({ fix = false }: StateCheckOptions = {}): Promise<StateFinding[]> {
    const problem = snapshotProblem(this.sources, this.options);
    const { path } = this;
    if (problem === undefined || path === undefined) return [];
    if (fix) {
      rmSync(path, { recursive: true, force: true });
      this.latest = undefined;
      await this.refresh();
    }
    return [
      {
        code: "snapshot-damaged",
        severity: "warning",
        path,
        message: `The snapshot of the library cannot be read: ${problem} Each process reads the skills instead.`,
        fix: MENDING_COMMAND,
        canFix: true,
        fixed: fix ? "It was made again from the skills." : undefined,
      },
    ];
  }

  /** The bytes of the snapshot, for a machine with the same skills; undefined if there is none. */
  carried(): Uint8Array | undefined {
    const { path } = this;
    return path === undefined ? undefined : unlessMissing(() => readFileSync(path));
  }

  /** Takes over what another machine read, before anything is read here. Returns of how many skills. */
  takeOver(bytes: Uint8Array): number {
    return this.stored() === undefined ? adoptSnapshot(bytes, this.sources, this.options) : 0;
  }

  /** Stops looking for edits, also in folders whose watch was being opened. */
  close(): void {
    this.sweep.stop();
    this.watching?.close();
    this.watching = undefined;
  }

  private *scan({ bodies, changed }: Running): Generator<undefined, LibraryChanges> {
    const before = this.stored();
    const earlier = yield* this.recordsBefore(before);
    const known = new Map(earlier.map((record) => [record.path, record]));
    const kept = before?.damaged === false && changed ? outsideOf(changed, before, earlier) : undefined;
    const scan = yield* discover(this.sources, kept);
    // After a change of a few folders, the watch itself asks for a whole scan, whose folders it then follows.
    if (this.watching && !kept) yield* this.watching.follow(scan);
    const { onProgress, inspections } = this.options;
    inspections?.refreshDangers();
    const isSame = before !== undefined && isUnchanged(scan.files, known, inspections);
    const records = isSame
      ? earlier
      : yield* readCatalog(scan.files, { known, bodies, inspections, onProgress });
    this.hasScanned ||= !kept;
    yield;
    const scannedAt = kept ? before!.scannedAt : (this.options.now?.() ?? Date.now());
    const after = this.snapshotOf(scan, { records, scannedAt });
    yield;
    return yield* this.adopt(after, isSame);
  }

  /** What the sweep came across may be what a scan is reading already. */
  private async refreshUnlessNewer(): Promise<void> {
    const { latest } = this;
    await this.running?.done;
    if (this.latest === latest) await this.refresh({ isBehind: true });
  }

  private *recordsBefore(before: LibrarySnapshot | undefined): Generator<undefined, readonly FileRecord[]> {
    try {
      return before ? yield* before.recordSteps() : [];
    } catch (thrown) {
      if (!(thrown instanceof SnapshotDamage)) throw thrown;
      return [];
    }
  }

  private knownRecords(): readonly FileRecord[] {
    try {
      return this.stored()?.records() ?? [];
    } catch (thrown) {
      if (!(thrown instanceof SnapshotDamage)) throw thrown;
      return [];
    }
  }

  private snapshotOf(
    scan: Scan,
    { records, scannedAt }: { readonly records: readonly FileRecord[]; readonly scannedAt: number },
  ): LibrarySnapshot {
    const { missing, diagnostics } = scan;
    const facts = { containers: [...scan.containers], missing, diagnostics };
    const { sources } = this;
    const { findings } = this.options;
    const head = { generation: generationOf(records), sources, scannedAt, findings, ...facts };
    return new LibrarySnapshot(head, records);
  }

  private *adopt(after: LibrarySnapshot, isSame: boolean): Generator<undefined, LibraryChanges> {
    const before = this.latest;
    if (isSame && before && !before.damaged && JSON.stringify(before.facts) === JSON.stringify(after.facts)) {
      before.scannedAt = after.scannedAt;
      this.touch(after.scannedAt);
      return NO_CHANGES;
    }
    const earlier = before && !before.damaged ? before.library() : new Library([], []);
    this.latest = after;
    yield* this.keep(after, before);
    const changes = diffLibraries(earlier, after.library());
    if (changes.added.length + changes.changed.length + changes.removed.length > 0)
      for (const tell of this.watchers) tell(changes);
    return changes;
  }

  /** Writes the snapshot; what the file has of the one before is copied. */
  private *keep(snapshot: LibrarySnapshot, before: LibrarySnapshot | undefined): Generator<undefined, void> {
    const { path } = this;
    if (path === undefined) return;
    const earlier = before && storedBytes(path, before);
    const { bytes, storedAs } = yield* encodingSteps(snapshot, this.sources, earlier);
    unlessUnwritable(() => {
      writeFileAtomically(path, bytes, { sync: false });
      snapshot.storedAs = storedAs;
      this.touch(snapshot.scannedAt);
    });
  }

  /** The time of the file is the time of the last scan. */
  private touch(scannedAt: number): void {
    const { path } = this;
    if (path !== undefined) unlessUnwritable(() => utimesSync(path, scannedAt / 1000, scannedAt / 1000));
  }

  private get path(): string | undefined {
    const { cacheDir } = this.options;
    return cacheDir === undefined ? undefined : snapshotPath(cacheDir, this.sources);
  }
}

/** A read-only home must not stop anybody from listing skills; everything else is a bug and shows. */
function unlessUnwritable(write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
}

function generationOf(records: readonly FileRecord[]): string {
  const skills = records.flatMap(({ skill }) => (skill ? [skill.name, skill.path, skill.digest] : []));
  return hash("sha256", `${SNAPSHOT_VERSION}\n${skills.join("\n")}`).slice(0, 16);
}

/** Reads a snapshot file whole; says what is wrong with it, undefined if nothing is or there is none. */
function snapshotProblem(sources: readonly Source[], options: SnapshotOptions): string | undefined {
  const { cacheDir } = options;
  if (cacheDir === undefined || !existsSync(snapshotPath(cacheDir, sources))) return undefined;
  try {
    const snapshot = openLibrarySnapshot(sources, options);
    if (snapshot === undefined) return "The file cannot be used.";
    snapshot.catalog();
    snapshot.records();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SnapshotDamage) return thrown.message;
    throw thrown;
  }
}
